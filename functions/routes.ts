import { GetBalance } from './accounts/balance/contract.ts';
import { GetCapabilities } from './accounts/capabilities/contract.ts';
import { ListEntries } from './accounts/list-entries/contract.ts';
import { ListStatementRoots } from './accounts/list-roots/contract.ts';
import { ListAccounts } from './accounts/list/contract.ts';
import { AssignCredit } from './credits/assign/contract.ts';
import { GetCredit } from './credits/get/contract.ts';
import { ListCredits } from './credits/list/contract.ts';
import { ReturnCredit } from './credits/return/contract.ts';
import { DefendDispute } from './disputes/defend/contract.ts';
import { GetDispute } from './disputes/get/contract.ts';
import { ListDisputes } from './disputes/list/contract.ts';
import { ForceDisputeStatus } from './order-tools/force-dispute-status/contract.ts';
import { ForceOrderStatus } from './order-tools/force-order-status/contract.ts';
import { ForceScheduledPaymentStatus } from './order-tools/force-scheduled-payment-status/contract.ts';
import { ForceSubscriptionStatus } from './order-tools/force-subscription-status/contract.ts';
import { CancelPayIn } from './pay-ins/cancel/contract.ts';
import { GetBankProfile } from './order-tools/get-bank-profile/contract.ts';
import { GetClock } from './order-tools/get-clock/contract.ts';
import { GetKeyCode } from './order-tools/get-key-code/contract.ts';
import { ReceiveCredit } from './order-tools/receive-credit/contract.ts';
import { ResetClock } from './order-tools/reset-clock/contract.ts';
import { SetBankProfile } from './order-tools/set-bank-profile/contract.ts';
import { SetClock } from './order-tools/set-clock/contract.ts';
import { CreatePayIn } from './pay-ins/create/contract.ts';
import { GetPayIn } from './pay-ins/get/contract.ts';
import { ListPayIns } from './pay-ins/list/contract.ts';
import { GetRefundCertificate } from './pay-ins/get-refund-certificate/contract.ts';
import { ListRefunds } from './pay-ins/list-refunds/contract.ts';
import { RefundPayIn } from './pay-ins/refund/contract.ts';
import { ConfirmKey } from './pix-keys/confirm/contract.ts';
import { CreateKey } from './pix-keys/create/contract.ts';
import { ListKeys } from './pix-keys/list/contract.ts';
import { RemoveKey } from './pix-keys/remove/contract.ts';
import { ResendKeyCode } from './pix-keys/resend/contract.ts';
import { CreatePayout } from './payouts/create/contract.ts';
import { GetPayout } from './payouts/get/contract.ts';
import { GetPayoutCertificate } from './payouts/get-certificate/contract.ts';
import { ListPayouts } from './payouts/list/contract.ts';
import { CancelScheduledPayment } from './scheduled-payments/cancel/contract.ts';
import { CreateScheduledPayment } from './scheduled-payments/create/contract.ts';
import { GetScheduledPayment } from './scheduled-payments/get/contract.ts';
import { ListScheduledPayments } from './scheduled-payments/list/contract.ts';
import { CancelSubscription } from './subscriptions/cancel/contract.ts';
import { CreateSubscription } from './subscriptions/create/contract.ts';
import { GetSubscription } from './subscriptions/get/contract.ts';
import { ListSubscriptions } from './subscriptions/list/contract.ts';
import { UpdateSubscription } from './subscriptions/update/contract.ts';
import { GetWebhookSettings } from './webhooks/get/contract.ts';
import { GetDelivery } from './webhooks/get-delivery/contract.ts';
import { GetResend } from './webhooks/get-resend/contract.ts';
import { ListDeliveries } from './webhooks/list-deliveries/contract.ts';
import { ListEndpoints } from './webhooks/list-endpoints/contract.ts';
import { ReleaseEndpoint } from './webhooks/release-endpoint/contract.ts';
import { ReplaceWebhookSettings } from './webhooks/replace/contract.ts';
import { ResendDelivery } from './webhooks/resend-delivery/contract.ts';
import { ResendDeliveries } from './webhooks/resend-deliveries/contract.ts';
import { RotateWebhookSecret } from './webhooks/rotate-secret/contract.ts';
import { TestWebhook } from './webhooks/send-test/contract.ts';
import type { Contract } from '#shared/contract/contract.ts';
import type { RouteAccess } from './access.ts';

export type Route = {
  /** Folder under functions/ that holds contract.ts and handler.ts. */
  readonly folder: string;
  readonly contract: Contract;
  readonly access: RouteAccess;
  /** Simulation tools are not deployed in production. */
  readonly simulation?: true;
  /** Default: that of `endpointFunction`. */
  readonly timeoutSeconds?: number;
};

type More = Omit<RouteAccess, 'table'>;

function reading(folder: string, contract: Contract, more: More = {}): Route {
  return { folder, contract, access: { table: 'reads', ...more } };
}

