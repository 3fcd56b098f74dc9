import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { tedTarget } from './examples.ts';
import { openTestBank } from './open-bank.ts';

const request = () => ({
  request_control_key: randomUUID(),
  target_account: tedTarget,
  transaction_amount: 8.86,
});

test.each([
  ['LOSE_REQUEST', 'LOST', undefined, false],
  ['LOSE_ANSWER', 'LOST', undefined, true],
  ['ERROR_BEFORE', 'ANSWER', 503, false],
  ['ERROR_AFTER', 'ANSWER', 503, true],
  ['TOO_MANY', 'ANSWER', 429, false],
  ['FORBID', 'ANSWER', 403, false],
  ['UNAUTHORIZED', 'ANSWER', 401, false],
  ['GARBLE', 'GARBLED', 201, true],
  ['HANG', 'NEVER', undefined, true],
  ['DELAY', 'ANSWER', 201, true],
  ['OTHER_THING', 'ANSWER', 201, true],
] as const)('the fault %s meets one TED: %s, status %s, carried out: %s', async (fault, is, status, isDone) => {
  const { call, control, api, account } = openTestBank();
  const ted = request();
  await control('fault', { fault, path: '/ted$', times: 1 });
  const reply = await call('POST', `/account/${account}/ted`, ted);
  expect([reply.is, 'response' in reply ? reply.response.status : undefined]).toEqual([is, status]);
  const found = await api('GET', `/account/${account}/teds?request_control_key=${ted.request_control_key}`);
  expect(found.body.data).toHaveLength(isDone ? 1 : 0);
  expect(await control('clear-faults')).toEqual([]);
});

test('answers are about another thing, or have a status that no bank has, and look-ups lag', async () => {
  const { control, api, account } = openTestBank();
  const ted = request();
  const key = ted.request_control_key;
  await api('POST', `/account/${account}/ted`, ted);
  const find = async () =>
    (await api('GET', `/account/${account}/teds?request_control_key=${key}`)).body.data as Record<string, unknown>[];
  await control('fault', { fault: 'OTHER_THING', id: key, times: 1 });
  const [other] = await find();
  expect(other!['request_control_key']).not.toBe(key);
  expect(other).toMatchObject({ account_key: account, transaction_amount: 8.86 });
  await control('fault', { fault: 'NEW_VALUE', id: key, times: 1 });
  expect(await find()).toMatchObject([{ request_control_key: key, ted_status: 'VALOR_NOVO' }]);
  expect(await find()).toMatchObject([{ request_control_key: key, ted_status: 'pending' }]);
  await control('fault', { fault: 'LAG', ms: 600_000 });
  expect((await api('GET', `/account/${account}`)).status).toBe(404);
});
