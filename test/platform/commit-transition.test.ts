import { beforeEach, describe, expect, test, vi } from 'vitest';
import { centavos } from '#shared/core/money.ts';
import type { LedgerPosting } from '#shared/platform/ledger/ledger.ts';
import type { Transition } from '#shared/platform/commit-transition.ts';
import { commitTransition } from '#shared/platform/commit-transition.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { memoryStore } from '../support/memory-store.ts';

const companyId = 'company-a';
const at = '2026-03-10T12:00:00.000Z';

let store = memoryStore();
let lines: string[] = [];
beforeEach(() => {
  store = memoryStore();
  lines = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
});

const context = () => ({ store, companyId, realNow: () => at });
const read = () => Promise.resolve('read');
const put = (id: string) => ({ put: keys.order(companyId, id), when: { is: 'absent' } }) as const;
const change = (more: Partial<Transition<string>> = {}): Transition<string> => ({
  ...{ writes: [put('o')], reached: [['PAY_IN', 'PAID']], result: 'done' },
  ...more,
});
type Metrics = { readonly _aws: { readonly CloudWatchMetrics: readonly { readonly Metrics: readonly unknown[] }[] } };
/** What the log counts, as `PAY_IN PAID 1`. */
const counted = () =>
  lines.map((line) => {
    const parsed = JSON.parse(line) as Record<string, unknown> & Metrics;
    expect(parsed._aws.CloudWatchMetrics[0]?.Metrics).toEqual([{ Name: 'StatusReached', Unit: 'Count' }]);
    return [parsed['resource'], parsed['status'], parsed['StatusReached']].join(' ');
  });

describe('a transition', () => {
  test('gives its result when it is committed, by the clock of the machine, and counts what it reached', async () => {
    const notification = { id: 'd', event: 'E', body: '{}', requestId: 'r' };
    const target = { type: 'PAYIN' } as const;
    const decided = change({ notifications: [{ ...notification, resource: { type: 'PAY_IN', id: 'o' }, target }] });
    expect(await commitTransition(context(), read, () => decided)).toBe('done');
    const [delivery] = await store.read([keys.delivery(companyId, 'd')]);
    expect(delivery).toMatchObject({ createdAt: at });
    expect(counted()).toEqual(['PAY_IN PAID 1']);
  });

  test('counts no status when it reaches none', async () => {
    const { reached: _reached, ...silent } = change();
    expect(await commitTransition(context(), read, () => silent)).toBe('done');
    expect(lines).toEqual([]);
  });

  test('writes no item and returns the unchanged state when it has no change', async () => {
    expect(await commitTransition(context(), read, () => ({ unchanged: 'as it was' }))).toBe('as it was');
    expect([store.all(), lines]).toEqual([[], []]);
  });

  test('is read and decided again after a conflict, and counted once', async () => {
    const seen: string[] = [];
    await store.write([put('o')], 'other');
    const decided = await commitTransition(
      context(),
      () => Promise.resolve(`read ${seen.length + 1}`),
      (current) => {
        seen.push(current);
        return change({ writes: [put(seen.length === 1 ? 'o' : 'o2')] });
      },
    );
    expect([decided, seen]).toEqual(['done', ['read 1', 'read 2']]);
    expect(counted()).toEqual(['PAY_IN PAID 1']);
  });

  test('is refused with the reason, and counts no status, when its account does not take the posting', async () => {
    const balance = { accountId: 'a', accountStatus: 'ACTIVE', available: 99, reserved: 0, updatedAt: at };
    await store.write([{ put: { ...keys.balance(companyId, 'a'), ...balance } }], 'opened');
    const taken: LedgerPosting = {
      ...{ accountId: 'a', kind: 'PAYOUT_RESERVED', available: centavos(-100), reserved: centavos(100) },
      ...{ at, entryId: 'e' },
    };
    await expect(commitTransition(context(), read, () => change({ ledger: [taken] }))).rejects.toThrow(
      'The account has not enough balance.',
    );
    expect(await store.read([keys.order(companyId, 'o')])).toEqual([undefined]);
    expect(lines).toEqual([]);
  });
});
