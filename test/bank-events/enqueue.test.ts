import { expect, test } from 'vitest';
import { enqueueAll, messagesOf } from '#shared/bank-events/enqueue.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import type { BankEventMessage } from '#shared/bank-events/messages.ts';
import { parseBankEventMessage } from '#shared/bank-events/messages.ts';
import { connectionId } from '../support/connected-items.ts';

const companyId = '00000000-0000-4000-8000-000000000001';
const messages = (count: number): readonly BankEventMessage[] =>
  Array.from({ length: count }, (_, at) => ({ companyId, connectionId, events: { kind: 'PAYOUT', idEnvio: `${at}` } }));

test.each([0, 1, 10, 11, 5000])('%s messages are queued in batches of ten at most, each once', async (count) => {
  const sent: BankEventMessage[] = [];
  const all = messages(count);
  const isComplete = await enqueueAll(all, async (batch) => {
    expect(batch.length).toBeLessThanOrEqual(10);
    await Promise.resolve();
    sent.push(...batch);
    return true;
  });
  expect(isComplete).toBe(true);
  expect(sent).toEqual(all);
});

test('a failed batch makes the result false, although later batches are queued', async () => {
  let calls = 0;
  const isComplete = await enqueueAll(messages(500), async () => {
    const call = (calls += 1);
    // The first answer comes last.
    for (let turns = 0; turns < (call === 1 ? 1 : 5); turns += 1) await Promise.resolve();
    return call !== 1;
  });
  expect(isComplete).toBe(false);
  expect(calls).toBeLessThan(50);
});

test.each([0, 1, 20, 21, 5000])(
  '%s events of unknown ids are packed 20 to a message, and each message can be parsed',
  (count) => {
    const events = (prefix: string) =>
      Array.from({ length: count }, (_, at): BankEvent => ({ kind: 'PAYOUT', idEnvio: `${prefix}${at}` }));
    const lanes = { own: events('o'), unknown: events('s') };
    const { own, unknown } = messagesOf({ companyId, connectionId }, lanes);
    const read = (all: readonly BankEventMessage[]) => all.map((one) => parseBankEventMessage(JSON.stringify(one)));
    expect(read(own)).toEqual(lanes.own.map((one) => ({ companyId, connectionId, events: [one] })));
    expect(read(unknown).flatMap((one) => one?.events ?? [])).toEqual(lanes.unknown);
    expect(unknown).toHaveLength(Math.ceil(count / 20));
  },
);
