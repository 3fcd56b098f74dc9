import { describe, expect, test } from 'vitest';
import type { Instant, LocalDate } from '#shared/core/brasilia-time.ts';
import { instantAt, plusDays } from '#shared/core/brasilia-time.ts';
import { cycleStart } from '#shared/scheduled-payments/cycle.ts';
import { frequencies } from '#shared/subscriptions/model.ts';
import { fc } from '#test/support/properties.ts';
import type { PaymentRecord, PaymentWorld } from '#test/support/payment-world.ts';
import { paymentBody, paymentWorld } from '#test/support/payment-world.ts';
import { each } from '#test/support/each.ts';
import { refused } from '#test/support/refusals.ts';

/**
 * A year of a recurrence in production's windows, for each frequency: every cycle has its charge, made at the
 * beginning, and a fate. What the service holds at the end is compared with what the fates alone say.
 */
const fates = [
  'paid',
  'refused',
  'unpaid, paid two days later',
  'unpaid for good',
  'error, another first attempt paid',
  'withdrawn at 21:59',
  'withdrawn too late at 22:01, paid',
  'one settlement error, paid',
  'three settlement errors, paid',
  'four settlement errors',
  'settlement error at 20:59, seen at 21:00',
] as const;
type Fate = (typeof fates)[number];
const isPaid = (fate: Fate): boolean => fate.endsWith('paid') || fate.endsWith('later');

const perYear = { WEEKLY: 52, MONTHLY: 12, QUARTERLY: 4, SEMIANNUAL: 2, ANNUAL: 1 } as const;
/** A Saturday, 31 January: weekends are moved, and most months lack the day. */
const startDate = '2026-01-31';
const begins = '2026-01-12';
const centavos = 4990;

type Happening = { readonly at: Instant; readonly run: () => Promise<void> };

/** Happenings in the order of their time, those that are added on the way too. */
async function lived(world: PaymentWorld, happenings: Happening[]): Promise<void> {
  for (;;) {
    happenings.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    const next = happenings.shift();
    if (next === undefined) return;
    world.clock.now = next.at;
    await next.run();
  }
}

