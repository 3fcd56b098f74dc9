import { expect, test } from 'vitest';
import { transitionsOf } from '#console/page/requests.ts';
import { operationIds } from '#console/protocol.ts';
import type { Resource } from '#functions/transitions.ts';
import { transitions } from '#functions/transitions.ts';

const resources = Object.keys(transitions) as Resource[];
/** No tool forces these: refunds end with their pay-in, credits with their returns, keys with their code. */
const withoutTool: readonly Resource[] = ['REFUND', 'CREDIT', 'CREDIT_RETURN', 'KEY_VALIDATION'];

test.each(resources)('the moves of %s are the bank’s rows of its table, and no others', (resource) => {
  const { bank, service } = transitions[resource];
  const statuses = [...new Set([...bank, ...service].flatMap(([from, , to]) => [from, to]))];
  expect(statuses.length).toBeGreaterThan(1);
  for (const status of statuses) {
    const shown = transitionsOf(resource, status, 'an-id');
    const rows = bank.filter(([from]) => from === status).map(([, trigger]) => trigger);
    expect(shown.map(({ trigger }) => trigger)).toEqual(withoutTool.includes(resource) ? [] : rows);
    for (const { trigger, asked } of shown) {
      expect(Object.keys(operationIds)).toContain(asked.operation);
      expect(asked.body).toEqual({ id: 'an-id', status: trigger });
    }
  }
});
