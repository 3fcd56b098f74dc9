import type { Centavos } from '../core/money.ts';
import { formatAmount } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import type { Counterpart, Party } from '../core/party.ts';
import type { Initiation, InternalReceiver } from './model.ts';
import type { PayoutTarget } from './target.ts';
import { cashOutDescription } from './target.ts';
import type { PixKey } from '../core/pix-key.ts';
import { forbiddenByState, badRequest } from '../core/errors.ts';
import type { RequestContext } from '../bank/outcome.ts';
import type { Capabilities } from '../bank/capabilities.ts';
import type { Directory, KeyOwner } from '../bank/ports/directory.ts';

/** The part of a request that decides who receives. */
type TargetRequest = {
  /** The account that pays. */
  readonly accountId: string;
  readonly target: PayoutTarget;
  readonly amount: Centavos;
  readonly receiver?: Party | undefined;
  /** The extent of the bank's data on the owner of a key. */
  readonly keyLookup: Capabilities['keyLookup'];
};

/**
 * The receiver as the bank names the owner of a key or QR code. For an account, or where the bank names no owner, the
 * receiver as the caller names it.
 */
export type ResolvedTarget = {
  readonly initiation: Initiation;
  readonly receiver: Counterpart;
  readonly txid?: string;
  readonly internal?: InternalReceiver;
  /** Of the first payment, where the bank gave it with the look-up of the key. */
  readonly endToEndId?: string;
};

/**
 * Finds the receiver. A receiver in the request is compared with the owner by document only, not by name (2.7).
 * @throws RequestError 400 unknown key or charge, other amount, no receiver where the bank names no owner; 409 expired
 * charge, other owner, the paying account itself.
 * @throws BankUnavailable (503): nothing was written.
 */
export async function resolveTarget(
  directory: Directory,
  request: TargetRequest,
  context: RequestContext,
): Promise<ResolvedTarget> {
  const { target, receiver } = request;
  switch (target.initiation) {
    case 'MANUAL': {
      const named = requireReceiver(receiver, 'Is required for a payment to an account.');
      const owner = await directory.resolveAccount(target.bank, context);
      const own = owner && internalReceiver(owner, request, 'paymentData.bankAccount');
      return { initiation: 'MANUAL', receiver: { ...named, bank: target.bank }, ...own };
    }
    case 'KEY': {
      const found = await resolveKey(directory, target.key, request, context, 'paymentData.pixKey');
      if (found === undefined)
        throw badRequest('paymentData.pixKey', 'INVALID_VALUE', 'Nobody has registered this key.');
      return { initiation: 'KEY', ...found };
    }
    case 'STATIC_QRCODE': {
      const found = await resolveKey(directory, target.key, request, context, 'paymentData.qrcodeData');
      if (found === undefined) throw notPayable('Nobody has registered the key in the QR code.');
      return { initiation: 'STATIC_QRCODE', ...found, ...pick(target, 'txid') };
    }
    case 'DYNAMIC_QRCODE':
      return resolveCharge(directory, target, request, context);
  }
}

/**
 * Returns the receiver behind a key; undefined for a key that nobody has registered. Where the bank masks owners, the
 * document is that of the request, which the bank has compared. Where it looks up no keys, it compares when it pays.
 */
async function resolveKey(
  directory: Directory,
  key: PixKey,
  request: TargetRequest,
  context: RequestContext,
  field: string,
): Promise<Omit<ResolvedTarget, 'initiation'> | undefined> {
  const { accountId, keyLookup } = request;
  if (keyLookup === 'NONE') return { receiver: { ...requireReceiver(request.receiver), pix: key } };
  const receiver = keyLookup === 'MASKED' ? requireReceiver(request.receiver) : request.receiver;
  const question = { key, accountId, ...(receiver && { receiver: receiver.document }) };
  const owner = await directory.resolveKey(question, context);
  if (owner === undefined) return undefined;
  if ('document' in owner) return { receiver: withKey(owner, key), ...internalReceiver(owner, request, field) };
  if (!owner.isReceiver) throw ownerMismatch();
  const { document } = requireReceiver(receiver);
  return { receiver: { name: owner.name, document, pix: key }, ...pick(owner, 'endToEndId') };
}

/**
 * Returns the receiver of the request, which is required for an account and where the bank names no owner. Such a bank
 * compares the document when it pays. @throws RequestError
 */
function requireReceiver(
  receiver: Party | undefined,
  description = 'Is required: the bank of the account names no owner of a key.',
): Party {
  if (receiver === undefined) throw badRequest('receiver', 'REQUIRED', description);
  return receiver;
}

async function resolveCharge(
  directory: Directory,
  { url, qrcodeData }: Extract<PayoutTarget, { readonly initiation: 'DYNAMIC_QRCODE' }>,
  request: TargetRequest,
  context: RequestContext,
): Promise<ResolvedTarget> {
  const charge = await directory.resolveCharge({ url, qrcodeData }, context);
  if (charge === undefined) throw notPayable('There is no charge at the address in the QR code.');
  if (charge.state === 'CASH_OUT') throw notPayable(cashOutDescription);
  if (charge.state === 'NOT_PAYABLE') throw notPayable('The charge of the QR code can no longer be paid.');
  if (charge.state === 'EXPIRED')
    throw forbiddenByState('paymentData.qrcodeData', 'EXPIRED', 'The charge of the QR code has expired.');
  const { key, owner, txid, amount, payInId } = charge;
  if (amount !== undefined && amount !== request.amount)
    throw badRequest('amount.value', 'INVALID_VALUE', `Must be the amount of the QR code: ${formatAmount(amount)}.`);
  if (owner === undefined)
    return { initiation: 'DYNAMIC_QRCODE', receiver: { ...requireReceiver(request.receiver), pix: key }, txid };
  const { internal } = internalReceiver(owner, request, 'paymentData.qrcodeData');
  return {
    initiation: 'DYNAMIC_QRCODE',
    receiver: withKey(owner, key),
    txid,
    ...(internal && { internal: { ...internal, ...(payInId !== undefined && { payInId }) } }),
  };
}

/**
 * Returns the receiver's account, if it is one of the company. Errors name no owner: a caller must not learn owners by
 * guessing.
 */
function internalReceiver(
  { document, accountId }: KeyOwner,
  { receiver: given, accountId: payer }: TargetRequest,
  field: string,
): { readonly internal?: InternalReceiver } {
  const { type, number } = document;
  if (given !== undefined && (given.document.type !== type || given.document.number !== number)) throw ownerMismatch();
  if (accountId === undefined) return {};
  if (accountId === payer)
    throw forbiddenByState(field, 'INVALID_VALUE', 'Leads to the account that pays: a payout goes to another one.');
  return { internal: { accountId } };
}

function ownerMismatch(): Error {
  return forbiddenByState(
    'receiver.document',
    'OWNER_MISMATCH',
    'The key, QR code or account belongs to someone else.',
  );
}

function withKey({ name, document, bank }: KeyOwner, pix: PixKey): Counterpart {
  return { name, document, bank, pix };
}

function notPayable(description: string): Error {
  return badRequest('paymentData.qrcodeData', 'NOT_PAYABLE', description);
}