function fateOf(world: PaymentWorld, payment: PaymentRecord, fate: Fate, happenings: Happening[]): void {
  const day = payment.settlementDate;
  const on = (date: LocalDate, time: string, run: () => Promise<void>): void => {
    happenings.push({ at: instantAt(date, time), run });
  };
  const force = (...moves: readonly string[]) => world.forced(payment.id, ...moves);
  on(plusDays(day, -10), '00:00', async () => {
    expect((await world.payment(payment.id)).status).toBe('INITIAL');
    await world.advance();
    expect((await world.payment(payment.id)).status).toBe('PENDING');
  });
  if (fate === 'refused') {
    on(plusDays(day, -5), '12:00', () => force('REJECTED'));
    return;
  }
  on(plusDays(day, -2), '12:00', () => force('ACCEPTED'));
  const eve = plusDays(day, -1);
  switch (fate) {
    case 'paid':
      on(day, '08:00', () => force('COMPLETED'));
      return;
    case 'unpaid for good':
      on(day, '20:30', () => force('CANCELED_INSUFFICIENT_BALANCE'));
      return;
    case 'unpaid, paid two days later':
      on(day, '20:30', async () => {
        await force('CANCELED_INSUFFICIENT_BALANCE');
        const body = { purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE', originalScheduledPaymentId: payment.id };
        const again = await world.scheduled(paymentBody({ ...body, dueDate: plusDays(day, 2), amount: undefined }));
        on(again.settlementDate, '09:00', () => world.forced(again.id, 'ACCEPTED', 'COMPLETED'));
      });
      return;
    case 'error, another first attempt paid':
      on(eve, '12:00', async () => {
        await force('ERROR');
        const again = await world.scheduled(paymentBody({ dueDate: plusDays(payment.dueDate, 3) }));
        on(again.settlementDate, '09:00', () => world.forced(again.id, 'ACCEPTED', 'COMPLETED'));
      });
      return;
    case 'withdrawn at 21:59':
      on(eve, '21:59', async () => {
        expect((await world.withdraw(payment.id, payment.id)).status).toBe(201);
        await force('CANCELED');
      });
      return;
    case 'withdrawn too late at 22:01, paid':
      on(eve, '22:01', async () => {
        refused(await world.withdraw(payment.id, payment.id), 409);
      });
      on(day, '08:00', () => force('COMPLETED'));
      return;
    case 'settlement error at 20:59, seen at 21:00':
      on(day, '20:59', () => force('CANCELED_SETTLEMENT_ERROR'));
      on(day, '21:00', async () => {
        expect(await world.advance()).toMatchObject({ missed: 1 });
      });
      return;
    default:
      on(day, '09:00', () => errors(world, payment, fate));
  }
}

/** Settlement errors one after the other, each resent by the run of its minute, at most three times. */
async function errors(world: PaymentWorld, payment: PaymentRecord, fate: Fate): Promise<void> {
  const count = fate.startsWith('one') ? 1 : fate.startsWith('three') ? 3 : 4;
  let { id } = payment;
  for (let error = 1; error <= count; error += 1) {
    await world.forced(id, 'CANCELED_SETTLEMENT_ERROR');
    world.clock.now = instantAt(payment.settlementDate, `09:0${error}`);
    expect((await world.resend()).resent).toBe(error <= 3 ? 1 : 0);
    const resend = (await all(world)).find(({ originalScheduledPaymentId }) => originalScheduledPaymentId === id);
    if (resend !== undefined) ({ id } = resend);
  }
  if (isPaid(fate)) await world.forced(id, 'ACCEPTED', 'COMPLETED');
}

async function all(world: PaymentWorld): Promise<readonly PaymentRecord[]> {
  const found: PaymentRecord[] = [];
  let cursor: string | null = null;
  do {
    const { body } = await world.list({ limit: '100', ...(cursor !== null && { cursor }) });
    const page = body as { data: readonly PaymentRecord[]; nextCursor: string | null };
    found.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

/** The events that a payment's own history asks for. */
const eventsOf = ({ statusHistory }: PaymentRecord): readonly string[] =>
  statusHistory
    .map(({ status }) => status)
    .filter((status) => status !== 'INITIAL')
    .map((status) => (status.startsWith('CANCELED') ? 'CANCELLATION.ACCEPTED' : status));

async function year(frequencyType: (typeof frequencies)[number], fatesOfYear: readonly Fate[]): Promise<void> {
  const schedule = { minDaysAhead: 2, releaseDaysBefore: 10 };
  const terms = { frequencyType, startDate, allowChargeAfterDueDate: true, allowAdjustToBusinessDay: true };
  const world = await paymentWorld({ schedule, now: instantAt(begins, '12:00') }, terms);
  const happenings: Happening[] = [];
  for (const [number, fate] of fatesOfYear.entries()) {
    const dueDate = cycleStart({ frequencyType, startDate }, number);
    fateOf(world, await world.scheduled(paymentBody({ dueDate })), fate, happenings);
  }
  await lived(world, happenings);

  const paid = fatesOfYear.filter(isPaid).length;
  const payments = await all(world);
  const payIns = world.items('PAY_IN');
  const balance = world.items('BALANCE')[0];
  expect([payIns.length, balance?.['available']]).toEqual([paid, paid * centavos]);
  const cycleOf = new Map(world.items('CHARGE_TERMS').map(({ PK, cycle }) => [PK, cycle]));
  const settled = world.items('SCHEDULED_PAYMENT').filter(({ status }) => status === 'COMPLETED');
  expect(new Set(settled.map(({ PK }) => cycleOf.get(PK))).size).toBe(paid);
  for (const payment of payments) {
    expect(['INITIAL', 'PENDING', 'ACCEPTED']).not.toContain(payment.status);
    const notifiedEvents = world.told(payment.id).filter((event) => event !== 'CANCELLATION.PENDING');
    expect(notifiedEvents).toEqual(eventsOf(payment));
  }
  expect(world.items().filter((item) => item['entity'] === 'SCHEDULED_PAYMENT' && 'GSI3PK' in item)).toEqual([]);
}

describe.each(frequencies)('a %s recurrence', (frequencyType) => {
  const cycles = perYear[frequencyType];

  test('lives through a year in which every fate comes in turn', async () => {
    for (const first of each([...fates.keys()].filter((place) => place % cycles === 0)))
      await year(
        frequencyType,
        Array.from({ length: cycles }, (_, number) => fates[(first + number) % fates.length] ?? 'paid'),
      );
  });

  test('lives through a year of any fates', async () => {
    const drawn = fc.array(fc.constantFrom(...fates), { minLength: cycles, maxLength: cycles });
    await fc.assert(
      fc.asyncProperty(drawn, (drawnFates) => year(frequencyType, drawnFates)),
      { numRuns: frequencyType === 'WEEKLY' ? 2 : 8 },
    );
  });
});
