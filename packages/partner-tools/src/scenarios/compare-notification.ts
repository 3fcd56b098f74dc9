import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { ListAccounts } from '#functions/accounts/list/contract.ts';
import { GetCredit } from '#functions/credits/get/contract.ts';
import { GetDispute } from '#functions/disputes/get/contract.ts';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { ListRefunds } from '#functions/pay-ins/list-refunds/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import { GetScheduledPayment } from '#functions/scheduled-payments/get/contract.ts';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import { GetDelivery } from '#functions/webhooks/get-delivery/contract.ts';
import { CanceledPaymentData } from '#shared/scheduled-payments/contract.ts';
import type { OwnerBank } from '#shared/core/party.ts';
import { ownerBankOf } from '#shared/bank/owner-bank.ts';
import { ToolFailure } from '../failures.ts';
import type { ReceivedNotification } from './notification-receiver.ts';
import type { CreatedResource, Context } from './context.ts';

type Where = Pick<Context, 'partner' | 'accountId'>;
/** Fields by their names. A field with the value `undefined` must be absent. */
type Fields = Readonly<Record<string, unknown>>;

/**
 * Compares a notification with the current record in the API, before the record changes again. Fields that no record
 * shows (log texts, the other side's bank) must equal those of the delivery log.
 * @throws ToolFailure with the first field that differs.
 */
export async function compareNotification(
  where: Where,
  event: string,
  about: CreatedResource,
  { id, body }: Pick<ReceivedNotification, 'id' | 'body'>,
): Promise<void> {
  const logged: Fields = (await where.partner.call(GetDelivery, { params: { id } })).body.payload;
  const expected = { ...logged, ...(await factsOf(where, event, about, logged)) };
  const path = firstDifference(expected, body);
  if (path === undefined) return;
  throw new ToolFailure(
    `${event}: ${path.join('.')} is ${shown(body, path)} in the notification and ${shown(expected, path)} in the API.`,
    'A notification must match its record in the API.',
  );
}

function factsOf(where: Where, event: string, about: CreatedResource, logged: Fields): Promise<Fields> {
  switch (about.kind) {
    case 'payIn':
      return event.startsWith('ORDER-PAYIN.REFUND')
        ? refundFacts(where, about, logged)
        : payInFacts(where, about, logged);
    case 'payout':
      return payoutFacts(where, about, logged);
    case 'subscription':
      return subscriptionFacts(where, about);
    case 'payment':
      return paymentFacts(where, event, about, logged);
    case 'credit':
      return creditFacts(where, event, about, logged);
    case 'dispute':
      return disputeFacts(where, event, about, logged);
    case 'key':
      throw new ToolFailure('A PIX key has no notifications.', 'The scenario itself is wrong.');
  }
}

/** Returns the fields of a pay-in notification (specification, 6.2). */
async function payInFacts(where: Where, about: CreatedResource, logged: Fields): Promise<Fields> {
  const { record, shared, payer } = await payInOf(where, about, logged);
  const { status, amount, description, endToEndId = null, errorMessage } = record;
  return {
    ...shared,
    event: `ORDER-PAYIN.${status}`,
    status,
    type: 'PAY-IN',
    amount,
    description,
    endToEndId,
    controlNumber: null,
    ownerBank: await ownerBank(where),
    payer: { ...(logged['payer'] as object), ...payer },
    ...(errorMessage !== undefined && { message: errorMessage }),
  };
}

/** Returns the fields of a refund notification (6.3). No record shows when a part settled. */
async function refundFacts(where: Where, about: CreatedResource, logged: Fields): Promise<Fields> {
  const { record, shared } = await payInOf(where, about, logged);
  const refunds = (await where.partner.call(ListRefunds, { params: { id: about.id } })).body.data;
  const refund = refunds.find(({ refundId }) => refundId === logged['refundId']);
  const failed = refund?.status === 'FAILED';
  const isPart = refund?.amount.value !== record.amount.value;
  return {
    ...shared,
    type: 'REFUND',
    refundId: refund?.refundId,
    refundedAt: failed ? null : isPart ? logged['refundedAt'] : (record.refundedAt ?? null),
    event: `ORDER-PAYIN.${failed ? 'REFUND_FAILED' : 'REFUNDED'}`,
    status: failed ? 'FAILED' : 'REFUNDED',
    message: refund?.errorMessage ?? '',
    ...(isPart && { amount: refund?.amount, orderStatus: record.status }),
    ...(isPart && !failed && { refundedAmount: record.refundedAmount }),
  };
}

