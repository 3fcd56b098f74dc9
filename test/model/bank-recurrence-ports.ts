import type { Bank } from '#shared/bank/bank.ts';
import { checkedRecurrences } from '#shared/bank/ports/recurrences.ts';
import { checkedRecurringCharges } from '#shared/bank/ports/recurring-charges.ts';
import type { ChargeAttempt } from '#shared/bank/ports/recurring-charges.ts';
import type { Books, Draws } from './bank-books.ts';
import { presentOf, seenOf } from './bank-books.ts';
import type { PortWays, Weather } from './bank-ports.ts';
import { network } from './bank-ports.ts';
import type { RecurrenceBooks } from './bank-recurrences.ts';
import { isOpenRec, lastOf, statusOf } from './bank-recurrences.ts';
import type { VirtualTime } from './virtual-time.ts';

const refusal = { outcome: 'REFUSED', code: 'AB10', reason: 'The bank does not do it.' } as const;
const usedAlready = { outcome: 'UNKNOWN' } as const;
const neverSeen = { outcome: 'NEVER_SEEN' } as const;

/** The ports of PIX Automático of the model bank. */
export function recurrencePorts(
  { openRec, cancelRec, openCobr, addAttempt, withdraw, recs, cobrs }: RecurrenceBooks,
  books: Books,
  over: {
    readonly time: VirtualTime;
    readonly draws: Draws;
    readonly ways: PortWays & { readonly endToEndIds: 'PREPARED' | 'AT_ONCE' | 'LATE' };
    readonly faultSchedule: () => Weather;
    readonly counted: () => void;
  },
): Pick<Bank, 'recurrences' | 'recurringCharges'> {
  const { time, draws, ways, faultSchedule, counted } = over;
  const through = network(time, draws, faultSchedule, counted);
  const readAt = (): number => {
    const { lagMs } = faultSchedule();
    return time.now() - (draws.chance(0.5) ? lagMs : draws.between(0, lagMs + 1));
  };
  const recOf = (reference: string) => [...recs.values()].find((rec) => rec.order.reference === reference);
  const done = <State>(state: State) => ({ outcome: 'DONE', state }) as const;
  const noteCommand = (kind: string, reference: string): void => {
    books.commands.add(`${kind} ${reference}`);
  };
  return {
    recurrences: checkedRecurrences({
      open: {
        submit: (order) =>
          through(() => {
            noteCommand('RECURRENCE', order.reference);
            const known = recOf(order.reference);
            // The call has no key: a repetition may create another one, which no response shows.
            if (known !== undefined && ways.repetition === 'REFUSED') return usedAlready;
            if (known === undefined && (books.refused.has(order.reference) || draws.chance(0.05))) {
              books.refused.add(order.reference);
              return refusal;
            }
            const rec = openRec(order);
            return done({ ...presentOf(rec), recurrenceId: rec.recurrenceId, location: rec.location });
          }),
        find: ({ reference }) =>
          through(() => {
            const rec = recOf(reference);
            const state = seenOf(rec, readAt());
            return state && rec
              ? done({ ...state, recurrenceId: rec.recurrenceId, location: rec.location })
              : neverSeen;
          }),
      },
      cancel: {
        submit: (order) =>
          through(() => {
            noteCommand('CANCELLATION', order.reference);
            const rec = recs.get(order.recurrenceId);
            if (rec === undefined) return refusal;
            if (rec.cancels.has(order.reference) || !isOpenRec(rec)) return usedAlready;
            if (statusOf(rec) === 'APPROVED' && draws.chance(0.1)) {
              books.refused.add(order.recurrenceId);
              return refusal;
            }
            cancelRec(rec, order);
            return done(presentOf(rec));
          }),
        find: (order) =>
          through(() => {
            const at = readAt();
            const rec = recs.get(order.recurrenceId);
            const state = seenOf(rec, at);
            if (rec === undefined || state === undefined) return neverSeen;
            const isAsked = (rec.cancels.get(order.reference) ?? Infinity) <= at;
            const status = state.history.at(-1)?.status;
            const hasEnded = status !== 'CREATED' && status !== 'APPROVED';
            return isAsked || hasEnded ? done(state) : neverSeen;
          }),
      },
      read: ({ recurrenceId }) =>
        through(() => {
          const state = seenOf(recs.get(recurrenceId), readAt());
          return state === undefined ? neverSeen : done(state);
        }),
    }),
    recurringCharges: checkedRecurringCharges({
      ...(ways.endToEndIds === 'PREPARED' && {
        prepare: async () => {
          counted();
          await time.sleep(draws.between(2, 200));
          return { endToEndId: books.newNumber() };
        },
      }),
      schedule: {
        submit: (order) =>
          through(() => {
            noteCommand('CHARGE', order.reference);
            const rec = recs.get(order.recurrenceId);
            const cobr = cobrs.get(order.charge);
            const isOpen = (one: ChargeAttempt): boolean => ['PAID', 'REQUESTED', 'SCHEDULED'].includes(lastOf(one));
            if (cobr && (order.kind === 'FIRST_ATTEMPT' || presentOf(cobr).attempts.some(isOpen)))
              return ways.repetition === 'REFUSED' ? usedAlready : done(presentOf(cobr));
            const isTaken =
              rec !== undefined &&
              statusOf(rec) === 'APPROVED' &&
              !books.refused.has(order.reference) &&
              !draws.chance(0.05);
            if (!isTaken) {
              books.refused.add(order.reference);
              return refusal;
            }
            if (cobr === undefined) return done(presentOf(openCobr(order)));
            addAttempt(cobr, order);
            return done(presentOf(cobr));
          }),
        find: (order) =>
          through(() => {
            const state = seenOf(cobrs.get(order.charge), readAt());
            const ofKind = state?.attempts.filter(
              ({ kind, day }) => kind === order.kind && day >= order.settlementDate,
            );
            const has =
              order.endToEndId === undefined
                ? (ofKind?.length ?? 0) >= (order.resend ?? 1)
                : ofKind?.some((one) => one.endToEndId === order.endToEndId) === true;
            return state !== undefined && has ? done(state) : neverSeen;
          }),
      },
      withdraw: {
        submit: (order) =>
          through(() => {
            noteCommand('WITHDRAWAL', order.reference);
            const cobr = cobrs.get(order.charge);
            if (cobr === undefined) return refusal;
            if (cobr.withdrawals.has(order.reference)) return usedAlready;
            return withdraw(cobr, order) ? done(presentOf(cobr)) : draws.chance(0.5) ? refusal : usedAlready;
          }),
        find: (order) =>
          through(() => {
            const at = readAt();
            const cobr = cobrs.get(order.charge);
            const state = seenOf(cobr, at);
            const attempt = state?.attempts.find(
              ({ kind, day }) => kind === order.kind && day === order.settlementDate,
            );
            const hasEnded = attempt !== undefined && !['REQUESTED', 'SCHEDULED'].includes(lastOf(attempt));
            return state !== undefined && hasEnded ? done(state) : neverSeen;
          }),
      },
    }),
  };
}
