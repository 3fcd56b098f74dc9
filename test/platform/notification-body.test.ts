import { expect, test } from 'vitest';
import * as z from 'zod';
import { notificationJson } from '#shared/contract/notification.ts';

const Schema = z.strictObject({ id: z.string(), status: z.enum(['PAID', 'ERROR']), batch: z.string().optional() });

test('the body of a notification keeps the order of its fields, and leaves out what is undefined', () => {
  const body = notificationJson<typeof Schema>({ id: 'a', status: 'PAID', batch: undefined });
  expect(body).toBe('{"id":"a","status":"PAID"}');
  expect(Schema.parse(JSON.parse(body))).toEqual({ id: 'a', status: 'PAID' });
});

test('the body of a notification does not compile without a field, with another or with a wrong value', () => {
  // @ts-expect-error a required field is forgotten
  const without = notificationJson<typeof Schema>({ status: 'PAID', batch: undefined });
  // @ts-expect-error an optional field is forgotten
  const withoutOptional = notificationJson<typeof Schema>({ id: 'a', status: 'PAID' });
  // @ts-expect-error the schema has no such field
  const more = notificationJson<typeof Schema>({ id: 'a', status: 'PAID', batch: 'b', more: 1 });
  // @ts-expect-error the schema has no such value
  const other = notificationJson<typeof Schema>({ id: 'a', status: 'OPEN', batch: 'b' });
  // @ts-expect-error no body goes without a schema
  const untyped = notificationJson({ id: 'a' });
  expect([without, withoutOptional, more, other, untyped].every((body) => body.startsWith('{'))).toBe(true);
});
