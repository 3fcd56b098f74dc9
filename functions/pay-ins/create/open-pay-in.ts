import type { RequestOf } from '../../../shared/contracts/contract.ts';
import type { Account } from '../../../shared/domain/account.ts';
import { buildDynamicCode } from '../../../shared/domain/br-code/build.ts';
import type { Instant } from '../../../shared/domain/brasilia-time.ts';
import { plusSeconds } from '../../../shared/domain/brasilia-time.ts';
import { chargeLocation } from '../../../shared/domain/charge-location.ts';
import type { Ids } from '../../../shared/domain/identifiers.ts';
import { transactionId } from '../../../shared/domain/identifiers.ts';
import { ownerBankOf } from '../../../shared/domain/owner-bank.ts';
import type { PayIn } from '../../../shared/domain/pay-in.ts';
import type { Settings } from '../../../shared/runtime/dependencies.ts';
import type { CreatePayIn } from './contract.ts';

/** The life of a charge that names none, in seconds: the default of the BCB's Pix API (`calendario.expiracao`). */
const DEFAULT_LIFE_SECONDS = 86_400;

/** The pay-in that a request asks for, with its QR code. */
export function openPayIn(
  body: RequestOf<typeof CreatePayIn>['body'],
  account: Account,
  { at, ids, settings }: { readonly at: Instant; readonly ids: Ids; readonly settings: Settings },
): PayIn {
  const { externalId, accountId, amount, description, payer, expiresInSeconds = DEFAULT_LIFE_SECONDS } = body;
  const id = ids.orderId();
  const merchant = { name: account.fullName, city: settings.pixCity };
  return {
    id,
    externalId,
    accountId,
    status: 'PENDING',
    qrcodeData: buildDynamicCode({ merchant, url: chargeLocation(settings.pixHost, id) }),
    expireDateTime: plusSeconds(at, expiresInSeconds),
    amount,
    description,
    conciliationId: transactionId(ids),
    createdAt: at,
    updatedAt: at,
    payer,
    ownerBank: ownerBankOf(account),
    version: 1,
  };
}

/** The pay-in as it was when it was created: every later fact is left out. */
export function payInAsCreated(payIn: PayIn): PayIn {
  const {
    endToEndId: _e,
    errorMessage: _m,
    paidAt: _p,
    refundedAt: _r,
    canceledAt: _c,
    expiredAt: _x,
    ...facts
  } = payIn;
  return { ...facts, status: 'PENDING', updatedAt: facts.createdAt, version: 1 };
}
