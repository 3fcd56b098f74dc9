import { expect, test } from 'vitest';
import { faultValues, likelyValues, refused, unavailable } from '#tools/fuzz/likely-values.ts';
import { parseInstant } from '#shared/core/brasilia-time.ts';
import type { Components, Schema } from '../support/any-value.ts';
import { check, document, operations } from '../support/document.ts';
import { each } from '../support/each.ts';

const accountId = '3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e00';
const company = {
  ...{ companyId: 'company', name: 'Sandbox', clientId: 'client', clientSecret: '', webhookSecret: '' },
  accounts: [{ id: accountId, status: 'ACTIVE', fullName: 'Sandbox', document: { type: 'CPF', number: '1' } }],
};
const sandbox = { baseUrl: 'http://127.0.0.1:3000', tokenUrl: '', scope: '', companies: [company] };
const { fields, schemas, withheld } = likelyValues(sandbox, parseInstant('2026-01-15T12:00:00Z')!);

const parameters = operations.flatMap(({ operation }) => operation.parameters);
const requests = Object.entries(document.components.schemas).filter(([name]) => /(?:Request|Input)$/u.test(name));

/** Schemas of a field in requests, and of parameters of that name. */
const schemasOf = (name: string): readonly Schema[] => [
  ...requests.flatMap(([, { properties }]): readonly Schema[] => {
    const own = (properties as Components | undefined)?.[name];
    return own === undefined ? [] : [own];
  }),
  ...parameters.flatMap((one) => (one.name === name && one.schema ? [one.schema] : [])),
];

test.each(Object.entries(fields))('%s is a field of the document, which allows its likely values', (name, values) => {
  const own = schemasOf(name);
  expect(own.length).toBeGreaterThan(0);
  for (const schema of own) for (const value of values) expect(check(schema)(value), String(value)).toBe(true);
});

test.each(Object.entries(schemas))('%s is a schema of the document, which allows its likely values', (name, values) => {
  const schema = document.components.schemas[name];
  expect(schema).toBeDefined();
  for (const value of values) expect(check(schema!)(value), JSON.stringify(value)).toBe(true);
});

test('every withheld name is a parameter or a request field of the document', () => {
  for (const name of each(withheld)) expect(schemasOf(name).length, name).toBeGreaterThan(0);
});

test('every value that stands for a fault is among the likely ones', () => {
  const sent = JSON.stringify({ fields, schemas });
  for (const value of each([...Object.values(faultValues), ...unavailable, ...refused])) expect(sent).toContain(value);
});
