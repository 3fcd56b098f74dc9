import type { RequestOf } from '#shared/contract/contract.ts';
import type { Account } from '#shared/platform/ledger/account.ts';
import { brazilianDocument } from '#shared/platform/ledger/account.ts';
import { buildCompositeCode, buildRecurrenceCode } from '#shared/core/br-code/build.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import { orderIdOf } from '#shared/core/identifiers.ts';
import { ownerBankOf } from '#shared/bank/owner-bank.ts';
import type { PayIn } from '#shared/pay-ins/model.ts';
import { forbiddenByState } from '#shared/core/errors.ts';
import type { Subscription } from '#shared/subscriptions/model.ts';
import { expectedPayerOf } from '#shared/subscriptions/model.ts';
import { newStatusHistory } from '#shared/subscriptions/states.ts';
import type { ReceivingDependencies } from '#functions/banks.ts';
import type { Settings } from '#shared/platform/dependencies.ts';
import type { CreateSubscription } from './contract.ts';
import type { AtBank, Wanted } from './register-at-bank.ts';
import { firstChargeDescription, registerAtBank } from './register-at-bank.ts';

type Body = RequestOf<typeof CreateSubscription>['body'];
export type NewSubscription = { readonly subscription: Subscription; readonly firstCharge?: PayIn };

/**
 * The subscription that a request asks for, and for journey 3 the pay-in of its first charge, with what the bank
 * answered.
 * @throws Refusal 409 for an account whose holder is no company. @throws BankUnavailable: nothing was written.
 */
export async function prepareSubscription(
  body: Body,
  account: Account,
  source: { readonly at: Instant; readonly companyId: string; readonly references: Wanted['references'] },
  { ids, settings, bank }: Pick<ReceivingDependencies, 'ids' | 'settings' | 'bank'>,
): Promise<NewSubscription> {
  const { at, companyId, references } = source;
  const document = brazilianDocument(account);
  // API Pix: `recebedor` of a recurrence has a CNPJ.
  if (document?.type !== 'CNPJ')
    throw forbiddenByState(
      'accountId',
      'INVALID_VALUE',
      'Only a company receives by PIX Automático: the holder of the account has no CNPJ.',
    );
  const { fullName } = account;
  const receiver = { name: fullName, document, account: ownerBankOf(account) };
  const expireDateTime = plusSeconds(at, settings.firstChargeExpiresSeconds);
  const atBank = await registerAtBank(bank, { body, receiver, references, expireDateTime }, { companyId, at });
  const subscription: Subscription = {
    ...describe(body, { id: ids.uuid(), receiver: { id: account.id, fullName, document }, at }),
    ownerBank: receiver.account,
    ...knownFacts(body, atBank, { merchant: fullName, references, expireDateTime, at }, settings),
  };
  const { orderId } = subscription.initialCharge ?? {};
  if (orderId === undefined) return { subscription };
  return { subscription, firstCharge: firstChargeOf(subscription, orderId, receiver.account, ids) };
}

/** The facts of the request, whatever the bank answers. */
function describe(body: Body, more: Pick<Subscription, 'id' | 'receiver'> & { readonly at: Instant }) {
  const { at, id, receiver } = more;
  return {
    id,
    receiver,
    ...{ type: body.type, frequencyType: body.frequencyType, startDate: body.startDate, debtor: body.debtor },
    ...{ webhookUrl: body.webhookUrl, externalId: body.externalId },
    allowChargeAfterDueDate: body.allowChargeAfterDueDate ?? false,
    allowAdjustToBusinessDay: body.allowAdjustToBusinessDay ?? false,
    ...(body.endDate !== undefined && { endDate: body.endDate }),
    ...(body.fixedAmount !== undefined && { fixedAmount: body.fixedAmount }),
    ...(body.maxAmountFloor !== undefined && { maxAmountFloor: body.maxAmountFloor }),
    ...(body.description !== undefined && { description: body.description }),
    // A payer named for journey 2 has no meaning there and is not kept.
    ...(body.initialCharge && body.payer && { expectedPayer: body.payer }),
    ...{ createdAt: at, updatedAt: at, cancellationsCount: 0, version: 1 },
  } as const;
}

/** The facts of the bank's answer: a subscription that it refused has neither QR code nor order. */
function knownFacts(
  { initialCharge }: Body,
  atBank: AtBank,
  {
    merchant: name,
    references,
    expireDateTime,
    at,
  }: Omit<Wanted, 'body' | 'receiver'> & { merchant: string; at: Instant },
  { pixCity: city }: Settings,
): Pick<Subscription, 'status' | 'statusHistory' | 'providerId' | 'qrcodeData' | 'initialCharge'> {
  const charge = initialCharge && { expireDateTime, conciliationId: references.charge, amount: initialCharge.amount };
  if ('refused' in atBank)
    return {
      ...newStatusHistory('ERROR', at),
      ...{ providerId: '', qrcodeData: '' },
      ...(charge && { initialCharge: charge }),
    };
  const { recurrence, charge: opened } = atBank;
  const { recurrenceId: providerId, location: recurrenceUrl, qrcode } = recurrence;
  const pending = newStatusHistory('PENDING_AUTHORIZATION', at);
  const merchant = { name, city };
  if (charge === undefined || opened === undefined)
    return { ...pending, providerId, qrcodeData: qrcode ?? buildRecurrenceCode({ merchant, recurrenceUrl }) };
  const qrcodeData = qrcode ?? buildCompositeCode({ merchant, url: opened.location, recurrenceUrl });
  const orderId = orderIdOf(references.charge);
  return { ...pending, providerId, qrcodeData, initialCharge: { orderId, ...charge, conciliationId: opened.txid } };
}

/** The order that settles the immediate payment; its external id, and so its `code`, is generated. */
function firstChargeOf(subscription: Subscription, orderId: string, ownerBank: PayIn['ownerBank'], ids: Ids): PayIn {
  const { createdAt, qrcodeData, receiver, initialCharge, description = firstChargeDescription } = subscription;
  if (initialCharge === undefined) throw new Error('The subscription has no first charge.');
  const { expireDateTime, conciliationId, amount } = initialCharge;
  return {
    ...{ id: orderId, externalId: ids.uuid(), accountId: receiver.id, status: 'PENDING', qrcodeData },
    ...{ expireDateTime, amount, description, conciliationId, createdAt, updatedAt: createdAt },
    payer: expectedPayerOf(subscription),
    ownerBank,
    subscription: { id: subscription.id, code: subscription.externalId },
    version: 1,
  };
}
