import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { allCapabilities } from '#shared/bank/capabilities.ts';
import type { ChargeAttempt } from '#shared/bank/ports/recurring-charges.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import { bankEventContext } from '#shared/bank-events/context.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { account, companyOne, otherCompany } from '../support/bank-world.ts';
import type { Said } from '../support/bank-attempts.ts';
import { attempt, attemptDay, attemptNumber } from '../support/bank-attempts.ts';
import { connectionId } from '../support/connected-items.ts';
import { collectErrors } from '../support/logged.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';
import { connect, readLists } from './bank-events-world.ts';

/** A cobr with attempts of several kinds and days: a first one, one after the due date, and the bank's own resends. */

const laterDay = '2026-01-22';
const failed = { code: 'FAIL' };
let world: PaymentWorld;
let bank: Awaited<ReturnType<typeof connect>>;
let firstId: string;
beforeEach(async () => {
  collectErrors();
  world = await paymentWorld({}, { allowChargeAfterDueDate: true });
  bank = await connect(world);
  world.bank.capabilities = () => Promise.resolve({ ...allCapabilities, retryOwner: 'bank', settlementDriver: 'bank' });
  world.bank.recurringCharges.prepare = () => Promise.resolve({});
  const [subscription] = world.items('SUBSCRIPTION');
  await world.store.writeOne({
    update: { PK: subscription!.PK, SK: subscription!.SK },
    set: { connection: connectionId },
    when: { is: 'present' },
  });
  ({ id: firstId } = await world.scheduled(paymentBody({ dueDate: attemptDay })));
});
afterEach(() => {
  vi.restoreAllMocks();
});

const hear = (...attempts: readonly ChargeAttempt[]) => {
  const txid = firstId.replaceAll('-', '');
  bank.known.charges.set(txid, { txid, idRec: 'RR9999999920261125abcdefghijk', state: { attempts } });
  const events: BankEvent = { kind: 'RECURRING_CHARGE', txid };
  return bank.hear(events);
};
const numbered = (place: number): string => `${attemptNumber.slice(0, -1)}${place}`;
const resend = (place: number, statuses: readonly Said[]): ChargeAttempt =>
  attempt(statuses, { kind: 'RESEND_DUE_TO_SETTLEMENT_ERROR', endToEndId: numbered(place) });
/** The same two days later. */
const onLaterDay = ({ history, ...rest }: ChargeAttempt): ChargeAttempt => ({
  ...{ ...rest, day: laterDay },
  history: history.map(({ status, at }) => ({ status, at: plusSeconds(at, 2 * 86_400) })),
});
const later = (statuses: readonly Said[], more: Partial<ChargeAttempt> = {}): ChargeAttempt =>
  onLaterDay(attempt(statuses, { kind: 'NEW_ATTEMPT_AFTER_DUE_DATE', endToEndId: numbered(5), ...more }));
const states = async () =>
  (await world.all()).map(({ status, purpose, settlementDate }) => `${settlementDate} ${purpose} ${status}`).toSorted();
