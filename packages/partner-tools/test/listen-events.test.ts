import { expect, test } from 'vitest';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readEvents } from '#partner-tools/listen/events.ts';
import { inTurn } from '#partner-tools/listen/follow.ts';

test.each([
  [undefined, []],
  ['ORDER-PAYIN.PAID', ['ORDER-PAYOUT.PAID', 'SUBSCRIPTION.ACCEPTED']],
  ['payin.paid, subscription.*', ['ORDER-PAYOUT.PAID']],
  ['*', []],
  ['credit.*,payout.paid', ['ORDER-PAYIN.PAID', 'SUBSCRIPTION.ACCEPTED']],
  ['payin.p', ['ORDER-PAYIN.PAID', 'ORDER-PAYOUT.PAID', 'SUBSCRIPTION.ACCEPTED']],
])('--events %s leaves out %j', (text, left) => {
  const all = ['ORDER-PAYIN.PAID', 'ORDER-PAYOUT.PAID', 'SUBSCRIPTION.ACCEPTED'];
  expect(all.filter(readEvents(text))).toEqual(left);
});

test('--events is refused when it contains a malformed event name', () => {
  for (const text of ['', 'payin paid', 'payin.paid,', '*.paid'])
    expect(() => readEvents(text), text).toThrow(`--events ${text} does not name events.`);
});

test('a listener has four calls under way, those by hand included, and makes all of them', async () => {
  let [underWay, most, completed] = [0, 0, 0];
  const call = inTurn(async (fails: boolean) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await nextTurn();
    underWay -= 1;
    completed += 1;
    if (fails) throw new Error('broken');
  });
  const outcomes = await Promise.allSettled(Array.from({ length: 13 }, (_, at) => call(at % 3 === 0)));
  expect([most, completed, underWay]).toEqual([4, 13, 0]);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(5);
});
