import { instantAt, brasiliaDate } from '#shared/core/brasilia-time.ts';
import { endToEndId, recurrenceId } from '#shared/core/identifiers.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import type { CancellationOrder, RecurrenceOrder, RecurrenceState } from '#shared/bank/ports/recurrences.ts';
import type {
  ChargeAttempt,
  ChargeInstruction,
  ChargeWithdrawal,
  RecurringChargeState,
} from '#shared/bank/ports/recurring-charges.ts';
import type { Books, Dated, Draws, Fact } from './bank-books.ts';
import { beginsAt, presentOf } from './bank-books.ts';
import type { VirtualTime } from './virtual-time.ts';

type RecStatus = RecurrenceState['history'][number]['status'];
type AttemptStatus = ChargeAttempt['history'][number]['status'];
type RecAtBank = {
  readonly order: RecurrenceOrder;
  readonly recurrenceId: string;
  readonly location: string;
  history: Dated<RecurrenceState>[];
  /** Requests to cancel it that the bank has, each from its time on. */
  readonly cancels: Map<string, number>;
};
type CobrAtBank = {
  readonly order: ChargeInstruction;
  history: Dated<RecurringChargeState>[];
  readonly withdrawals: Map<string, number>;
};
export type RecurrenceBooks = ReturnType<typeof recurrenceBooks>;

const ispb = '60701190';
const minute = 60_000;

export const statusOf = (rec: { readonly history: readonly Dated<RecurrenceState>[] }): RecStatus =>
  presentOf(rec).history.at(-1)!.status;
export const isOpenRec = (rec: RecAtBank): boolean => ['CREATED', 'APPROVED'].includes(statusOf(rec));
export const lastOf = ({ history }: ChargeAttempt): AttemptStatus => history.at(-1)!.status;
const isOpenAttempt = (attempt: ChargeAttempt): boolean => ['REQUESTED', 'SCHEDULED'].includes(lastOf(attempt));

