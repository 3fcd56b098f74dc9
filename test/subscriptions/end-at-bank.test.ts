import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { showUnanswered } from '#infra/operator/bank-unanswered.ts';
import { allCapabilities } from '#shared/bank/capabilities.ts';
import type { CommandOutcome, FoundCommand, RequestContext } from '#shared/bank/outcome.ts';
import type { CancellationOrder, RecurrenceState } from '#shared/bank/ports/recurrences.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { applyChargeState } from '#shared/pay-ins/apply-state.ts';
import { applyRecurrenceState } from '#shared/subscriptions/apply-state.ts';
import { endWaitingSubscription } from '#shared/subscriptions/first-charge.ts';
import { companyOne } from '../support/bank-world.ts';
import { dueEntry } from '../support/due.ts';
import { collectErrors } from '../support/logged.ts';
import { runCounted } from '../support/run-jobs.ts';
import type { CreatedSubscription, SubscriptionWorld } from '../support/subscription-world.ts';
import { compositeBody, subscriptionBody, subscriptionWorld } from '../support/subscription-world.ts';
import { connectionOne, twoConnections } from '../support/two-connections.ts';

/** A subscription that the service ends by itself ends at the bank that has its recurrence, too. */

let world: SubscriptionWorld;
let created: CreatedSubscription;
let orderId: string;
let errors: ReturnType<typeof collectErrors>;
/** What the bank is asked to end, and what it says of it. */
let asked: string[];
let submitted: CommandOutcome<RecurrenceState>;
let found: FoundCommand<RecurrenceState>;
beforeEach(async () => {
  errors = collectErrors();
  world = subscriptionWorld();
  await world.openAccount(0);
  twoConnections(world.bank);
  asked = [];
  submitted = stateOf('CREATED', 'CANCELED');
  found = { outcome: 'NEVER_SEEN' };
  const asking =
    <Said>(call: string, respond: () => Said) =>
    ({ recurrenceId }: CancellationOrder, { connection }: RequestContext) => {
      asked.push(`${call} ${recurrenceId} ${connection}`);
      return Promise.resolve(respond());
    };
  world.bank.recurrences.cancel = { submit: asking('submit', () => submitted), find: asking('find', () => found) };
  created = await world.created(compositeBody());
  orderId = created.initialCharge?.orderId ?? '';
});
afterEach(() => {
  vi.restoreAllMocks();
});

function stateOf(...statuses: readonly RecurrenceState['history'][number]['status'][]) {
  const history = statuses.map((status) => ({ status, at: world.clock.now }));
  return { outcome: 'DONE', state: { history, endedBy: 'RECEIVER' } } as const;
}
const later = (seconds: number): void => {
  world.clock.now = plusSeconds(world.clock.now, seconds);
};
const run = (kind: 'RECURRENCE_CANCELLATION' | 'RECURRENCE_END' = 'RECURRENCE_CANCELLATION') =>
  runCounted({ ...world.deps, ...world.dueRun, bank: world.bank }, [[kind]]);
const due = () =>
  world
    .items()
    .filter((item) => dueEntry(item)?.kind === 'RECURRENCE_CANCELLATION')
    .map(({ entity }) => entity);
const status = async ({ id } = created) => ((await world.get(id)).body as { readonly status: string }).status;
const events = () => world.notified().map(({ event }) => event);
const context = () => ({ ...world.deps, at: world.clock.now, companyId: companyOne, requestId: 'r' });
const call = (name: 'submit' | 'find') => `${name} ${created.providerId} ${connectionOne}`;

const expire = async (): Promise<void> => {
  later(86_401);
  expect(await world.expirePayIns()).toEqual({ expired: 1, failed: 0 });
};
const drop = () =>
  applyChargeState({ ...context(), alsoEnds: endWaitingSubscription }, orderId, { status: 'DROPPED', payments: [] });
const cancel = () => world.cancelPayIn({ companyId: companyOne, params: { id: orderId } });

