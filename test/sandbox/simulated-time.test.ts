import { describe, expect, test } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { clockJobKinds } from '#shared/sandbox/clock.ts';
import { offsetWrite, simulatedCompanyIds } from '#shared/sandbox/clock-store.ts';
import type { DueWork } from '#shared/platform/jobs/due.ts';
import type { DueKind } from '#shared/platform/jobs/due-kinds.ts';
import { dueKinds, realTimeKinds } from '#shared/platform/jobs/due-kinds.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import * as realTime from '#shared/platform/no-sandbox.ts';
import * as simulatedTime from '#shared/sandbox/simulated-time.ts';
import { companyOne, noon, otherCompany } from '#test/support/bank-world.ts';

function counted(): { store: Store; calls: string[] } {
  const memory = memoryStore();
  const calls: string[] = [];
  const store: Store = {
    ...memory,
    read: (keys) => {
      calls.push(keys.map(({ SK }) => SK).join(' '));
      return memory.read(keys);
    },
    query: (query) => {
      calls.push(query.partition);
      return memory.query(query);
    },
  };
  return { store, calls };
}
const now = (): string => noon;

describe('the dependencies of a request, where time is simulated', () => {
  test('have the clock and the bank profile of the company that calls, for one read', async () => {
    const { store, calls } = counted();
    await store.write([offsetWrite(companyOne, { from: 0, to: 5000 })], 't');
    const shared = { store, now, realNow: now, name: 'kept' };
    const ownDependencies = await simulatedTime.dependenciesOf(shared, companyOne);
    expect([ownDependencies.now(), ownDependencies.realNow(), ownDependencies.name]).toEqual([
      plusSeconds(noon, 5),
      noon,
      'kept',
    ]);
    expect(calls).toEqual(['CLOCK BANK_PROFILE']);
    expect((await simulatedTime.dependenciesOf(shared, otherCompany)).now()).toBe(noon);
  });

  test.each([
    ['needs no time', (store: Store) => ({ store })],
    ['needs only the time of the machine', (store: Store) => ({ store, realNow: now })],
  ])('cost no read when the operation %s', async (_name, buildDependencies) => {
    const { store, calls } = counted();
    await store.write([offsetWrite(companyOne, { from: 0, to: 5000 })], 't');
    const shared = buildDependencies(store);
    expect(await simulatedTime.dependenciesOf(shared, companyOne)).toBe(shared);
    expect(calls).toEqual([]);
  });
});

describe('due work of the minute', () => {
  async function* found(...kinds: readonly DueKind[]) {
    const companies = [companyOne, otherCompany];
    const jobs = kinds.flatMap((kind) =>
      companies.map((companyId): DueWork => ({ kind, companyId, id: 'i', dueAt: noon })),
    );
    yield* await Promise.resolve(jobs);
  }
  const seen = async (dueWork: AsyncIterable<DueWork>): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { companyId } of dueWork) ids.push(companyId);
    return ids;
  };

  test('leaves out companies whose clock is turned, by one read of their list', async () => {
    const { store, calls } = counted();
    await store.write([offsetWrite(companyOne, { from: 0, to: 5000 })], 't');
    expect(await seen(simulatedTime.dueInRealTime(store, found('PAY_IN_EXPIRY')))).toEqual([otherCompany]);
    expect(calls).toEqual(['CLOCKS']);
    expect([...(await simulatedCompanyIds(store))]).toEqual([companyOne]);
  });

  test.each(realTimeKinds)(
    'includes %s of companies with a clock of their own, because this kind follows real time',
    async (kind) => {
      const { store, calls } = counted();
      await store.write([offsetWrite(companyOne, { from: 0, to: 5000 })], 't');
      expect(await seen(simulatedTime.dueInRealTime(store, found(kind)))).toHaveLength(2);
      expect(calls).toEqual([]);
    },
  );

  test('follows the clock of each kind where kinds of both are in one family', async () => {
    const { store, calls } = counted();
    await store.write([offsetWrite(companyOne, { from: 0, to: 5000 })], 't');
    const dueWork = simulatedTime.dueInRealTime(store, found('PAYOUT_SUBMISSION', 'PAYOUT_POLL', 'PAYOUT_SUBMISSION'));
    expect(await seen(dueWork)).toEqual([otherCompany, companyOne, otherCompany, otherCompany]);
    expect(calls).toEqual(['CLOCKS']);
  });

  test('costs no read of the turned clocks when no work is due', async () => {
    const { store, calls } = counted();
    // eslint-disable-next-line @typescript-eslint/require-await -- nothing is due
    async function* nothing(): AsyncGenerator<DueWork> {
      return;
    }
    await seen(simulatedTime.dueInRealTime(store, nothing()));
    expect(calls).toEqual([]);
  });
});

test('time in production is real: dependencies and due work stay unchanged, and no item is read', async () => {
  const { store, calls } = counted();
  await store.write([offsetWrite(companyOne, { from: 0, to: 5000 })], 't');
  const shared = { store, now, realNow: now };
  expect(await realTime.dependenciesOf(shared, companyOne)).toBe(shared);
  const source = (async function* () {
    yield* await Promise.resolve([] as DueWork[]);
  })();
  expect(realTime.dueInRealTime(store, source)).toBe(source);
  expect(calls).toEqual([]);
});

test('every kind of due work follows one of the two clocks', () => {
  expect([...clockJobKinds, ...realTimeKinds].toSorted()).toEqual([...dueKinds].toSorted());
});