/** Recurrences and their charges at the bank: what becomes of them happens by chance. */
export function recurrenceBooks(
  time: VirtualTime,
  draws: Draws,
  { ids, books, tell: notify }: { readonly ids: Ids; readonly books: Books; readonly tell: (fact: Fact) => void },
) {
  const recs = new Map<string, RecAtBank>();
  const cobrs = new Map<string, CobrAtBank>();
  const { now, pixHost } = books;
  const after = (ms: number, work: () => void): void => {
    time.at(time.now() + ms, work);
  };

  const moveRec = (
    rec: RecAtBank,
    status: RecStatus,
    more: Partial<RecurrenceState> = {},
    mustNotify = false,
  ): void => {
    const before = presentOf(rec);
    const state = { ...before, ...more, history: [...before.history, { status, at: now() }] };
    rec.history.push({ at: time.now(), state });
    notify({ kind: 'RECURRENCE', reference: rec.recurrenceId, state, mustNotify });
    if (status === 'CANCELED' || status === 'EXPIRED')
      for (const cobr of cobrs.values()) if (cobr.order.recurrenceId === rec.recurrenceId) endCharges(cobr);
  };
  /** What is not due today ends with its recurrence. */
  const endCharges = (cobr: CobrAtBank): void => {
    for (const attempt of presentOf(cobr).attempts)
      if (isOpenAttempt(attempt) && attempt.day > brasiliaDate(now())) moveAttempt(cobr, attempt, 'CANCELED', 'CCLD');
  };

  const openRec = (order: RecurrenceOrder): RecAtBank => {
    const id = recurrenceId({ retriesAllowed: order.allowChargeAfterDueDate, ispb, instant: now(), ids });
    // One host for charges and recurrences: a code of journey 3 carries both.
    const location = `${pixHost}/qr/v2/rec/${ids.uuid().replaceAll('-', '')}`;
    const state = { history: [{ status: 'CREATED' as const, at: now() }] };
    const rec = { order, recurrenceId: id, location, history: [{ at: time.now(), state }], cancels: new Map() };
    recs.set(id, rec);
    // Without an authorization it expires.
    after(26 * 3_600_000, () => {
      if (statusOf(rec) === 'CREATED') moveRec(rec, 'EXPIRED');
    });
    return rec;
  };
  /** What a payer does who sees the code. */
  const seeRec = (id: string): void => {
    const rec = recs.get(id);
    if (rec === undefined) return;
    after(draws.between(1000, 10 * minute), () => {
      if (statusOf(rec) !== 'CREATED') return;
      const fate = draws.between(0, 100);
      const payer = { document: rec.order.debtor.document };
      if (fate < 70) moveRec(rec, 'APPROVED', { payer });
      else if (fate < 80) moveRec(rec, 'REJECTED');
      else if (fate < 85) moveRec(rec, 'CANCELED', { endedBy: draws.one(['PAYER', 'BANK']) });
    });
    if (draws.chance(0.15))
      after(draws.between(31 * minute, 600 * minute), () => {
        if (statusOf(rec) === 'APPROVED') moveRec(rec, 'CANCELED', { endedBy: 'PAYER' }, true);
      });
  };
  /** Whether the bank takes the request; it ends the recurrence immediately, or hours later. */
  const cancelRec = (rec: RecAtBank, { reference }: CancellationOrder): void => {
    rec.cancels.set(reference, time.now());
    const end = (): void => {
      if (isOpenRec(rec)) moveRec(rec, 'CANCELED', { endedBy: 'RECEIVER' });
    };
    if (draws.chance(0.5)) end();
    else after(draws.between(minute, 240 * minute), end);
  };

  const moveAttempt = (cobr: CobrAtBank, target: ChargeAttempt, status: AttemptStatus, code?: string): void => {
    const { attempts } = presentOf(cobr);
    const next = attempts.map((attempt) =>
      attempt.endToEndId === target.endToEndId
        ? { ...attempt, ...(code !== undefined && { code }), history: [...attempt.history, { status, at: now() }] }
        : attempt,
    );
    const state = { attempts: next };
    cobr.history.push({ at: time.now(), state });
    notify({ kind: 'ATTEMPTS', reference: cobr.order.charge, state });
  };
  const presentAttempt = (cobr: CobrAtBank, { endToEndId: number }: ChargeAttempt): ChargeAttempt =>
    presentOf(cobr).attempts.find((one) => one.endToEndId === number)!;

  const addAttempt = (cobr: CobrAtBank, order: ChargeInstruction): void => {
    const number = order.endToEndId ?? endToEndId(ispb, now(), ids);
    const { kind, settlementDate: day } = order;
    const attempt = { kind, day, endToEndId: number, history: [{ status: 'REQUESTED' as const, at: now() }] };
    const attempts = [...(cobr.history.length === 0 ? [] : presentOf(cobr).attempts), attempt];
    cobr.history.push({ at: time.now(), state: { attempts } });
    // Not every bank tells an acceptance first.
    const isSilent = draws.chance(0.1);
    after(draws.between(1000, 20 * minute), () => {
      if (isSilent || !isOpenAttempt(presentAttempt(cobr, attempt))) return;
      if (draws.chance(0.1)) moveAttempt(cobr, attempt, 'REJECTED', 'AB10');
      else moveAttempt(cobr, attempt, 'SCHEDULED');
    });
    const dayMs = Date.parse(instantAt(day, '00:00')) - beginsAt;
    const from = Math.max(dayMs, time.now() + 21 * minute);
    time.at(Math.max(from, dayMs + draws.between(0, 20 * 60) * minute), () => {
      const last = lastOf(presentAttempt(cobr, attempt));
      if (isSilent && last === 'REQUESTED') moveAttempt(cobr, attempt, 'EXPIRED');
      if (last !== 'SCHEDULED') return;
      const fate = draws.between(0, 100);
      if (fate < 65) {
        books.book(order.receiver.id, order.amount);
        moveAttempt(cobr, attempt, 'PAID');
      } else if (fate < 80) moveAttempt(cobr, attempt, 'EXPIRED');
      else if (fate < 90) moveAttempt(cobr, attempt, 'CANCELED', 'SLBD');
      else moveAttempt(cobr, attempt, 'CANCELED', 'FAIL');
    });
  };
  const openCobr = (order: ChargeInstruction): CobrAtBank => {
    const cobr: CobrAtBank = { order, history: [], withdrawals: new Map() };
    cobrs.set(order.charge, cobr);
    addAttempt(cobr, order);
    return cobr;
  };
  const withdraw = (cobr: CobrAtBank, order: ChargeWithdrawal): boolean => {
    const attempt = presentOf(cobr).attempts.find(
      ({ kind, day }) => kind === order.kind && day === order.settlementDate,
    );
    if (attempt === undefined || !isOpenAttempt(attempt) || attempt.day <= brasiliaDate(now())) return false;
    cobr.withdrawals.set(order.reference, time.now());
    moveAttempt(cobr, attempt, 'CANCELED', 'SLCR');
    return true;
  };
  return { recs, cobrs, openRec, seeRec, cancelRec, openCobr, addAttempt, withdraw };
}
