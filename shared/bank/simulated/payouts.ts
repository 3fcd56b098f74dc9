import type { SpiRefusal } from '#shared/core/spi-codes.ts';
import { spiRefusals } from '#shared/core/spi-codes.ts';
import type { CommandEnd, Unchecked } from '../outcome.ts';
import type { Instruction, PaymentState, Payouts } from '../ports/payouts.ts';
import { refusedAccounts, reservedKeys, silentAccount } from './reserved.ts';

/**
 * Takes every payment and settles none by itself. It keeps no memory: what becomes of a payment follows from the
 * instruction alone, so that giving it again changes nothing, and asked for one it has never seen it.
 */
export function simulatedPayouts(): Unchecked<Payouts> {
  return {
    send: (instruction) => Promise.resolve(endOf(instruction)),
    find: () => Promise.resolve({ end: 'NEVER_SEEN' }),
    cancel: () => Promise.resolve({ end: 'DONE', facts: { outcome: 'CANCELED' } }),
  };
}

/** The number of an account counts only where no key leads to it. */
function endOf({ receiver }: Instruction): CommandEnd<PaymentState> {
  const key = receiver.pix?.key;
  const account = receiver.pix === undefined ? receiver.bank?.account : undefined;
  if (key === reservedKeys.silent || account === silentAccount) return { end: 'UNKNOWN' };
  const code = key === reservedKeys.refused ? 'AC03' : codeOfAccount(account);
  if (code !== undefined) return { end: 'REFUSED', code, reason: spiRefusals[code] };
  return { end: 'DONE', facts: { outcome: 'TAKEN' } };
}

function codeOfAccount(account: string | undefined): SpiRefusal | undefined {
  // An assertion: `keys` gives any text, the record has these codes and no other.
  const codes = Object.keys(refusedAccounts) as readonly SpiRefusal[];
  return codes.find((code) => refusedAccounts[code] === account);
}
