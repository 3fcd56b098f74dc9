import type { SpiRejection } from '#shared/core/spi-codes.ts';
import { spiRejections } from '#shared/core/spi-codes.ts';
import type { CommandOutcome, UncheckedPort } from '../outcome.ts';
import type { Instruction, PaymentState, Payouts } from '../ports/payouts.ts';
import { refusedAccounts, reservedKeys, timeoutAccount } from './reserved.ts';

/**
 * Accepts every payment and settles none by itself. It keeps no memory: the outcome follows from the instruction, and a
 * lookup finds nothing.
 */
export function simulatedPayouts(): UncheckedPort<Payouts> {
  return {
    send: (instruction) => Promise.resolve(outcomeOf(instruction)),
    find: () => Promise.resolve({ outcome: 'NEVER_SEEN' }),
    cancel: () => Promise.resolve({ outcome: 'DONE', result: { outcome: 'CANCELED' } }),
  };
}

/** The account number counts only without a key. */
function outcomeOf({ receiver }: Instruction): CommandOutcome<PaymentState> {
  const key = receiver.pix?.key;
  const account = receiver.pix === undefined ? receiver.bank?.account : undefined;
  if (key === reservedKeys.timeout || account === timeoutAccount) return { outcome: 'UNKNOWN' };
  const code = key === reservedKeys.refused ? 'AC03' : codeOfAccount(account);
  if (code !== undefined) return { outcome: 'REFUSED', code, reason: spiRejections[code] };
  return { outcome: 'DONE', result: { outcome: 'ACCEPTED' } };
}

function codeOfAccount(account: string | undefined): SpiRejection | undefined {
  const codes = Object.keys(refusedAccounts) as readonly SpiRejection[];
  return codes.find((code) => refusedAccounts[code] === account);
}
