import * as is from './kinds.ts';
import type { Kind } from './kinds.ts';

/** A field's borders where the example of its operation is changed first; a field that is undefined is left out. */
export type Row = { readonly kind: Kind; readonly given?: Readonly<Record<string, unknown>> };

const pages = { 'query limit': is.limit, 'query cursor': is.cursor };
const between = { 'query createdFrom': is.moment, 'query createdTo': is.moment };
const ofRecords = { 'query accountId': is.uuid, 'query externalId': is.externalId, ...pages };
const ofOrders = { ...ofRecords, ...between, 'query endToEndId': is.endToEndId };
const keyed = { 'header idempotency-key': is.key };
const someone = { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } };

const party = (field: string) => ({
  [`body ${field}.name`]: { kind: is.name, given: { [field]: someone } },
  [`body ${field}.document.number`]: { kind: is.cpf, given: { [field]: someone } },
});

/** An account of a bank that no other field contradicts. */
const account = {
  ispb: undefined,
  bankNumber: '1',
  accountType: 'CHECKING_ACCOUNT',
  branchNumber: '1',
  accountNumber: '1',
};
const toAccount = (kind: Kind, given: object = {}): Row => ({
  kind,
  given: { receiver: someone, paymentData: { bankAccount: { ...account, ...given } } },
});

const amountOf = (field: string, given: Row['given'] = {}): Row => ({
  kind: is.amount,
  given: { ...given, [field]: { currency: 'BRL', value: '1.00' } },
});
const first = {
  type: 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT',
  initialCharge: { amount: { currency: 'BRL', value: 1 } },
};

/**
 * Every field of every request that has borders, by operation. test/contract/borders.test.ts misses one that is not
 * here. Lists of names (`enum`) are held to the specification by specification.test.ts.
 */
