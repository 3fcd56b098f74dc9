import type { RequestOf } from '../../../shared/contracts/contract.ts';
import type { Account } from '../../../shared/domain/account.ts';
import { buildCompositeCode, buildRecurrenceCode } from '../../../shared/domain/br-code/build.ts';
import type { Instant } from '../../../shared/domain/brasilia-time.ts';
import { plusSeconds } from '../../../shared/domain/brasilia-time.ts';
import { chargeLocation } from '../../../shared/domain/charge-location.ts';
import type { Ids } from '../../../shared/domain/identifiers.ts';
import { recurrenceId, transactionId } from '../../../shared/domain/identifiers.ts';
import { ownerBankOf } from '../../../shared/domain/owner-bank.ts';
import type { PayIn } from '../../../shared/domain/pay-in.ts';
import { brazilianDocument } from '../../../shared/domain/account.ts';
import { forbiddenByState } from '../../../shared/domain/refusal.ts';
import type { Subscription } from '../../../shared/domain/subscription.ts';
import type { Settings } from '../../../shared/runtime/dependencies.ts';
import type { CreateSubscription } from './contract.ts';

type Body = RequestOf<typeof CreateSubscription>['body'];
type Source = { readonly at: Instant; readonly ids: Ids; readonly settings: Settings };
export type NewSubscription = { readonly subscription: Subscription; readonly firstCharge?: PayIn };

/** The subscription that a request asks for, and for journey 3 the pay-in of its first charge. */
export function openSubscription(body: Body, account: Account, source: Source): NewSubscription {
  const { at, ids, settings } = source;
  const document = brazilianDocument(account);
  if (document === undefined)
    throw forbiddenByState('accountId', 'INVALID_VALUE', 'The holder of the account has neither CPF nor CNPJ.');
  const merchant = { name: account.fullName, city: settings.pixCity };
  const recurrenceUrl = recurrenceLocation(source);
  const amount = body.initialCharge?.amount;
  const retriesAllowed = body.allowChargeAfterDueDate ?? false;
  const base = {
    id: ids.uuid(),
    providerId: recurrenceId({ retriesAllowed, ispb: settings.ispb, instant: at, ids }),
    type: body.type,
    status: 'PENDING_AUTHORIZATION',
    statusHistory: [{ status: 'PENDING_AUTHORIZATION', createdAt: at }],
    allowChargeAfterDueDate: retriesAllowed,
    allowAdjustToBusinessDay: body.allowAdjustToBusinessDay ?? false,
    frequencyType: body.frequencyType,
    startDate: body.startDate,
    ...(body.endDate !== undefined && { endDate: body.endDate }),
    ...(body.fixedAmount !== undefined && { fixedAmount: body.fixedAmount }),
    ...(body.maxAmountFloor !== undefined && { maxAmountFloor: body.maxAmountFloor }),
    debtor: body.debtor,
    receiver: { id: account.id, fullName: account.fullName, document },
    ...(body.description !== undefined && { description: body.description }),
    webhookUrl: body.webhookUrl,
    externalId: body.externalId,
    createdAt: at,
    updatedAt: at,
    version: 1,
  } as const satisfies Partial<Subscription>;
  if (amount === undefined)
    return { subscription: { ...base, qrcodeData: buildRecurrenceCode({ merchant, recurrenceUrl }) } };

  const orderId = ids.orderId();
  // As of every pay-in, so that whoever resolves the code finds the order.
  const url = chargeLocation(settings.pixHost, orderId);
  const qrcodeData = buildCompositeCode({ merchant, url, recurrenceUrl });
  const initialCharge = {
    orderId,
    expireDateTime: plusSeconds(at, settings.firstChargeExpiresSeconds),
    conciliationId: transactionId(ids),
    amount,
  };
  // A payer named for journey 2 has no meaning there and is not kept.
  const subscription = { ...base, qrcodeData, initialCharge, ...(body.payer && { expectedPayer: body.payer }) };
  return { subscription, firstCharge: firstChargeOf(subscription, initialCharge, account, ids) };
}

/** The order that settles the immediate payment; its external id, and so its `code`, is generated. */
function firstChargeOf(
  subscription: Subscription,
  { orderId, expireDateTime, conciliationId, amount }: NonNullable<Subscription['initialCharge']>,
  account: Account,
  ids: Ids,
): PayIn {
  const { createdAt, qrcodeData } = subscription;
  return {
    id: orderId,
    externalId: ids.uuid(),
    accountId: account.id,
    status: 'PENDING',
    qrcodeData,
    expireDateTime,
    amount,
    description: subscription.description ?? 'First charge of a subscription',
    conciliationId,
    createdAt,
    updatedAt: createdAt,
    payer: subscription.expectedPayer ?? subscription.debtor,
    ownerBank: ownerBankOf(account),
    subscription: { id: subscription.id, code: subscription.externalId },
    version: 1,
  };
}

/** Address of the recurrence's payload as a QR code carries it: the token cannot be guessed (BCB, Manual de Padrões, 2.5.2). */
function recurrenceLocation({ ids, settings }: Source): string {
  return `${settings.pixHost}/qr/v2/rec/${ids.uuid().replaceAll('-', '')}`;
}
