import { expect, test } from 'vitest';
import type { Exchange } from '../support/exchanges.ts';
import { findLeakedIds, findLeakedSecrets, linesWith, privateTexts } from './findings.ts';

const order = '3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e5f';
const exchange = (over: Partial<Exchange>): Exchange => ({
  ...{ caller: 'one', sent: 'GET /x\n', body: '', token: '', status: 200, response: '{}' },
  ...over,
});

test('an id is foreign to a caller that neither received it first nor sent it', () => {
  const ownExchange = exchange({ response: `{"id":"${order}"}` });
  const asked = exchange({ caller: 'two', sent: `GET /orders/${order}\n`, response: `{"id":"${order}"}` });
  const leaked = exchange({ caller: 'two', response: `{"data":[{"id":"${order}"}]}` });
  expect(findLeakedIds([ownExchange, ownExchange, asked])).toEqual([]);
  expect(findLeakedIds([ownExchange, leaked])).toHaveLength(1);
});

test('a secret is foreign to a caller that did not receive it first', () => {
  const ownExchange = exchange({ response: '{"secret":"whsec_c2VjcmV0"}' });
  expect(findLeakedSecrets([ownExchange, ownExchange])).toEqual([]);
  expect(findLeakedSecrets([ownExchange, exchange({ ...ownExchange, caller: 'two' })])).toHaveLength(1);
});

test('personal data and secrets of successful requests are collected at any depth of the body', () => {
  const body = JSON.stringify({
    receiver: { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } },
    key: '+5511987654321',
    paymentData: { pixKey: 'maria@example.com', bankAccount: { accountNumber: '123456-7' } },
    code: '123456',
    type: 'EMAIL',
  });
  const texts = privateTexts([
    exchange({ body, token: 'a.b.c' }),
    exchange({ status: 400, body: '{"name":"No Body"}' }),
  ]);
  expect([...texts].toSorted()).toEqual([
    ...['+5511987654321', '123456', '123456-7', '52998224725', 'Maria Souza', 'maria@example.com'],
  ]);
  expect(privateTexts([exchange({ token: `eyJ${'x'.repeat(40)}` })]).size).toBe(1);
});

test('a log line is reported when it contains personal data or a secret', () => {
  const log = '{"level":"info"}\n{"payer":"Maria Souza"}\n';
  expect(linesWith(new Set(['Maria Souza']), log)).toEqual(['Maria Souza in: {"payer":"Maria Souza"}']);
  expect(linesWith(new Set(['João Souza']), log)).toEqual([]);
});

test('a code is found where it stands alone, and not inside a longer number or id', () => {
  const codes = new Set(['256837']);
  for (const line of ['{"code":"256837"}', '{"code":256837}', 'Seu código: 256837.', 'code=256837&x'])
    expect(linesWith(codes, line)).toHaveLength(1);
  for (const line of ['{"Timestamp":1795306256837}', '2025-01-01T00:00:00.256837Z', '4256837-1', 'ab256837cd'])
    expect(linesWith(codes, line)).toEqual([]);
});
