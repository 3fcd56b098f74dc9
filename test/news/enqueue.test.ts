import { expect, test } from 'vitest';
import { enqueueAll, messagesOf } from '#shared/news/enqueue.ts';
import type { News } from '#shared/bank/ports/bank-events.ts';
import type { NewsMessage } from '#shared/news/news.ts';
import { parseNewsMessage } from '#shared/news/news.ts';
import { connectionId } from '../support/connected-items.ts';

const companyId = '00000000-0000-4000-8000-000000000001';
const messages = (count: number): readonly NewsMessage[] =>
  Array.from({ length: count }, (_, at) => ({ companyId, connectionId, news: { kind: 'PAYOUT', idEnvio: `${at}` } }));

test.each([0, 1, 10, 11, 5000])('%s messages are queued in batches of ten at most, each once', async (count) => {
  const sent: NewsMessage[] = [];
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

test('a batch that fails is told, although later ones are queued', async () => {
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

test.each([0, 1, 20, 21, 5000])('%s strangers need few messages, each of which can be read', (count) => {
  const news = (prefix: string) =>
    Array.from({ length: count }, (_, at): News => ({ kind: 'PAYOUT', idEnvio: `${prefix}${at}` }));
  const lanes = { own: news('o'), strangers: news('s') };
  const { own, strangers } = messagesOf({ companyId, connectionId }, lanes);
  const read = (all: readonly NewsMessage[]) => all.map((one) => parseNewsMessage(JSON.stringify(one)));
  expect(read(own)).toEqual(lanes.own.map((one) => ({ companyId, connectionId, news: [one] })));
  expect(read(strangers).flatMap((one) => one?.news ?? [])).toEqual(lanes.strangers);
  expect(strangers).toHaveLength(Math.ceil(count / 20));
});