/**
 * Reads a pay-in, its payer, and the fields that 6.2 and 6.3 share. No record shows when a pay-in changed last: the
 * expected `updatedAt` is the latest of the times in the record and the one in the delivery log. A bank may have dated
 * the change earlier than the service.
 */
async function payInOf({ partner }: Where, { id, payer, subscriptionId, charge }: CreatedResource, logged: Fields) {
  const record = (await partner.call(GetPayIn, { params: { id } })).body;
  const { externalId, createdAt, paidAt, refundedAt, canceledAt, expiredAt } = record;
  const known = [createdAt, paidAt, refundedAt, canceledAt, expiredAt, logged['updatedAt']];
  const updatedAt = known.toSorted().findLast((at) => at);
  const shared = { id, code: externalId, paidAt: paidAt ?? null, updatedAt };
  if (subscriptionId === undefined) return { record, payer, shared: { ...shared, subscription: undefined } };
  const subscription = (await partner.call(GetSubscription, { params: { id: subscriptionId } })).body;
  const { name = subscription.debtor.name, document } = subscription.payer ?? subscription.debtor;
  const origin = { id: subscriptionId, code: subscription.externalId };
  if (charge === undefined) return { record, payer: { name, document }, shared: { ...shared, subscription: origin } };
  const { body } = await partner.call(GetScheduledPayment, { params: { id: subscriptionId, paymentId: charge } });
  const scheduledPayment = { id: charge, externalId: body.externalId };
  return { record, payer: { name, document }, shared: { ...shared, subscription: { ...origin, scheduledPayment } } };
}

/** Returns the fields of a payout notification (6.4). A batch that is paid in part is notified as an error. */
async function payoutFacts(where: Where, { id, pixKey }: CreatedResource, logged: Fields): Promise<Fields> {
  const record = (await where.partner.call(GetPayout, { params: { id } })).body;
  const { externalId: code, amount: value, currency, description, updatedAt, errorMessage } = record;
  const { paidAt = null, endToEndId = null, controlNumber = null } = record;
  const status = record.status === 'PARTIALLY_PAID' ? 'ERROR' : record.status;
  const { transactions: _parts, ...totals } = record.batch ?? {};
  const receiver = logged['receiver'] as { readonly pix?: object };
  return {
    id,
    code,
    event: `ORDER-PAYOUT.${status}`,
    status,
    type: 'PAY-OUT',
    amount: { currency, value },
    description,
    paidAt,
    updatedAt,
    endToEndId,
    controlNumber,
    ownerBank: await ownerBank(where),
    receiver: { ...receiver, ...record.receiver, pix: { ...receiver.pix, key: pixKey } },
    batch: record.batch && totals,
    ...(errorMessage !== undefined && { message: errorMessage }),
  };
}

/**
 * Returns the fields of a subscription notification. `data` is the record without the image of the QR code, with the
 * latest 10 cancellation requests.
 */
async function subscriptionFacts({ partner }: Where, { id }: CreatedResource): Promise<Fields> {
  const { qrcodeDetail, ...record } = (await partner.call(GetSubscription, { params: { id } })).body;
  const { qrcodeData } = qrcodeDetail;
  const cancellations = record.cancellations.slice(-10);
  return {
    event: `SUBSCRIPTION.${record.status}`,
    occurredAt: record.updatedAt,
    data: { ...record, qrcodeDetail: { qrcodeData }, cancellations },
  };
}

/**
 * Returns the fields of a scheduled payment's notification. `data` is the record; for a cancellation only the fields of
 * 6.5.
 */
