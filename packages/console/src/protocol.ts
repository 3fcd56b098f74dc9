// Types of the requests and responses between the console's page and its server.
import type { GetBalance } from '#functions/accounts/balance/contract.ts';
import type { ListEntries } from '#functions/accounts/list-entries/contract.ts';
import type { ListAccounts } from '#functions/accounts/list/contract.ts';
import type { AssignCredit } from '#functions/credits/assign/contract.ts';
import type { GetCredit } from '#functions/credits/get/contract.ts';
import type { ListCredits } from '#functions/credits/list/contract.ts';
import type { ReturnCredit } from '#functions/credits/return/contract.ts';
import type { DefendDispute } from '#functions/disputes/defend/contract.ts';
import type { GetDispute } from '#functions/disputes/get/contract.ts';
import type { ListDisputes } from '#functions/disputes/list/contract.ts';
import type { ForceDisputeStatus } from '#functions/order-tools/force-dispute-status/contract.ts';
import type { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import type { ForceScheduledPaymentStatus } from '#functions/order-tools/force-scheduled-payment-status/contract.ts';
import type { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import type { GetClock } from '#functions/order-tools/get-clock/contract.ts';
import type { ReceiveCredit } from '#functions/order-tools/receive-credit/contract.ts';
import type { ResetClock } from '#functions/order-tools/reset-clock/contract.ts';
import type { SetClock } from '#functions/order-tools/set-clock/contract.ts';
import type { CancelPayIn } from '#functions/pay-ins/cancel/contract.ts';
import type { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import type { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import type { ListRefunds } from '#functions/pay-ins/list-refunds/contract.ts';
import type { ListPayIns } from '#functions/pay-ins/list/contract.ts';
import type { RefundPayIn } from '#functions/pay-ins/refund/contract.ts';
import type { CreatePayout } from '#functions/payouts/create/contract.ts';
import type { GetPayout } from '#functions/payouts/get/contract.ts';
import type { ListPayouts } from '#functions/payouts/list/contract.ts';
import type { CancelScheduledPayment } from '#functions/scheduled-payments/cancel/contract.ts';
import type { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import type { GetScheduledPayment } from '#functions/scheduled-payments/get/contract.ts';
import type { ListScheduledPayments } from '#functions/scheduled-payments/list/contract.ts';
import type { CancelSubscription } from '#functions/subscriptions/cancel/contract.ts';
import type { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import type { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import type { ListSubscriptions } from '#functions/subscriptions/list/contract.ts';
import type { GetDelivery } from '#functions/webhooks/get-delivery/contract.ts';
import type { GetWebhookSettings } from '#functions/webhooks/get/contract.ts';
import type { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import type { ListEndpoints } from '#functions/webhooks/list-endpoints/contract.ts';
import type { ReleaseEndpoint } from '#functions/webhooks/release-endpoint/contract.ts';
import type { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import type { ResendDeliveries } from '#functions/webhooks/resend-deliveries/contract.ts';
import type { ResendDelivery } from '#functions/webhooks/resend-delivery/contract.ts';
import type { TestWebhook } from '#functions/webhooks/send-test/contract.ts';
import type { ResponseOf, Contract } from '#shared/contract/contract.ts';

/** Method and path of an operation, from the OpenAPI document. */
export type Route = {
  readonly method: string;
  /** Parameters in braces. */
  readonly path: string;
  readonly takesKey: boolean;
};

/** `GET /console/api/environment`. */
export type Environment = {
  readonly baseUrl: string;
  /** Address of a receiver for all notifications, which one click registers; absent where none is known. */
  readonly receiver?: string;
  readonly companies: readonly { readonly companyId: string; readonly name: string }[];
  readonly routes: Readonly<Record<OperationId, Route>>;
};

/** `GET /console/api/companies/{companyId}/signatures/{deliveryId}`. */
export type Signed = {
  /** The exact text that is signed and sent. */
  readonly body: string;
  readonly bytes: number;
  /** Headers of every attempt, computed with the secret of the sandbox file. */
  readonly attempts: readonly { readonly number: number; readonly headers: Readonly<Record<string, string>> }[];
};

/** A logged request, without personal data. */
export type SeenRequest = {
  /** When it arrived, epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string | undefined;
  /** Code of the error body. */
  readonly error?: string;
  readonly details: readonly { readonly field: string; readonly issue: string; readonly description: string }[];
  /** The request's body, with personal data masked. */
  readonly body?: unknown;
  /** The body of a successful response, masked likewise. */
  readonly answer?: unknown;
};

/** `GET /console/api/requests?companyId=&text=&status=&error=&skip=`: a page, newest first. */
export type SeenRequests = {
  /** All requests of the environment, or those of this console. */
  readonly of: 'environment' | 'console';
  readonly requests: readonly SeenRequest[];
  readonly hasMore: boolean;
  /** Errors of all requests found, not only of this page, the most frequent first. */
  readonly errors: readonly { readonly error: string; readonly count: number; readonly lastAt: number }[];
};

/**
 * The operations that the page may call. Operations whose responses hold secrets are missing: neither a new webhook
 * secret nor a key code may reach a page.
 */
type Contracts =
  | [typeof GetBalance, typeof ListAccounts, typeof ListEntries][number]
  | [typeof ForceOrderStatus, typeof ForceScheduledPaymentStatus, typeof ForceSubscriptionStatus][number]
  | [typeof GetClock, typeof ResetClock, typeof SetClock][number]
  | [typeof CancelPayIn, typeof CreatePayIn, typeof GetPayIn, typeof ListPayIns][number]
  | [typeof ListRefunds, typeof RefundPayIn][number]
  | [typeof AssignCredit, typeof GetCredit, typeof ListCredits, typeof ReceiveCredit, typeof ReturnCredit][number]
  | [typeof DefendDispute, typeof ForceDisputeStatus, typeof GetDispute, typeof ListDisputes][number]
  | [typeof CreatePayout, typeof GetPayout, typeof ListPayouts][number]
  | [typeof CancelScheduledPayment, typeof CreateScheduledPayment][number]
  | [typeof GetScheduledPayment, typeof ListScheduledPayments][number]
  | [typeof CancelSubscription, typeof CreateSubscription, typeof GetSubscription, typeof ListSubscriptions][number]
  | [typeof GetWebhookSettings, typeof ReplaceWebhookSettings, typeof TestWebhook][number]
  | [typeof ListEndpoints, typeof ReleaseEndpoint, typeof ResendDeliveries][number]
  | [typeof GetDelivery, typeof ListDeliveries, typeof ResendDelivery][number];

export type OperationId = Contracts['operationId'];
type ContractOf<K extends OperationId> = Extract<Contracts, { readonly operationId: K } & Contract>;
/** The body of a successful response. */
export type ResponseBody<K extends OperationId> = ResponseOf<ContractOf<K>>['body'];

/** The operations for which there is a form. */
export const formOperations = [
  'createSubscription',
  'createPayIn',
  'createPayout',
  'createScheduledPayment',
  'receiveCredit',
] as const;

/** A field of a request body, from the OpenAPI document. */
export type FormField = {
  readonly name: string;
  /** A group is an object, with fields of its own. */
  readonly kind: 'text' | 'date' | 'number' | 'flag' | 'choice' | 'group';
  readonly isRequired: boolean;
  readonly description: string;
  readonly example: string;
  readonly options: readonly string[];
  readonly fields: readonly FormField[];
};

/** `GET /console/api/forms`. */
export type Forms = Readonly<Record<(typeof formOperations)[number], readonly FormField[]>>;

/** A request from the page to the service; the console's server adds address, token and idempotency key. */
export type Ask<K extends OperationId = OperationId> = {
  readonly operation: K;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/** The service's response to a request. */
export type ServiceResponse = {
  readonly status: number;
  readonly requestId: string | undefined;
  /** JSON, or the text of a response that is not JSON. */
  readonly body: unknown;
};

/** The operations that the page may call, at run time: the server refuses all others. */
export const operationIds: Readonly<Record<OperationId, true>> = {
  getBalance: true,
  listAccounts: true,
  listEntries: true,
  forceOrderStatus: true,
  forceScheduledPaymentStatus: true,
  forceSubscriptionStatus: true,
  getClock: true,
  resetClock: true,
  setClock: true,
  cancelPayIn: true,
  createPayIn: true,
  getPayIn: true,
  listPayIns: true,
  listRefunds: true,
  refundPayIn: true,
  assignCredit: true,
  getCredit: true,
  listCredits: true,
  receiveCredit: true,
  returnCredit: true,
  defendDispute: true,
  forceDisputeStatus: true,
  getDispute: true,
  listDisputes: true,
  createPayout: true,
  getPayout: true,
  listPayouts: true,
  cancelScheduledPayment: true,
  createScheduledPayment: true,
  getScheduledPayment: true,
  listScheduledPayments: true,
  cancelSubscription: true,
  createSubscription: true,
  getSubscription: true,
  listSubscriptions: true,
  getWebhookSettings: true,
  replaceWebhookSettings: true,
  testWebhook: true,
  listWebhookEndpoints: true,
  releaseWebhookEndpoint: true,
  resendWebhookDeliveries: true,
  getWebhookDelivery: true,
  listWebhookDeliveries: true,
  resendWebhookDelivery: true,
};
