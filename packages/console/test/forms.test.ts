import { expect, test } from 'vitest';
import * as z from 'zod';
import { routes } from '#functions/routes.ts';
import type { FormField } from '#console/protocol.ts';
import { formOperations } from '#console/protocol.ts';
import { readForms } from '#console/server/forms.ts';
import { each } from '#test/support/each.ts';

test('a form has every field of its contract, and which of them must be there', () => {
  const forms = readForms();
  for (const operation of each(formOperations)) {
    const { contract } = routes.find((one) => one.contract.operationId === operation)!;
    const { properties = {}, required = [] } = z.toJSONSchema(contract.body, { io: 'input', unrepresentable: 'any' });
    const fields = forms[operation];
    expect(fields.map(({ name }) => name).toSorted(), operation).toEqual(Object.keys(properties).toSorted());
    const must = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    expect(must.toSorted(), operation).toEqual(required.toSorted());
  }
});

test('objects have the fields of their alternatives, and choices their values', () => {
  const field = (fields: readonly FormField[], ...[name, ...below]: readonly string[]): FormField => {
    const found = fields.find((one) => one.name === name)!;
    return below.length === 0 ? found : field(found.fields, ...below);
  };
  const { createPayout, createSubscription } = readForms();
  const target = field(createPayout, 'paymentData');
  expect(target.kind).toBe('group');
  expect(target.fields.map(({ name, isRequired }) => [name, isRequired])).toEqual([
    ...[
      ['pixKey', false],
      ['qrcodeData', false],
      ['bankAccount', false],
    ],
  ]);
  expect(field(createSubscription, 'debtor', 'document', 'type')).toMatchObject({
    ...{ kind: 'choice', options: ['CPF', 'CNPJ'], isRequired: true },
  });
  expect(field(createSubscription, 'initialCharge', 'amount', 'currency').options).toEqual(['BRL']);
  expect(field(createSubscription, 'startDate').kind).toBe('date');
  expect(field(createSubscription, 'allowChargeAfterDueDate').kind).toBe('flag');
});

test('a document without one of the bodies is refused by its name', () => {
  expect(() => readForms('{"paths":{},"components":{"schemas":{}}}')).toThrow('no body for createSubscription');
});