describe('a subscription whose first charge ended unpaid', () => {
  test.each<[how: string, end: () => Promise<unknown>, becomes: string]>([
    ['its expiry', expire, 'REJECTED'],
    ['the bank', drop, 'REJECTED'],
    ['the partner', cancel, 'CANCELED'],
  ])('is canceled once at the bank of its recurrence when the charge was ended by %s', async (_how, end, becomes) => {
    const commits: unknown[][] = [];
    const { write } = world.store;
    world.store.write = (writes, ...more) => {
      commits.push(writes.flatMap((one) => ('put' in one ? [one.put['entity']] : [])));
      return write(writes, ...more);
    };
    await end();
    expect(await status()).toBe(becomes);
    expect(commits.find((entities) => entities.includes('SUBSCRIPTION'))).toEqual(
      expect.arrayContaining(['PAY_IN', 'SUBSCRIPTION', 'RECURRENCE_WITHDRAWAL']),
    );
    const eventsBefore = events();
    expect((await run()).count('CommandsSubmitted')).toBe(1);
    expect(asked).toEqual([call('submit')]);
    later(3600);
    await run();
    expect([asked, due()]).toEqual([[call('submit')], []]);
    expect([await status(), events(), errors]).toEqual([becomes, eventsBefore, []]);
  });

  test.each([{ outcome: 'NOT_NOW', cause: 'paused' }, { outcome: 'UNKNOWN' }] as const)(
    'is canceled at the bank later, without an error in the log, when the bank first responds %j',
    async (first) => {
      submitted = first;
      await expire();
      await run();
      expect([due(), errors]).toEqual([['RECURRENCE_WITHDRAWAL'], []]);
      submitted = stateOf('CREATED', 'CANCELED');
      later(3600);
      await run();
      expect(asked.filter((one) => one === call('submit'))).toHaveLength(2);
      expect([due(), errors, await status()]).toEqual([[], [], 'REJECTED']);
    },
  );

  test('stays as it ended where the payer authorized its recurrence in between: the bank cancels it', async () => {
    submitted = stateOf('CREATED', 'APPROVED', 'CANCELED');
    await expire();
    const eventsBefore = events();
    await run();
    // A callback or a list has it again.
    await applyRecurrenceState(context(), created.id, submitted.state);
    expect([await status(), events(), errors]).toEqual(['REJECTED', eventsBefore, []]);
    expect(due()).toEqual([]);
  });

  test('has its cancellation looked up before it is submitted again when the bank answered UNKNOWN', async () => {
    await cancel();
    submitted = { outcome: 'UNKNOWN' };
    expect(await run()).toMatchObject({ failed: 1 });
    later(60);
    await run();
    expect(asked, 'not before its reads show it').toEqual([call('submit')]);
    submitted = stateOf('CREATED', 'CANCELED');
    later(60);
    await run();
    expect(asked).toEqual([call('submit'), call('find'), call('submit')]);
    expect(due()).toEqual([]);
  });

  test('has its cancellation submitted once when the bank answered UNKNOWN and the lookup shows it', async () => {
    await cancel();
    submitted = { outcome: 'UNKNOWN' };
    await run();
    found = stateOf('CREATED', 'CANCELED');
    later(120);
    await run();
    expect(asked).toEqual([call('submit'), call('find')]);
    expect(due()).toEqual([]);
  });

  test('has its cancellation submitted by one of two concurrent workers', async () => {
    await cancel();
    await Promise.all([run(), run()]);
    expect(asked).toEqual([call('submit')]);
  });

  test.each(['REJECTED', 'CANCELED', 'EXPIRED'] as const)(
    'needs no further command when the bank refuses because its recurrence is %s',
    async (reportedStatus) => {
      await cancel();
      submitted = { outcome: 'REFUSED', reason: 'It has ended.' };
      found = stateOf('CREATED', reportedStatus);
      expect((await run()).count('CommandsSubmitted')).toBe(1);
      await applyRecurrenceState(context(), created.id, found.state);
      expect([due(), errors, await status()]).toEqual([[], [], 'CANCELED']);
    },
  );

  test('is reported once where the bank refuses to end a recurrence that is open', async () => {
    await expire();
    submitted = { outcome: 'REFUSED', reason: 'No.' };
    await run();
    later(3600);
    await run();
    const where = { companyId: companyOne, subscriptionId: created.id, said: 'REFUSED' };
    expect(errors).toEqual([{ level: 'error', message: 'Bank event contradicts a final status', ...where }]);
    expect([due(), await status()]).toEqual([[], 'REJECTED']);
  });

  test('is listed for the operator while the bank does not say whether it has the command', async () => {
    await cancel();
    const since = world.clock.now;
    submitted = { outcome: 'UNKNOWN' };
    found = { outcome: 'UNKNOWN' };
    for (let minute = 0; minute < 60; minute += 2) {
      await run();
      later(120);
    }
    const list = await showUnanswered({ store: world.store, now: () => world.clock.now });
    expect(list).toEqual([{ companyId: companyOne, command: 'RECURRENCE_CANCELLATION', id: created.id, since }]);
  });
});

test('a subscription of the simulated bank is canceled without a command to a bank', async () => {
  world = subscriptionWorld();
  await world.openAccount(0);
  created = await world.created(compositeBody());
  orderId = created.initialCharge?.orderId ?? '';
  await cancel();
  expect(await status()).toBe('CANCELED');
  expect([world.items('RECURRENCE_WITHDRAWAL'), due()]).toEqual([[], []]);
});

test('a subscription whose time is over is ended at its bank, too, where the service ends it', async () => {
  world.bank.capabilities = () => Promise.resolve(allCapabilities);
  created = await world.created(subscriptionBody({ endDate: '2026-03-01' }));
  world.clock.now = '2026-03-02T12:00:00.000Z';
  await run('RECURRENCE_END');
  expect([await status(), due()]).toEqual(['CANCELED', ['RECURRENCE_WITHDRAWAL']]);
  await run();
  expect([asked, due()]).toEqual([[call('submit')], []]);
});

test('a withdrawal by the partner that the bank refuses is reported: its recurrence is open there', async () => {
  submitted = { outcome: 'REFUSED', reason: 'No.' };
  const body = { reason: 'FRAUD_SUSPICION' };
  const response = await world.cancel({ companyId: companyOne, key: 'k', params: { id: created.id }, body });
  expect([response.status, await status(), due()]).toEqual([201, 'CANCELED', []]);
  expect(errors).toMatchObject([{ subscriptionId: created.id, said: 'REFUSED' }]);
  expect(world.items('RECURRENCE_WITHDRAWAL'), 'its request is the command').toEqual([]);
});