export const fields: Readonly<Record<string, Readonly<Record<string, Kind | Row>>>> = {
  listAccounts: {
    'query document': is.document,
    'query email': is.partOfEmail,
    'query fullName': is.name,
    ...pages,
  },
  listEntries: { 'path accountId': is.uuid, 'query orderId': is.uuid, ...between, ...pages },
  listStatementRoots: { 'query accountId': is.uuid, ...pages },
  getBalance: { 'path accountId': is.uuid },
  getCapabilities: { 'path accountId': is.uuid },
  createPixKey: {
    'path accountId': is.uuid,
    ...keyed,
    'body key': { kind: is.emailKey, given: { type: 'EMAIL' } },
    'body key of a phone': { kind: is.phoneKey, given: { type: 'PHONE' } },
    'body key of a company': { kind: is.cnpjKey, given: { type: 'CNPJ' } },
  },
  listPixKeys: { 'path accountId': is.uuid, ...pages },
  resendKeyCode: {
    'path accountId': is.uuid,
    'header idempotency-key': is.uuidKey,
    'body validationId': is.uuid,
  },
  confirmPixKey: { 'path accountId': is.uuid, ...keyed, 'body validationId': is.uuid, 'body code': is.code },
  removePixKey: { 'path accountId': is.uuid, 'path validationId': is.uuid },
  createPayIn: {
    ...keyed,
    'body externalId': is.externalId,
    'body accountId': is.uuid,
    'body amount.value': is.amount,
    'body description': is.description,
    ...party('payer'),
    'body payer.document.number of a company': {
      kind: is.cnpj,
      given: { payer: { name: 'A', document: { type: 'CNPJ' } } },
    },
    'body expiresInSeconds': is.lifeOfPayIn,
  },
  listPayIns: ofOrders,
  getPayIn: { 'path id': is.orderId, 'query externalId': is.externalId },
  cancelPayIn: { 'path id': is.orderId },
  refundPayIn: {
    'path id': is.orderId,
    ...keyed,
    'body amount.value': amountOf('amount'),
    'body description': is.description,
  },
  listRefunds: { 'path id': is.orderId },
  listCredits: {
    'query accountId': is.uuid,
    'query orderId': is.uuid,
    'query endToEndId': is.endToEndId,
    ...between,
    ...pages,
  },
  getCredit: { 'path id': is.uuid },
  returnCredit: { 'path id': is.uuid, ...keyed, 'body amount.value': amountOf('amount') },
  assignCredit: { 'path id': is.uuid, 'body orderId': is.uuid },
  receiveCredit: {
    'body accountId': is.uuid,
    'body amount.value': is.amount,
    'body orderId': { kind: is.uuid, given: { payer: undefined } },
    ...party('payer'),
  },
  listDisputes: {
    'query accountId': is.uuid,
    'query orderId': is.uuid,
    'query dueBefore': is.moment,
    ...between,
    ...pages,
  },
  getDispute: { 'path id': is.uuid },
  defendDispute: {
    'path id': is.uuid,
    ...keyed,
    'body text': is.defence,
    'body documents': is.documents,
    'body documents.0': { kind: is.documentUrl, given: { documents: ['https://a'] } },
  },
  forceDisputeStatus: {
    'body id': { kind: is.uuid, given: { orderId: undefined, status: 'REJECTED' } },
    'body orderId': is.uuid,
    'body creditId': { kind: is.uuid, given: { orderId: undefined } },
    'body amount.value': amountOf('amount'),
  },
  createPayout: {
    ...keyed,
    'body externalId': is.externalId,
    'body accountId': is.uuid,
    ...party('receiver'),
    'body paymentData.pixKey': { kind: is.pixKey, given: { paymentData: { pixKey: 'a@b' } } },
    'body paymentData.qrcodeData': { kind: is.qrCode, given: { paymentData: { qrcodeData: '' } } },
    'body paymentData.bankAccount.ispb': toAccount(is.ispb, { bankNumber: undefined }),
    'body paymentData.bankAccount.bankNumber': toAccount(is.bankNumber),
    'body paymentData.bankAccount.branchNumber': toAccount(is.branchNumber),
    'body paymentData.bankAccount.accountNumber': toAccount(is.accountNumber),
    'body amount.value': is.amount,
    'body description': is.description,
  },
  listPayouts: ofOrders,
  getPayout: { 'path id': is.orderId },
  getPayoutCertificate: { 'path id': is.orderId },
  getRefundCertificate: { 'path id': is.orderId, 'path refundId': is.orderId },
  createSubscription: {
    ...keyed,
    'body accountId': is.uuid,
    'body externalId': is.externalId,
    'body description': is.description,
    'body webhookUrl': is.url,
    'body startDate': { kind: is.day, given: { endDate: undefined } },
    'body endDate': { kind: is.endDay, given: { startDate: '1900-01-01' } },
    'body fixedAmount.value': amountOf('fixedAmount', { maxAmountFloor: undefined }),
    'body maxAmountFloor.value': amountOf('maxAmountFloor', { fixedAmount: undefined }),
    ...party('debtor'),
    ...party('payer'),
    'body initialCharge.amount.value': { kind: is.amount, given: first },
  },
  listSubscriptions: ofRecords,
  getSubscription: { 'path id': is.uuid },
  updateSubscription: { 'path id': is.uuid, 'body webhookUrl': is.url },
  cancelSubscription: {
    'path id': is.uuid,
    ...keyed,
    'body customer.document.number': { kind: is.cpf, given: { customer: { document: someone.document } } },
  },
  createScheduledPayment: {
    'path id': is.uuid,
    'body externalId': is.externalId,
    'body dueDate': is.day,
    'body amount.value': amountOf('amount'),
    'body description': is.description,
    'body originalScheduledPaymentId': { kind: is.uuid, given: { purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE' } },
  },
  listScheduledPayments: { 'path id': is.uuid, ...pages },
  getScheduledPayment: { 'path id': is.uuid, 'path paymentId': is.uuid },
  cancelScheduledPayment: { 'path id': is.uuid, 'path paymentId': is.uuid, ...keyed },
  replaceWebhookSettings: { 'body events': is.endpoints, 'body events.0.endpoint': is.url },
  getWebhookDelivery: { 'path id': is.uuid },
  listWebhookDeliveries: {
    'query event': is.eventName,
    'query resourceId': is.uuid,
    'query createdAfter': is.moment,
    ...pages,
  },
  listWebhookEndpoints: pages,
  releaseWebhookEndpoint: { 'body endpoint': is.url },
  resendWebhookDelivery: { 'path id': is.uuid },
  resendWebhookDeliveries: { ...keyed, 'body createdFrom': is.moment },
  getWebhookResend: { 'path id': is.uuid },
  rotateWebhookSecret: { ...keyed, 'body overlapSeconds': is.overlap },
  forceSubscriptionStatus: { 'body id': is.uuid },
  forceScheduledPaymentStatus: { 'body id': is.uuid },
  forceOrderStatus: { 'body id': is.uuid },
  setClock: {
    ...keyed,
    'body now': { kind: is.moment, given: { advanceSeconds: undefined } },
    'body advanceSeconds': { kind: is.advance, given: { now: undefined } },
  },
  getKeyCode: { 'path accountId': is.uuid, 'path validationId': is.uuid },
};
