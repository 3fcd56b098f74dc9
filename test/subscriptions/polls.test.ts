import { beforeEach, describe, expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { endpointFunction } from '#functions/workers.ts';
import { allCapabilities } from '#shared/bank/capabilities.ts';
import type { Capabilities } from '#shared/bank/capabilities.ts';
import { recurrenceTimeoutMs } from '#shared/bank/outcome.ts';
import type { FoundCommand } from '#shared/bank/outcome.ts';
import type { RecurrenceState } from '#shared/bank/ports/recurrences.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { recurrenceBankTimeMs, timeForBank } from '#shared/bank/submit-in-time.ts';
import { submitCancellation } from '#shared/subscriptions/cancel.ts';
import { readSubscription, withdrawalInsert } from '#shared/subscriptions/store.ts';
import { submitWithdrawal } from '#shared/subscriptions/withdraw.ts';
import { companyOne, noon } from '#test/support/bank-world.ts';
import { dueEntry } from '#test/support/due.ts';
import { runCounted } from '#test/support/run-jobs.ts';
import type { CreatedSubscription, SubscriptionWorld } from '#test/support/subscription-world.ts';
import { compositeBody, subscriptionBody, subscriptionWorld } from '#test/support/subscription-world.ts';
import { refused } from '#test/support/refusals.ts';

let world: SubscriptionWorld;
/** What the bank says when it is asked, and the hours at which it is. */
let found: FoundCommand<RecurrenceState>;
let asked: string[];
const bankCan = (more: Partial<Capabilities>): void => {
  world.bank.capabilities = () => Promise.resolve({ ...allCapabilities, ...more });
};
beforeEach(async () => {
  world = subscriptionWorld();
  await world.openAccount(0);
  bankCan({ isPolled: true });
  found = { outcome: 'DONE', state: { history: [] } };
  asked = [];
  const ask = () => {
    asked.push(world.clock.now);
    return Promise.resolve(found);
  };
  world.bank.recurrences.read = ask;
  world.bank.recurrences.cancel.find = ask;
});
const run = () =>
  runCounted({ ...world.deps, ...world.dueRun, bank: world.bank }, [['CANCELLATION_POLL', 'RECURRENCE_POLL']]);
const at = (minutes: number): void => {
  world.clock.now = plusSeconds(noon, minutes * 60);
};
/** The minutes after noon at which the bank is asked, by runs of every minute. */
const askedWithin = async (from: number, to: number): Promise<readonly number[]> => {
  for (let minute = from; minute <= to; minute += 1) {
    at(minute);
    await run();
  }
  return asked.splice(0).map((time) => (Date.parse(time) - Date.parse(noon)) / 60_000);
};
const setBankHistory = (...statuses: readonly RecurrenceState['history'][number]['status'][]) => {
  const history = statuses.map((status) => ({ status, at: world.clock.now }));
  found = { outcome: 'DONE', state: { history, payer: { document: { type: 'CPF', number: '52998224725' } } } };
};
type SubscriptionRecord = { readonly status: string; readonly cancellations: readonly { readonly status: string }[] };
const read = async ({ id }: CreatedSubscription) => (await world.get(id)).body as SubscriptionRecord;
const waiting = () => world.items().filter((item) => dueEntry(item)?.kind.endsWith('_POLL'));

describe('a recurrence that waits for its payer', () => {
  test('is polled after 5 and 30 minutes, then hourly', async () => {
    await world.created(subscriptionBody());
    expect(await askedWithin(0, 220)).toEqual([5, 30, 90, 150, 210]);
  });

  test('is accepted, and polled no more, when the bank reports its approval', async () => {
    const created = await world.created(subscriptionBody());
    at(5);
    setBankHistory('CREATED', 'APPROVED');
    await run();
    expect(await read(created)).toMatchObject({ status: 'ACCEPTED' });
    expect(waiting()).toEqual([]);
    expect(world.items('AUTHORIZATION_POLL')).toEqual([]);
  });

  test('is polled no more when its acceptance came by another way', async () => {
    const created = await world.created(subscriptionBody());
    await world.forceSubscription(created.id, 'ACCEPTED');
    at(5);
    await run();
    expect([asked, world.items('AUTHORIZATION_POLL')]).toEqual([[], []]);
  });

  test('is polled again at its next time when the bank does not answer', async () => {
    await world.created(subscriptionBody());
    found = { outcome: 'UNKNOWN' };
    at(5);
    expect(await run()).toMatchObject({ failed: 1 });
    expect(await askedWithin(6, 40)).toEqual([5, 30]);
  });

  test('is moved once by two runs at once', async () => {
    const created = await world.created(subscriptionBody());
    at(5);
    setBankHistory('CREATED', 'APPROVED', 'CANCELED');
    await Promise.all([run(), run()]);
    expect(await read(created)).toMatchObject({ status: 'CANCELED' });
    expect(world.notified().map(({ event }) => event)).toEqual(['SUBSCRIPTION.ACCEPTED', 'SUBSCRIPTION.CANCELED']);
  });
});

describe('a cancellation that the bank answered with UNKNOWN', () => {
  test('is submitted again by one of two concurrent workers, even when the bank’s lookup does not show it yet', async () => {
    const { id } = await world.created(subscriptionBody());
    await world.forceSubscription(id, 'ACCEPTED');
    found = { outcome: 'NEVER_SEEN' };
    let submitted = 0;
    world.bank.recurrences.cancel.submit = () => {
      submitted += 1;
      return Promise.resolve({ outcome: 'UNKNOWN' });
    };
    const body = { reason: 'REQUESTED_BY_RECEIVER' };
    await world.cancel({ companyId: companyOne, key: 'k', params: { id }, body });
    at(3);
    const submit = () =>
      runCounted({ ...world.deps, ...world.dueRun, bank: world.bank }, [['RECURRENCE_CANCELLATION']]);
    await Promise.all([submit(), submit()]);
    expect(submitted).toBe(2);
  });
});

describe('an open cancellation', () => {
  let created: CreatedSubscription;
  beforeEach(async () => {
    created = await world.created(subscriptionBody());
    await world.forceSubscription(created.id, 'ACCEPTED');
    await run();
    const body = { reason: 'REQUESTED_BY_RECEIVER' };
    await world.cancel({ companyId: companyOne, key: 'k', params: { id: created.id }, body });
  });

  test('is polled every hour until the bank has carried it out', async () => {
    expect(await askedWithin(6, 130)).toEqual([60, 120]);
    setBankHistory('CREATED', 'APPROVED', 'CANCELED');
    at(180);
    await run();
    expect(await read(created)).toMatchObject({ status: 'CANCELED', cancellations: [{ status: 'ACCEPTED' }] });
    expect(waiting()).toEqual([]);
  });

  test('is rejected, and polled no more, when the bank refuses it', async () => {
    found = { outcome: 'REFUSED', reason: 'No.' };
    at(60);
    await run();
    expect(await read(created)).toMatchObject({ status: 'ACCEPTED', cancellations: [{ status: 'REJECTED' }] });
    expect(waiting()).toEqual([]);
  });
});

test('a bank that reports every change itself is never polled, and no poll is written for it', async () => {
  bankCan({});
  const created = await world.created(subscriptionBody());
  await world.forceSubscription(created.id, 'ACCEPTED');
  const body = { reason: 'REQUESTED_BY_RECEIVER' };
  await world.cancel({ companyId: companyOne, key: 'k', params: { id: created.id }, body });
  expect(world.items('AUTHORIZATION_POLL')).toEqual([]);
  expect(waiting()).toEqual([]);
});

describe('a subscription at a bank with few capabilities', () => {
  const nothing = () => Promise.reject(new Error('It was asked.'));
  test.each([
    ['journey 2 at a bank without recurrences', { recurrences: false }, subscriptionBody],
    ['journey 3 at a bank without recurrences', { recurrences: false }, compositeBody],
    ['journey 3 at a bank without charges', { charges: false }, compositeBody],
  ])('is refused with 409 on the account before anything is written, in %s', async (_name, lacks, body) => {
    bankCan(lacks);
    world.bank.recurrences.open.submit = nothing;
    world.bank.charges.open.submit = nothing;
    const before = world.items().length;
    const response = await world.send(body());
    refused(response, 409, ['accountId:INVALID_VALUE']);
    expect(world.items().length).toBe(before);
  });

  test('is created in journey 2 when the bank has no charges', async () => {
    bankCan({ charges: false });
    expect((await world.send(subscriptionBody())).status).toBe(201);
  });
});

describe('the functions that wait for recurrences', () => {
  test('have the time of their bank, and two seconds to write what it said', () => {
    for (const { contract, timeoutSeconds = endpointFunction.timeoutSeconds } of routes) {
      const isWaiting = ['createSubscription', 'cancelSubscription'].includes(contract.operationId);
      const bankTimeMs = isWaiting ? recurrenceBankTimeMs : timeForBank(() => 0)();
      expect(timeoutSeconds * 1000 - bankTimeMs, contract.operationId).toBeGreaterThanOrEqual(2000);
    }
    expect(recurrenceBankTimeMs, 'a command and its lookup').toBeGreaterThan(2 * recurrenceTimeoutMs);
  });

  test('begin no call that could outlast them', async () => {
    const calls: string[] = [];
    let elapsed = 0;
    world.deps.elapsedMs = () => elapsed;
    const late = (call: string) => () => {
      calls.push(call);
      elapsed += recurrenceBankTimeMs - recurrenceTimeoutMs + 1;
      return Promise.resolve({ outcome: 'UNKNOWN' } as const);
    };
    world.bank.recurrences.open = { submit: late('open'), find: late('find') };
    refused(await world.send(subscriptionBody()), 503);
    expect(calls).toEqual(['open']);
  });

  test.each([1, 0])('cancel no recurrence when their time is %i ms too short', async (missing) => {
    const calls: string[] = [];
    const end = (call: string) => () => {
      calls.push(call);
      return Promise.resolve({ outcome: 'NOT_NOW', cause: 'x' } as const);
    };
    const asked = await world.created(subscriptionBody());
    await world.forceSubscription(asked.id, 'ACCEPTED');
    world.bank.recurrences.cancel = { submit: end('cancel'), find: end('find') };
    await world.cancel({
      ...{ companyId: companyOne, key: 'k', params: { id: asked.id } },
      body: { reason: 'FRAUD_SUSPICION' },
    });
    calls.length = 0;
    const context = { ...world.deps, companyId: companyOne, requestId: 'r', at: world.clock.now };
    const remainingMs = () => recurrenceTimeoutMs - missing;
    const current = (await readSubscription(world.store, companyOne, asked.id, 'LATEST'))!;
    await submitCancellation({ ...context, remainingMs }, current, { again: false });
    expect(calls).toEqual(missing > 0 ? [] : ['cancel']);
    const withdrawal = {
      ...{ subscriptionId: asked.id, recurrenceId: asked.providerId },
      ...{ connection: 'c', createdAt: world.clock.now },
    };
    await world.store.write([withdrawalInsert(companyOne, withdrawal)], 'withdrawal');
    calls.length = 0;
    await submitWithdrawal({ ...context, at: plusSeconds(context.at, 3600), remainingMs }, asked.id);
    expect(calls).toEqual(missing > 0 ? [] : ['cancel']);
  });
});
