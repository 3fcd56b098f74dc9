import { describe, expect, test } from 'vitest';
import { resolve as resolveIn } from '#cdk-local/template/intrinsics.ts';
import type { LocalTemplate } from '#cdk-local/template/local-template.ts';
import { checkResourceTypes } from '#cdk-local/template/local-template.ts';
import { sqs, templateOf } from './templates.ts';

const data = templateOf({ Table: ['AWS::DynamoDB::GlobalTable'] }, 'Data');
const service = templateOf({
  Queue: ['AWS::SQS::Queue'],
  Fn: ['AWS::Lambda::Function', { FunctionName: 'worker' }],
  Role: ['AWS::IAM::Role'],
});
const both: LocalTemplate = {
  resources: [...data.resources, ...service.resources],
  exports: new Map([['TableName', { stack: 'Data', value: { Ref: 'Table' } }]]),
  assets: new Map(),
};
const resolve = (value: unknown): unknown => resolveIn({ template: both, sqs, stack: 'Service' }, value);

describe('intrinsic functions', () => {
  test('a reference to a queue is its local address, to anything else its name', () => {
    expect(resolve({ Ref: 'Queue' })).toBe('http://127.0.0.1:9324/000000000000/Service-Queue');
    expect(resolve({ Ref: 'Fn' })).toBe('worker');
  });

  test('pseudo parameters stand for this machine', () => {
    expect(resolve({ Ref: 'AWS::Region' })).toBe('sa-east-1');
  });

  test('attributes are given as a list', () => {
    expect(resolve({ 'Fn::GetAtt': ['Queue', 'Arn'] })).toBe('arn:aws:sqs:sa-east-1:000000000000:Service-Queue');
  });

  test('join, split and select work on resolved values, one within the other', () => {
    const arn = { 'Fn::GetAtt': ['Queue', 'Arn'] };
    expect(resolve({ 'Fn::Select': [5, { 'Fn::Split': [':', arn] }] })).toBe('Service-Queue');
    expect(resolve({ 'Fn::Join': ['-', ['a', { Ref: 'Fn' }, 3]] })).toBe('a-worker-3');
  });

  test('substitution knows references', () => {
    expect(resolve({ 'Fn::Sub': '${AWS::Region}/${Fn}' })).toBe('sa-east-1/worker');
  });

  test('an import is resolved in the stack that exports it', () => {
    expect(resolve({ deep: [{ 'Fn::ImportValue': 'TableName' }] })).toEqual({ deep: ['Data-Table'] });
  });

  test.each([
    [{ Ref: 'Nobody' }, 'Nobody'],
    [{ 'Fn::GetAtt': ['Queue', 'Colour'] }, 'Colour'],
    [{ 'Fn::ImportValue': 'Absent' }, 'Absent'],
    [{ 'Fn::Sub': '${Fn.Arn}' }, 'Fn.Arn'],
    [{ 'Fn::Sub': ['${own}', { own: 1 }] }, 'Fn::Sub'],
    [{ 'Fn::GetAtt': 'Fn.Arn' }, 'Fn::GetAtt'],
    [{ Ref: 'AWS::NoValue' }, 'AWS::NoValue'],
    [{ 'Fn::Cidr': ['10.0.0.0/16', 2] }, 'Fn::Cidr'],
    [{ 'Fn::Select': [7, ['a']] }, 'Fn::Select'],
  ])('%j is an error that names the culprit, never a guess', (value, culprit) => {
    expect(() => resolve(value)).toThrow(culprit);
  });
});

describe('resource types', () => {
  test('a type that is neither run nor left out for a reason stops the start', () => {
    const template = templateOf({ Known: ['AWS::SQS::Queue'], Odd: ['AWS::StepFunctions::StateMachine'] });
    expect(() => {
      checkResourceTypes(template);
    }).toThrow('AWS::StepFunctions::StateMachine Service.Odd');
    expect(() => {
      checkResourceTypes(service);
    }).not.toThrow();
  });
});