async function paymentFacts(
  { partner }: Where,
  event: string,
  { id, subscriptionId = '' }: CreatedResource,
  logged: Fields,
): Promise<Fields> {
  const record = (await partner.call(GetScheduledPayment, { params: { id: subscriptionId, paymentId: id } })).body;
  const prefix = 'SUBSCRIPTION.SCHEDULED_PAYMENT';
  if (!event.startsWith(`${prefix}.CANCELLATION.`))
    return {
      event: `${prefix}.${record.status}`,
      occurredAt: record.updatedAt,
      data: record.status === 'PENDING' ? numbered(record, logged) : record,
    };
  const data = z.object(CanceledPaymentData.shape).parse(record);
  const { status, canceledAt } = data.cancellation;
  return { event: `${prefix}.CANCELLATION.${status}`, occurredAt: canceledAt, data };
}

const LoggedReturn = z.object({ data: z.object({ return: z.object({ returnId: z.string() }) }) });

/**
 * Returns the fields of a credit's notification. `data` is the record without its returns; after a return, the record
 * and that return.
 */
/** Returns the fields of a dispute's notification. A reminder changes no record: its time is that of the log. */
async function disputeFacts(
  { partner }: Where,
  event: string,
  { id }: CreatedResource,
  logged: Fields,
): Promise<Fields> {
  const record = (await partner.call(GetDispute, { params: { id } })).body;
  const occurredAt = event === 'DISPUTE.DUE_SOON' ? logged['occurredAt'] : record.updatedAt;
  const named = record.status === 'OPEN' && event === 'DISPUTE.DUE_SOON' ? 'DUE_SOON' : record.status;
  return { event: `DISPUTE.${named === 'OPEN' ? 'OPENED' : named}`, occurredAt, data: record };
}

async function creditFacts(
  { partner }: Where,
  event: string,
  { id }: CreatedResource,
  logged: Fields,
): Promise<Fields> {
  const { returns, ...credit } = (await partner.call(GetCredit, { params: { id } })).body;
  if (event === 'CREDIT.RECEIVED') return { event, occurredAt: credit.receivedAt, data: credit };
  const named = LoggedReturn.safeParse(logged).data?.data.return.returnId;
  const returned = returns.find(({ returnId }) => returnId === named);
  return {
    event: `CREDIT.${returned?.status === 'FAILED' ? 'RETURN_FAILED' : 'RETURNED'}`,
    occurredAt: credit.updatedAt,
    data: { credit, return: returned },
  };
}

/** Removes the end-to-end id from the record if the logged notification has none: a bank may send it later. */
function numbered<T extends { readonly endToEndId?: string | undefined }>(record: T, logged: Fields): T {
  const { endToEndId, ...rest } = record;
  const hadNumber = isRecord(logged['data']) && logged['data']['endToEndId'] !== undefined;
  return hadNumber || endToEndId === undefined ? record : (rest as T);
}

/** The scenario's account, as notifications show it. */
async function ownerBank(where: Where, cursor?: string): Promise<OwnerBank> {
  const query = { limit: '100', ...(cursor !== undefined && { cursor }) };
  const { data, nextCursor } = (await where.partner.call(ListAccounts, { query })).body;
  const found = data.find(({ id }) => id === where.accountId);
  if (found !== undefined) {
    const { bankNumber, ...bank } = found.bankAccountData;
    return ownerBankOf({ ...found, bankAccountData: { ...bank, ...(bankNumber !== undefined && { bankNumber }) } });
  }
  if (nextCursor !== null) return ownerBank(where, nextCursor);
  throw new ToolFailure(`The company has no account ${where.accountId}.`, 'Name one of its accounts with --account.');
}

/** The path of the first field that differs. */
function firstDifference(expected: unknown, found: unknown): readonly string[] | undefined {
  if (isDeepStrictEqual(expected, found)) return undefined;
  if (!isRecord(expected) || !isRecord(found)) return [];
  for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const inner = firstDifference(expected[key], found[key]);
    if (inner !== undefined) return [key, ...inner];
  }
  return undefined;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown, path: readonly string[]): string {
  const found = path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);
  return found === undefined ? 'absent' : JSON.stringify(found);
}
