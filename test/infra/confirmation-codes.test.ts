import { describe, expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { workerNames, workers } from '#functions/workers.ts';
import { pascalCase } from '#infra/aws/names.ts';
import { environments } from '#infra/environments.ts';
import { partitions } from '#infra/aws/constructs/function-access.ts';
import type { Statement } from './synthesized.ts';
import { actionsOf, functionNamed, functionsOf, resourcesOf, settingsOf, synthesize } from './synthesized.ts';

const stack = synthesize();
const hml = stack('Hml-Service');
const allowed = (statements: readonly Statement[]) => statements.filter(({ Effect }) => Effect === 'Allow');

describe('secrets of confirmation codes', () => {
  test('are denied by partition to every function but those that make and check codes', () => {
    const checking = routes
      .filter(({ access }) => access.codeSecrets)
      .map(({ contract }) => pascalCase(contract.operationId));
    expect(checking).toEqual(['ConfirmPixKey']);
    for (const { name, statements } of functionsOf(hml)) {
      const touchesTable = allowed(statements).some(({ Sid }) => Sid === 'Table');
      const denial = statements.find(({ Sid }) => Sid === 'NoCodeSecrets');
      expect(denial !== undefined, name).toBe(touchesTable && name !== 'SendKeyCodes' && !checking.includes(name));
      if (denial === undefined) continue;
      expect(denial).toMatchObject({
        Effect: 'Deny',
        Action: 'dynamodb:*',
        Condition: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': [partitions.codeSecrets] } },
      });
    }
  });
});

describe('the secret of keyed hashes', () => {
  test('is denied to every function but those that look for what it hides, and can be written by none', () => {
    const endpoints = routes
      .filter(({ access }) => access.hashSecret)
      .map(({ contract }) => pascalCase(contract.operationId));
    const ofWorkers = workerNames.filter((name) => workers[name].access.hashSecret).map(pascalCase);
    const readers = [...endpoints, ...ofWorkers];
    expect(readers.toSorted()).toEqual([
      'ConfirmPixKey',
      'CreatePayout',
      'CreatePixKey',
      'ListAccounts',
      'RemovePixKey',
      'ResendKeyCode',
      'RunCompanyJobs',
      'SetClock',
      'SubmitCommands',
    ]);
    for (const { name, statements } of functionsOf(hml)) {
      const denials = statements.filter(
        ({ Effect, Condition }) =>
          Effect === 'Deny' && JSON.stringify(Condition ?? {}).includes(`"${partitions.hashSecret}"`),
      );
      const touchesTable = allowed(statements).some(({ Sid }) => Sid === 'Table');
      const denied = readers.includes(name)
        ? ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem']
        : ['dynamodb:*'];
      expect(denials.flatMap(actionsOf).toSorted(), name).toEqual(touchesTable ? denied : []);
    }
  });
});

describe('confirmation codes', () => {
  const sendsCodes = (name: 'Local-Service' | 'Dev-Service' | 'Hml-Service' | 'Prod-Service') =>
    functionsOf(stack(name)).filter(({ statements }) =>
      allowed(statements)
        .flatMap(actionsOf)
        .some((action) => /^(ses|sns):/u.test(action)),
    );

  test('are sent by one function, from one address, and to phones alone', () => {
    for (const name of ['Dev-Service', 'Hml-Service', 'Prod-Service'] as const)
      expect(sendsCodes(name).map((one) => one.name)).toEqual(['SendKeyCodes']);
    const { statements } = functionNamed(hml, 'SendKeyCodes');
    const { senders } = environments.hml.keys;
    expect(statements.find(({ Sid }) => Sid === 'SendEmails')).toMatchObject({
      Action: 'ses:SendEmail',
      Condition: { StringEquals: { 'ses:FromAddress': senders?.emailFrom } },
    });
    const onIdentities = allowed(statements).filter((statement) =>
      resourcesOf(statement).some((resource) => resource.includes(':identity/')),
    );
    expect(onIdentities.flatMap(actionsOf)).toEqual(['ses:SendEmail']);
    // In the sandbox Amazon SES asks for the receiver's identity, too, and for a set that an identity has.
    expect(onIdentities.flatMap(resourcesOf)).toEqual([
      expect.stringContaining(':configuration-set/*'),
      expect.stringContaining(':identity/*'),
    ]);
    const [topics] = statements.filter(({ Effect, Action }) => Effect === 'Deny' && Action === 'sns:Publish');
    expect(resourcesOf(topics!).join()).toMatch(/:sns:\*:\*:\*/u);
  });

  test('leave the machine nowhere in the local environment', () => {
    expect(sendsCodes('Local-Service')).toEqual([]);
    expect(settingsOf(functionNamed(stack('Local-Service'), 'SendKeyCodes')).keys.senders).toBeUndefined();
  });
});
