import { expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { pascalCase } from '#infra/aws/names.ts';
import { partitions } from '#infra/aws/constructs/function-access.ts';
import { actionsOf, functionNamed, synthesize } from './synthesized.ts';

const stack = synthesize();
const prod = stack('Prod-Service');
const hml = stack('Hml-Service');

test('endpoints that only read hold a place for a slow answer, and no endpoint of production does', () => {
  for (const { contract } of routes.filter((route) => route.access.table === 'reads')) {
    const { statements } = functionNamed(hml, pascalCase(contract.operationId));
    const writing = statements.filter(
      (statement) => statement.Effect === 'Allow' && actionsOf(statement).includes('dynamodb:UpdateItem'),
    );
    expect(writing, contract.operationId).toMatchObject([
      {
        Sid: 'HoldSlowCalls',
        Action: 'dynamodb:UpdateItem',
        Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [partitions.slowCalls] } },
      },
    ]);
  }
  expect(prod.text).not.toContain('SlowCalls');
});