/** The first attempt and its resend ended unpaid, and the partner asks for another one. */
const givenLater = async (...endedAttempts: readonly ChargeAttempt[]): Promise<void> => {
  world.clock.now = '2026-01-20T12:00:00.000Z';
  expect(await hear(...endedAttempts)).toBe('MOVED');
  await world.scheduled(
    paymentBody({ dueDate: laterDay, purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE', originalScheduledPaymentId: firstId }),
  );
};

test('a resend of an attempt after the due date takes its status from the cobr at its bank', async () => {
  const first = attempt(['REQUESTED', 'SCHEDULED', 'EXPIRED']);
  await givenLater(first);
  world.clock.now = '2026-01-22T12:00:00.000Z';
  const canceled = later(['REQUESTED', 'SCHEDULED', 'CANCELED'], failed);
  expect(await hear(first, canceled)).toBe('MOVED');
  const open = onLaterDay(resend(6, ['REQUESTED', 'SCHEDULED']));
  expect(await hear(first, canceled, open)).toBe('SAME');
  expect(await hear(first, canceled, onLaterDay(resend(6, ['REQUESTED', 'SCHEDULED', 'PAID'])))).toBe('MOVED');
  expect(await states()).toEqual([
    `${attemptDay} FIRST_ATTEMPT CANCELED_INSUFFICIENT_BALANCE`,
    `${laterDay} NEW_ATTEMPT_AFTER_DUE_DATE CANCELED`,
    `${laterDay} RESEND_DUE_TO_SETTLEMENT_ERROR COMPLETED`,
  ]);
});

test('an event of a cobr is MOVED when any attempt of the cobr has changed', async () => {
  const first = attempt(['REQUESTED', 'SCHEDULED', 'CANCELED'], failed);
  const second = resend(2, ['REQUESTED', 'SCHEDULED', 'EXPIRED']);
  await givenLater(first, second);
  const accepted = later(['REQUESTED', 'SCHEDULED']);
  expect(await hear(first, second, accepted)).toBe('MOVED');
  expect(await hear(first, second, accepted)).toBe('SAME');
  expect(await hear(first, second, later(['REQUESTED', 'SCHEDULED', 'EXPIRED']))).toBe('MOVED');
});

const credits = () =>
  world
    .items('LEDGER_ENTRY')
    .filter(({ kind }) => kind === 'PAY_IN' || kind === 'UNMATCHED_CREDIT')
    .map(({ kind }) => kind);

test('money for a charge that was rejected before is a credit at the connection that received it', async () => {
  await hear(attempt(['REQUESTED', 'REJECTED']));
  await hear(attempt(['REQUESTED', 'PAID']));
  expect(credits()).toEqual(['UNMATCHED_CREDIT']);
  const facts = { endToEndId: attemptNumber, accountId: account, connection: connectionId };
  expect(world.items('CREDIT')).toMatchObject([{ ...facts, status: 'OPEN', reason: 'TOO_LATE' }]);
  expect(world.items('BANK_PIX')).toMatchObject([{ companyId: companyOne }]);
});

test.each([
  ['is open', []],
  ['has ended unpaid', ['REJECTED']],
] as const)('a Pix that was credited to another company pays no charge that %s', async (_how, before) => {
  await hear(attempt(['REQUESTED', ...before]));
  const claim = { ...keys.claimedPix(attemptNumber), entity: 'BANK_PIX', companyId: otherCompany };
  await world.store.writeOne({ put: claim });
  const [charge] = await world.all();
  await expect(hear(attempt(['REQUESTED', 'SCHEDULED', 'PAID']))).rejects.toThrow('another company');
  expect([credits(), await world.all()]).toEqual([[], [charge]]);
});

test.each([
  ['the rec and the amount of the charge', {}, 1, 'COMPLETED'],
  ['another rec', { idRec: 'RR9999999920261125zzzzzzzzzzz' }, 0, 'PENDING'],
  ['another amount', { amount: centavos(4991) }, 0, 'PENDING'],
])(
  'a charge without a callback gets its status from the daily list when the list has %s',
  async (_what, changes, missed, is) => {
    world.clock.now = '2026-01-20T12:00:00.000Z';
    const txid = firstId.replaceAll('-', '');
    const idRec = world.items('SUBSCRIPTION')[0]?.['providerId'] as string;
    const state = { attempts: [attempt(['REQUESTED', 'SCHEDULED', 'PAID'])] };
    const unknownCharge = { txid: 'notOurs', idRec: 'RR9999999920261125zzzzzzzzzzz', state };
    bank.known.charges.set('notOurs', unknownCharge);
    bank.known.charges.set(txid, { txid, idRec, amount: centavos(4990), state, ...changes });
    const context = (await bankEventContext(bank.events, companyOne, connectionId))!;
    expect(await readLists(context, 'HOURLY')).toMatchObject({ missed: 0, failed: 0 });
    expect(await readLists(context, 'DAILY')).toMatchObject({ missed, failed: 0 });
    expect(await world.payment(firstId)).toMatchObject({ status: is });
  },
);
