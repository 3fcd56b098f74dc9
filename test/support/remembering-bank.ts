import type { CommandOutcome } from '#shared/bank/outcome.ts';
import type { PaymentOrder, PaymentState, Payouts } from '#shared/bank/ports/payouts.ts';

/**
 * What becomes of a call to the bank. `LOST`: it never got there. `UNANSWERED`: it was carried out and the answer was
 * lost.
 */
export type Weather = 'FINE' | 'LOST' | 'UNANSWERED';

type Outcome = CommandOutcome<PaymentState>;
const unknown = { outcome: 'UNKNOWN' } as const;

/**
 * The payouts of a bank that stores each payment by its reference, makes it once, and answers a repetition with an
 * error that says so. `faultSchedule` returns the fault of each call.
 */
export function rememberingPayouts(
  judge: (order: PaymentOrder) => Promise<Outcome>,
  faultSchedule: () => Weather = () => 'FINE',
) {
  const known = new Map<string, Outcome>();
  const carriedOut: PaymentOrder[] = [];
  const through = async <End>(carryOut: () => End | Promise<End>): Promise<End | typeof unknown> => {
    const now = faultSchedule();
    if (now === 'LOST') return unknown;
    const end = await carryOut();
    return now === 'UNANSWERED' ? unknown : end;
  };
  const submit = async (order: PaymentOrder): Promise<Outcome> => {
    const { reference } = order;
    // What says "used already" is unknown.
    if (known.has(reference)) return unknown;
    const end = await judge(order);
    // Two commands of one reference at the same time: the bank knows one of them.
    if (known.has(reference)) return unknown;
    if (end.outcome === 'UNKNOWN') return end;
    known.set(reference, end);
    if (end.outcome === 'DONE') carriedOut.push(order);
    return end;
  };
  const payouts: Pick<Payouts, 'send' | 'cancel'> = {
    send: {
      submit: (order) => through(() => submit(order)),
      find: ({ reference }) => through(() => known.get(reference) ?? { outcome: 'NEVER_SEEN' as const }),
    },
    cancel: {
      submit: ({ reference }) =>
        through(() => {
          const before = known.get(reference);
          if (before?.outcome === 'DONE' && before.state.status !== 'ACCEPTED') return unknown;
          const canceled = { outcome: 'DONE', state: { status: 'CANCELED', returns: [] } } as const;
          known.set(reference, { ...canceled, state: { ...canceled.state, returns: [] } });
          return { ...canceled, state: { ...canceled.state, returns: [] } };
        }),
      find: ({ reference }) =>
        through(() => {
          const before = known.get(reference);
          return before?.outcome === 'DONE' && before.state.status !== 'ACCEPTED'
            ? before
            : { outcome: 'NEVER_SEEN' as const };
        }),
    },
  };
  return {
    payouts,
    /** Every payment that the bank makes, in the order in which it took them. */
    made: carriedOut,
    /** What the bank says of a payment by now. */
    state: (reference: string): Outcome | undefined => known.get(reference),
    /** What the bank will say of a payment from now on. */
    settle: (reference: string, state: PaymentState): void => {
      known.set(reference, { outcome: 'DONE', state });
    },
  };
}
