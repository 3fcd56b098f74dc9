import { endToEndId } from '#shared/core/identifiers.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import type { SpiRejection } from '#shared/core/spi-codes.ts';
import { spiRejections } from '#shared/core/spi-codes.ts';
import type { CommandOutcome } from '../outcome.ts';
import type { PaymentOrder, UncheckedPayouts } from '../ports/payouts.ts';
import { mismatchingOwner, refusedAccounts, reservedKeys, timeoutAccount } from './reserved.ts';

/**
 * Accepts payments without settling them. It keeps no memory: the outcome follows from the order (reserved values are
 * refused or time out), and a lookup finds nothing. A PIX has its end-to-end id before it is sent.
 */
export function simulatedPayouts({ ispb, ids }: { readonly ispb: string; readonly ids: Ids }): UncheckedPayouts {
  const find = () => Promise.resolve({ outcome: 'NEVER_SEEN' });
  return {
    prepare: (_order, { at }) => Promise.resolve({ endToEndId: endToEndId(ispb, at, ids) }),
    send: { submit: (order) => Promise.resolve(outcomeOf(order)), find },
    cancel: { submit: () => Promise.resolve({ outcome: 'DONE', state: { status: 'CANCELED' } }), find },
  };
}

/**
 * Returns the outcome of a payment. A reserved account number has its effect only without a key. Where no owner was
 * looked up before (`keyLookup`), the bank finds here that a key has none, or another one than the receiver.
 */
function outcomeOf({ receiver }: PaymentOrder): CommandOutcome<{ readonly status: 'ACCEPTED' }> {
  const key = receiver.pix?.key;
  const account = receiver.pix === undefined ? receiver.bank?.account : undefined;
  const isSilent = key === reservedKeys.timeout || key === reservedKeys.unavailable || account === timeoutAccount;
  if (isSilent) return { outcome: 'UNKNOWN' };
  const isOther = receiver.document.number !== mismatchingOwner.document.number;
  const code = refusalOfKey(key, isOther) ?? codeOfAccount(account);
  if (code !== undefined) return { outcome: 'REFUSED', code, reason: spiRejections[code] };
  return { outcome: 'DONE', state: { status: 'ACCEPTED' } };
}

function refusalOfKey(key: string | undefined, isOther: boolean): SpiRejection | undefined {
  if (key === reservedKeys.refused || key === reservedKeys.notFound) return 'AC03';
  return key === reservedKeys.ownerMismatch && isOther ? 'BE01' : undefined;
}

function codeOfAccount(account: string | undefined): SpiRejection | undefined {
  const codes = Object.keys(refusedAccounts) as readonly SpiRejection[];
  return codes.find((code) => refusedAccounts[code] === account);
}
