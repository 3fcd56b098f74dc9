import type { Centavos } from '../domain/money.ts';
import { formatAmount } from '../domain/money.ts';
import type { Counterpart, Party } from '../domain/party.ts';
import type { Initiation } from '../domain/payout.ts';
import type { PayoutTarget } from '../domain/payout-target.ts';
import type { PixKey } from '../domain/pix-key.ts';
import { forbiddenByState, wrong } from '../domain/refusal.ts';
import type { Asking, Bank, KeyOwner } from './bank.ts';

/** What a payout asks for, as far as it decides who gets the money. */
export type Wanted = {
  readonly target: PayoutTarget;
  readonly amount: Centavos;
  readonly receiver?: Party | undefined;
};

/** Who gets the money: as the caller said for an account, as the bank says for a key or a QR code. */
export type ResolvedTarget = {
  readonly initiation: Initiation;
  readonly receiver: Counterpart;
  readonly txid?: string;
};

/**
 * Finds the receiver. A `receiver` given with a key or a QR code is compared with the owner by its document (2.7); his
 * name is the one that the bank knows.
 *
 * @throws Refusal 400 for an unknown key, an unknown charge or another amount than the charge's; 409 for an expired charge
 * and for another owner. @throws BankUnavailable (503): nothing was written.
 */
export async function resolveTarget(bank: Bank, wanted: Wanted, asking: Asking): Promise<ResolvedTarget> {
  const { target, receiver } = wanted;
  switch (target.initiation) {
    case 'MANUAL':
      if (receiver === undefined) throw wrong('receiver', 'REQUIRED', 'Is required for a payment to an account.');
      return { initiation: 'MANUAL', receiver: { ...receiver, bank: target.bank } };
    case 'KEY': {
      const owner = await bank.resolveKey(target.key, asking);
      if (owner === undefined) throw wrong('paymentData.pixKey', 'INVALID_VALUE', 'Nobody has registered this key.');
      return { initiation: 'KEY', receiver: owned(target.key, owner, receiver) };
    }
    case 'STATIC_QRCODE': {
      const owner = await bank.resolveKey(target.key, asking);
      if (owner === undefined) throw notPayable('Nobody has registered the key in the QR code.');
      const found = { initiation: 'STATIC_QRCODE', receiver: owned(target.key, owner, receiver) } as const;
      return target.txid === undefined ? found : { ...found, txid: target.txid };
    }
    case 'DYNAMIC_QRCODE':
      return resolveCharge(bank, target.url, wanted, asking);
  }
}

async function resolveCharge(bank: Bank, url: string, wanted: Wanted, asking: Asking): Promise<ResolvedTarget> {
  const charge = await bank.resolveCharge(url, asking);
  if (charge === undefined) throw notPayable('There is no charge at the address in the QR code.');
  if (charge.state === 'NOT_PAYABLE') throw notPayable('The charge of the QR code can no longer be paid.');
  if (charge.state === 'EXPIRED')
    throw forbiddenByState('paymentData.qrcodeData', 'EXPIRED', 'The charge of the QR code has expired.');
  const { key, owner, txid, amount } = charge;
  if (amount !== undefined && amount !== wanted.amount)
    throw wrong('amount.value', 'INVALID_VALUE', `Must be the amount of the QR code: ${formatAmount(amount)}.`);
  return { initiation: 'DYNAMIC_QRCODE', receiver: owned(key, owner, wanted.receiver), txid };
}

/** The description names nobody: a caller must not learn the owners of keys by guessing. */
function owned(pix: PixKey, owner: KeyOwner, given: Party | undefined): Counterpart {
  const { type, number } = owner.document;
  if (given !== undefined && (given.document.type !== type || given.document.number !== number))
    throw forbiddenByState('receiver.document', 'OWNER_MISMATCH', 'The key or QR code belongs to someone else.');
  return { ...owner, pix };
}

function notPayable(description: string): Error {
  return wrong('paymentData.qrcodeData', 'NOT_PAYABLE', description);
}
