import { describe, expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { openApiDocument } from '#tools/docs/document.ts';

/**
 * The tables of the specification, copied by hand: names as it writes them, `?` behind what may be absent, `~` behind
 * what may be null. What the document says beyond them is listed as such.
 */
const tables: Readonly<Record<string, string>> = {
  // 2.2; which fields are required is decided: all but these, and `initialCharge` for journey 3
  CreateSubscriptionRequest: `accountId type externalId description? webhookUrl frequencyType startDate endDate?
    allowChargeAfterDueDate? allowAdjustToBusinessDay? fixedAmount?.currency fixedAmount?.value maxAmountFloor?.currency
    maxAmountFloor?.value debtor.name debtor.document.type debtor.document.number payer?.name payer?.document.type
    payer?.document.number initialCharge?.amount.currency initialCharge?.amount.value`,
  // 2.3
  CreatedSubscription: `id status qrcodeImageBase64 qrcodeData providerId externalId initialCharge?.orderId?
    initialCharge?.amount.currency initialCharge?.amount.value initialCharge?.conciliationId initialCharge?.expireDateTime`,
  // 2.4, and the clients that created it, changed its address and asked to cancel it
  SubscriptionRecord: `id providerId type status statusHistory[].status statusHistory[].createdAt qrcodeDetail.imageBase64
    qrcodeDetail.qrcodeData initialCharge?.orderId? initialCharge?.expireDateTime initialCharge?.conciliationId
    initialCharge?.amount.currency initialCharge?.amount.value allowChargeAfterDueDate? allowAdjustToBusinessDay?
    frequencyType startDate endDate? fixedAmount?.currency fixedAmount?.value maxAmountFloor?.currency maxAmountFloor?.value
    debtor.name debtor.document.type debtor.document.number receiver.id receiver.fullName receiver.document.type
    receiver.document.number payer?.name? payer?.document.type payer?.document.number payer?.bankData?.ispb
    payer?.bankData?.accountNumber payer?.bankData?.branchNumber? description? webhookUrl externalId createdAt updatedAt?
    cancellations[].id cancellations[].idempotencyKey cancellations[].status cancellations[].statusHistory[].status
    cancellations[].statusHistory[].createdAt cancellations[].reason cancellations[].customer.document.type
    cancellations[].customer.document.number cancellations[].createdAt cancellations[].updatedAt
    cancellations[].createdBy? createdBy? updatedBy?`,
  // 2.5, and the client that asked for it
  CancellationRecord: `id idempotencyKey status statusHistory[].status statusHistory[].createdAt reason
    customer.document.type customer.document.number createdAt createdBy? updatedAt`,
  // 2.6, what refunds of a part have given back, and the clients that created and canceled it
  PayInRecord: `id externalId status errorMessage? qrcodeImageBase64 qrcodeData expireDateTime amount.currency amount.value
    description conciliationId endToEndId? paymentMethod createdAt paidAt? refundedAt? canceledAt? expiredAt?
    refundedAmount?.currency refundedAmount?.value createdBy? canceledBy?`,
  // 2.7, and beyond it that an equal payout is wanted
  CreatePayoutRequest: `externalId accountId paymentMethod receiver?.name receiver?.document.type receiver?.document.number
    paymentData.pixKey? paymentData.qrcodeData? paymentData.bankAccount?.ispb? paymentData.bankAccount?.bankNumber?
    paymentData.bankAccount?.accountType paymentData.bankAccount?.branchNumber paymentData.bankAccount?.accountNumber
    amount.currency amount.value description allowDuplicate?`,
  // 2.8; 6.4 and the decisions add `batch` to the notification, without its payments
  Batch: `id transactionsCount paidCount failedCount pendingCount paidAmount pendingAmount transactions[].id
    transactions[].idempotencyKey transactions[].sequence transactions[].amount transactions[].status
    transactions[].endToEndId? transactions[].paidAt? transactions[].errorMessage?`,
  // 2.10, and the text of a key that is registered at once
  KeyValidationResponse: 'validationId status expiresAt',
  KeyCreation: 'validationId status expiresAt key?.type key?.key',
  // 2.11, and beyond it since when an endpoint fails and the client that set the endpoints
  WebhookSettingsRecord: `id companyId organizationId status events[].type events[].endpoint events[].status
    events[].createdAt events[].updatedAt createdAt updatedAt events[].failingSince? updatedBy?`,
  // 6.2
  PayInNotification: `id code event status paidAt~ updatedAt endToEndId~ controlNumber~ type message customerMessage?
    description? amount.currency amount.value ${bank('ownerBank?', 'name? document?')} ${bank('payer', 'name document.type document.number')}
    subscription?.id subscription?.code subscription?.scheduledPayment?.id subscription?.scheduledPayment?.externalId`,
  // 6.3, and what the refund of a part says beyond it
  RefundNotification: `id code event status type refundId paidAt~ refundedAt~ updatedAt endToEndId~ message subscription?.id
    subscription?.code subscription?.scheduledPayment?.id subscription?.scheduledPayment?.externalId amount?.currency
    amount?.value refundedAmount?.currency refundedAmount?.value orderStatus?`,
  // 6.4
  PayoutNotification: `id code event status paidAt~ updatedAt endToEndId~ controlNumber~ type message description?
    amount.currency amount.value ${bank('ownerBank?', 'name? document?')} ${bank('receiver', 'name document.type document.number')}
    batch?.id batch?.transactionsCount batch?.paidCount batch?.failedCount batch?.pendingCount batch?.paidAmount
    batch?.pendingAmount`,
  // 4.9 to 4.11
  ToolResponse: 'id description',
  // 7
  ErrorResponse: 'error message details[].field details[].issue details[].description',
};

/** The shared `bank` and `pix` of 6.2, below a field that has some of its own. */
function bank(field: string, own: string): string {
  const banks = 'ispb? name? branch? account? accountType? code? pix?.type pix?.key'.split(' ');
  const names = [...own.split(' '), ...banks.map((name) => `bank?.${name}`), 'pix?.type', 'pix?.key'];
  return names.map((name) => `${field}.${name}`).join(' ');
}

/** Lists of the specification, by the path of their field. */
const values: Readonly<Record<string, string>> = {
  'CreateSubscriptionRequest type': 'AUTHORIZATION_QRCODE AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT',
  'CreateSubscriptionRequest frequencyType': 'WEEKLY MONTHLY QUARTERLY SEMIANNUAL ANNUAL',
  'SubscriptionRecord status': 'INITIAL PENDING_AUTHORIZATION ACCEPTED REJECTED CANCELED ERROR',
  'CancellationRecord status': 'INITIAL PENDING ACCEPTED REJECTED ERROR',
  'CancellationRecord reason':
    'ACCOUNT_CANCELLATION PAYER_DECEASED REQUESTED_BY_PAYER REQUESTED_BY_RECEIVER FRAUD_SUSPICION',
  'CreatePayoutRequest paymentMethod': 'PIX TED',
  'CreatePayoutRequest paymentData.bankAccount?.accountType':
    'CHECKING_ACCOUNT WAGE_ACCOUNT SAVINGS_ACCOUNT PAYMENT_ACCOUNT',
  'Batch transactions[].status':
    'INITIAL PENDING PAID EXPIRED ANALYSIS REFUNDED PARTIAL_REFUNDED PARTIALLY_PAID CANCELED ERROR',
  'PayInNotification event': 'ORDER-PAYIN.PAID ORDER-PAYIN.EXPIRED ORDER-PAYIN.CANCELED ORDER-PAYIN.ERROR',
  'PayInNotification status': 'PAID EXPIRED CANCELED ERROR',
  'PayInNotification payer.pix?.type': 'CPF CNPJ EMAIL PHONE RANDOM',
  'PayoutNotification event': 'ORDER-PAYOUT.PAID ORDER-PAYOUT.CANCELED ORDER-PAYOUT.ERROR',
  'PayoutNotification status': 'PAID CANCELED ERROR',
  'ForceSubscriptionStatusRequest status': 'ACCEPTED REJECTED CANCELED CANCELLATION_REJECTED',
  'ForceOrderStatusRequest status': 'PAID CANCELED EXPIRED ERROR REFUNDED',
  'ErrorResponse error': 'INVALID_REQUEST UNAUTHORIZED FORBIDDEN_ERROR NOT_FOUND TOO_MANY_REQUESTS INTERNAL_ERROR',
};

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly 'x-extensible-enum'?: readonly string[];
};
const document = JSON.parse(JSON.stringify(openApiDocument(routes, '0'))) as {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
const { schemas } = document.components;

/** Every leaf of a schema by its path, as the tables write it. */
function leaves(schema: Schema, path: string): readonly (readonly [path: string, leaf: Schema])[] {
  if (schema.$ref !== undefined) return leaves(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, path);
  if (schema.items) return leaves(schema.items, `${path}[]`);
  if (schema.type?.includes('null') === true || schema.oneOf?.some(({ type }) => type === 'null'))
    return [[`${path}~`, schema]];
  // Of several objects each field may be absent.
  if (schema.oneOf?.some(({ $ref }) => $ref !== undefined) === true)
    return schema.oneOf.flatMap((one) => leaves(one, path).map(([at, leaf]) => [absent(at, path), leaf] as const));
  if (schema.properties === undefined) return [[path, schema]];
  return Object.entries(schema.properties).flatMap(([name, property]) => {
    const here = schema.required?.includes(name) === true ? name : `${name}?`;
    return leaves(property, path === '' ? here : `${path}.${here}`);
  });
}
/** A path whose first name below another one may be absent. */
const absent = (path: string, above: string): string =>
  above + path.slice(above.length).replace(/^\.\w+(?!\w|\?)/u, (name) => `${name}?`);
const leavesOf = (name: string) => leaves(schemas[name] ?? {}, '');

describe('the document has the tables of the specification', () => {
  test.each(Object.entries(tables))('with the fields of %s', (name, table) => {
    const documented = leavesOf(name).map(([path]) => path);
    expect(documented.toSorted()).toEqual(table.trim().split(/\s+/u).toSorted());
  });

  test.each(Object.entries(values))('with the values of %s', (field, values) => {
    const [name = '', path = ''] = field.split(' ');
    const leaf = leavesOf(name).find(([found]) => found === path)?.[1];
    expect((leaf?.enum ?? leaf?.['x-extensible-enum'])?.toSorted()).toEqual(values.split(' ').toSorted());
  });
});