function writing(folder: string, contract: Contract, more: More = {}): Route {
  return { folder, contract, access: { table: 'writes', ...more } };
}

/** Banks take long to open and to end recurrences (`recurrenceBankTimeMs`). */
function awaitingRecurrences(route: Route): Route {
  return { ...route, timeoutSeconds: 20 };
}

/** Simulation tools are not deployed in production. */
function simulation(tools: readonly Route[]): readonly Route[] {
  return tools.map((tool) => ({ ...tool, simulation: true }));
}

/** The only list of endpoints: gateway, permissions, OpenAPI document and local environment follow from it. */
export const routes: readonly Route[] = [
  reading('accounts/list', ListAccounts, { indexes: ['GSI1'], hashSecret: true }),
  reading('accounts/list-entries', ListEntries),
  reading('accounts/list-roots', ListStatementRoots),
  reading('accounts/balance', GetBalance),
  reading('accounts/capabilities', GetCapabilities),
  writing('pix-keys/create', CreateKey, { hashSecret: true, bank: true }),
  writing('pix-keys/resend', ResendKeyCode, { hashSecret: true }),
  writing('pix-keys/confirm', ConfirmKey, { codeSecrets: true, hashSecret: true, bank: true }),
  writing('pix-keys/remove', RemoveKey, { hashSecret: true, bank: true }),
  reading('pix-keys/list', ListKeys),
  writing('pay-ins/create', CreatePayIn, { bank: true }),
  reading('pay-ins/list', ListPayIns, { indexes: ['GSI2', 'GSI3'] }),
  reading('pay-ins/get', GetPayIn),
  writing('pay-ins/cancel', CancelPayIn, { bank: true }),
  writing('pay-ins/refund', RefundPayIn, { bank: true }),
  reading('pay-ins/list-refunds', ListRefunds),
  reading('pay-ins/get-refund-certificate', GetRefundCertificate, { signs: true }),
  reading('credits/list', ListCredits, { indexes: ['GSI1', 'GSI2'] }),
  reading('credits/get', GetCredit),
  writing('credits/return', ReturnCredit, { bank: true }),
  writing('credits/assign', AssignCredit, { bank: true }),
  reading('disputes/list', ListDisputes, { indexes: ['GSI1', 'GSI2'] }),
  reading('disputes/get', GetDispute),
  writing('disputes/defend', DefendDispute, { bank: true }),
  writing('payouts/create', CreatePayout, { hashSecret: true, bank: true }),
  reading('payouts/list', ListPayouts, { indexes: ['GSI2', 'GSI3'] }),
  reading('payouts/get', GetPayout),
  reading('payouts/get-certificate', GetPayoutCertificate, { signs: true }),
  awaitingRecurrences(writing('subscriptions/create', CreateSubscription, { bank: true })),
  reading('subscriptions/list', ListSubscriptions, { indexes: ['GSI2'] }),
  reading('subscriptions/get', GetSubscription),
  writing('subscriptions/update', UpdateSubscription),
  awaitingRecurrences(writing('subscriptions/cancel', CancelSubscription, { bank: true })),
  writing('scheduled-payments/create', CreateScheduledPayment, { bank: true }),
  reading('scheduled-payments/list', ListScheduledPayments),
  reading('scheduled-payments/get', GetScheduledPayment),
  writing('scheduled-payments/cancel', CancelScheduledPayment, { bank: true }),
  reading('webhooks/get', GetWebhookSettings),
  reading('webhooks/get-delivery', GetDelivery),
  reading('webhooks/list-deliveries', ListDeliveries, { indexes: ['GSI1', 'GSI2', 'GSI3'] }),
  writing('webhooks/replace', ReplaceWebhookSettings),
  reading('webhooks/list-endpoints', ListEndpoints, { indexes: ['GSI2'] }),
  writing('webhooks/release-endpoint', ReleaseEndpoint, { indexes: ['GSI2'] }),
  writing('webhooks/resend-delivery', ResendDelivery),
  writing('webhooks/resend-deliveries', ResendDeliveries),
  reading('webhooks/get-resend', GetResend),
  writing('webhooks/rotate-secret', RotateWebhookSecret, { secrets: true }),
  writing('webhooks/send-test', TestWebhook),
  ...simulation([
    writing('order-tools/force-subscription-status', ForceSubscriptionStatus),
    writing('order-tools/force-scheduled-payment-status', ForceScheduledPaymentStatus),
    writing('order-tools/force-order-status', ForceOrderStatus),
    writing('order-tools/receive-credit', ReceiveCredit),
    writing('order-tools/force-dispute-status', ForceDisputeStatus),
    reading('order-tools/get-bank-profile', GetBankProfile),
    writing('order-tools/set-bank-profile', SetBankProfile),
    reading('order-tools/get-clock', GetClock),
    writing('order-tools/set-clock', SetClock, { indexes: ['GSI2'], hashSecret: true }),
    reading('order-tools/get-key-code', GetKeyCode),
    writing('order-tools/reset-clock', ResetClock),
  ]),
];
