import type { Contract } from '#shared/contract/contract.ts';
import type { JsonObject } from './schemas.ts';

/** The next operation, and the sources of its parameters and body fields. */
type Link = {
  readonly operationId: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, string>>;
};

const here = '$response.body#/id';
const first = '$response.body#/data/0/id';
const subscription = '$request.path.id';
const account = '$request.path.accountId';
const validationId = '$response.body#/validationId';

const to = (operationId: string, parameters: Readonly<Record<string, string>>): Link => ({ operationId, parameters });
const move = (operationId: string, id: string, status: string): Link => ({ operationId, body: { id, status } });

const ofPayIn = (id: string, operations: readonly string[]): readonly Link[] => [
  ...operations.map((operationId) => to(operationId, { id })),
  move('forceOrderStatus', id, 'PAID'),
];
const ofAccount = (accountId: string): readonly Link[] => [
  to('getBalance', { accountId }),
  to('listEntries', { accountId }),
  to('listPixKeys', { accountId }),
  to('createPixKey', { accountId }),
];
const ofDelivery = (id: string): readonly Link[] => [
  to('getWebhookDelivery', { id }),
  to('resendWebhookDelivery', { id }),
];
const ofPayment = (paymentId: string): readonly Link[] => [
  to('getScheduledPayment', { id: subscription, paymentId }),
  to('cancelScheduledPayment', { id: subscription, paymentId }),
];

/** From operations that create or list to those that read, force a status, cancel and resend. */
const links: Readonly<Record<string, readonly Link[]>> = {
  listAccounts: ofAccount(first),
  createPixKey: [
    { ...to('resendKeyCode', { accountId: account }), body: { validationId } },
    { ...to('confirmPixKey', { accountId: account }), body: { validationId } },
    to('getKeyCode', { accountId: account, validationId }),
    to('listPixKeys', { accountId: account }),
  ],
  createPayIn: ofPayIn(here, ['getPayIn', 'cancelPayIn', 'refundPayIn', 'listRefunds']),
  listPayIns: ofPayIn(first, ['getPayIn', 'refundPayIn', 'listRefunds']),
  refundPayIn: [to('listRefunds', { id: '$request.path.id' }), to('getPayIn', { id: '$request.path.id' })],
  createPayout: [to('getPayout', { id: here }), move('forceOrderStatus', here, 'PAID')],
  listPayouts: [to('getPayout', { id: first })],
  createSubscription: [
    to('getSubscription', { id: here }),
    to('cancelSubscription', { id: here }),
    to('createScheduledPayment', { id: here }),
    to('listScheduledPayments', { id: here }),
    move('forceSubscriptionStatus', here, 'ACCEPTED'),
    to('getPayIn', { id: '$response.body#/initialCharge/orderId' }),
  ],
  listSubscriptions: [
    to('getSubscription', { id: first }),
    to('createScheduledPayment', { id: first }),
    to('listScheduledPayments', { id: first }),
    to('cancelSubscription', { id: first }),
  ],
  createScheduledPayment: [...ofPayment(here), move('forceScheduledPaymentStatus', here, 'ACCEPTED')],
  listScheduledPayments: ofPayment(first),
  listWebhookDeliveries: ofDelivery(first),
  testWebhook: ofDelivery(here),
  resendWebhookDelivery: ofDelivery(here),
  resendWebhookDeliveries: [to('getWebhookResend', { id: here })],
};

/**
 * The links of a success (OpenAPI 3.1, Link Object) by the operation they lead to. The fields of a body stand in
 * `x-request-body`: `requestBody` may be any value, but generators of clients want a text.
 */
export function linksOf({ operationId }: Contract): JsonObject | undefined {
  const entries = links[operationId]?.map(({ body, ...link }): [string, JsonObject] => [
    link.operationId,
    { ...link, ...(body && { 'x-request-body': body }) },
  ]);
  return entries && Object.fromEntries(entries);
}
