import type { CommandOutcome } from '#shared/bank/outcome.ts';
import type { Instruction, PaymentState, Payouts } from '#shared/bank/ports/payouts.ts';

/**
 * What becomes of a call to the bank. `LOST`: it never got there. `UNANSWERED`: it was carried out and the answer was
 * lost.
 */
export type Weather = 'FINE' | 'LOST' | 'UNANSWERED';

const unknown = { outcome: 'UNKNOWN' } as const;

/**
 * The payouts of a bank that remembers each payment by its reference, makes it once, and answers a repetition with an
 * error, as many banks do. `weather` is asked at each call.
 */
export function rememberingPayouts(
  judge: (instruction: Instruction) => Promise<CommandOutcome<PaymentState>>,
  weather: () => Weather = () => 'FINE',
) {
  const known = new Map<string, CommandOutcome<PaymentState>>();
  const made: Instruction[] = [];
  const through = async <End>(carryOut: () => End | Promise<End>): Promise<End | typeof unknown> => {
    const now = weather();
    if (now === 'LOST') return unknown;
    const end = await carryOut();
    return now === 'UNANSWERED' ? unknown : end;
  };
  const send = async (instruction: Instruction): Promise<CommandOutcome<PaymentState>> => {
    const { reference } = instruction;
    if (known.has(reference)) return { outcome: 'REFUSED', code: 'DUPL', reason: 'Duplicate of an earlier command.' };
    const end = await judge(instruction);
    // Two commands of one reference at the same time: the bank knows one of them.
    if (known.has(reference)) return { outcome: 'REFUSED', code: 'DUPL', reason: 'Duplicate of an earlier command.' };
    if (end.outcome === 'UNKNOWN') return end;
    known.set(reference, end);
    if (end.outcome === 'DONE') made.push(instruction);
    return end;
  };
  const payouts: Payouts = {
    send: (instruction) => through(() => send(instruction)),
    find: (reference) => through(() => known.get(reference) ?? { outcome: 'NEVER_SEEN' as const }),
    cancel: (reference) =>
      through(() => {
        const before = known.get(reference);
        if (before?.outcome === 'DONE' && before.result.outcome !== 'ACCEPTED')
          return { outcome: 'REFUSED' as const, code: 'DUPL', reason: 'Nothing to stop any more.' };
        const canceled = { outcome: 'DONE', result: { outcome: 'CANCELED' } } as const;
        known.set(reference, canceled);
        return canceled;
      }),
  };
  return {
    payouts,
    /** Every payment that the bank makes, in the order in which it took them. */
    made,
    /** What the bank says of a payment by now. */
    state: (reference: string): CommandOutcome<PaymentState> | undefined => known.get(reference),
    /** What the bank will say of a payment from now on. */
    settle: (reference: string, facts: PaymentState): void => {
      known.set(reference, { outcome: 'DONE', result: facts });
    },
  };
}
