import { GetBalance } from './accounts/balance/contract.ts';
import { ListEntries } from './accounts/list-entries/contract.ts';
import { ListAccounts } from './accounts/list/contract.ts';
import { ForceOrderStatus } from './order-tools/force-order-status/contract.ts';
import { ForceScheduledPaymentStatus } from './order-tools/force-scheduled-payment-status/contract.ts';
import { ForceSubscriptionStatus } from './order-tools/force-subscription-status/contract.ts';
import { CancelPayIn } from './pay-ins/cancel/contract.ts';
import { GetClock } from './order-tools/get-clock/contract.ts';
import { GetKeyCode } from './order-tools/get-key-code/contract.ts';
import { ResetClock } from './order-tools/reset-clock/contract.ts';
import { SetClock } from './order-tools/set-clock/contract.ts';
import { CreatePayIn } from './pay-ins/create/contract.ts';
import { GetPayIn } from './pay-ins/get/contract.ts';
import { ListPayIns } from './pay-ins/list/contract.ts';
import { ListRefunds } from './pay-ins/list-refunds/contract.ts';
import { RefundPayIn } from './pay-ins/refund/contract.ts';
import { ConfirmKey } from './pix-keys/confirm/contract.ts';
import { CreateKey } from './pix-keys/create/contract.ts';
import { ListKeys } from './pix-keys/list/contract.ts';
import { ResendKeyCode } from './pix-keys/resend/contract.ts';
import { CreatePayout } from './payouts/create/contract.ts';
import { GetPayout } from './payouts/get/contract.ts';
import { ListPayouts } from './payouts/list/contract.ts';
import { CancelScheduledPayment } from './scheduled-payments/cancel/contract.ts';
import { CreateScheduledPayment } from './scheduled-payments/create/contract.ts';
import { GetScheduledPayment } from './scheduled-payments/get/contract.ts';
import { ListScheduledPayments } from './scheduled-payments/list/contract.ts';
import { CancelSubscription } from './subscriptions/cancel/contract.ts';
import { CreateSubscription } from './subscriptions/create/contract.ts';
import { GetSubscription } from './subscriptions/get/contract.ts';
import { ListSubscriptions } from './subscriptions/list/contract.ts';
import { GetWebhookSettings } from './webhooks/get/contract.ts';
import { GetDelivery } from './webhooks/get-delivery/contract.ts';
import { GetResend } from './webhooks/get-resend/contract.ts';
import { ListDeliveries } from './webhooks/list-deliveries/contract.ts';
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
};

/**
 * THE list of endpoints. API Gateway, permissions, the OpenAPI document and the local environment are derived from it.
 */
export const routes: readonly Route[] = [
  { folder: 'accounts/list', contract: ListAccounts, access: { table: 'reads', indexes: ['GSI1'], hashSecret: true } },
  { folder: 'accounts/list-entries', contract: ListEntries, access: { table: 'reads' } },
  { folder: 'accounts/balance', contract: GetBalance, access: { table: 'reads' } },
  { folder: 'pix-keys/create', contract: CreateKey, access: { table: 'writes', hashSecret: true } },
  { folder: 'pix-keys/resend', contract: ResendKeyCode, access: { table: 'writes', hashSecret: true } },
  {
    folder: 'pix-keys/confirm',
    contract: ConfirmKey,
    access: { table: 'writes', codeSecrets: true, hashSecret: true },
  },
  { folder: 'pix-keys/list', contract: ListKeys, access: { table: 'reads' } },
  { folder: 'pay-ins/create', contract: CreatePayIn, access: { table: 'writes' } },
  { folder: 'pay-ins/list', contract: ListPayIns, access: { table: 'reads', indexes: ['GSI2', 'GSI3'] } },
  { folder: 'pay-ins/get', contract: GetPayIn, access: { table: 'reads' } },
  { folder: 'pay-ins/cancel', contract: CancelPayIn, access: { table: 'writes' } },
  { folder: 'pay-ins/refund', contract: RefundPayIn, access: { table: 'writes' } },
  { folder: 'pay-ins/list-refunds', contract: ListRefunds, access: { table: 'reads' } },
  { folder: 'payouts/create', contract: CreatePayout, access: { table: 'writes', hashSecret: true } },
  { folder: 'payouts/list', contract: ListPayouts, access: { table: 'reads', indexes: ['GSI2'] } },
  { folder: 'payouts/get', contract: GetPayout, access: { table: 'reads' } },
  { folder: 'subscriptions/create', contract: CreateSubscription, access: { table: 'writes' } },
  { folder: 'subscriptions/list', contract: ListSubscriptions, access: { table: 'reads', indexes: ['GSI2'] } },
  { folder: 'subscriptions/get', contract: GetSubscription, access: { table: 'reads' } },
  { folder: 'subscriptions/cancel', contract: CancelSubscription, access: { table: 'writes' } },
  { folder: 'scheduled-payments/create', contract: CreateScheduledPayment, access: { table: 'writes' } },
  { folder: 'scheduled-payments/list', contract: ListScheduledPayments, access: { table: 'reads' } },
  { folder: 'scheduled-payments/get', contract: GetScheduledPayment, access: { table: 'reads' } },
  { folder: 'scheduled-payments/cancel', contract: CancelScheduledPayment, access: { table: 'writes' } },
  { folder: 'webhooks/get', contract: GetWebhookSettings, access: { table: 'reads' } },
  { folder: 'webhooks/get-delivery', contract: GetDelivery, access: { table: 'reads' } },
  {
    folder: 'webhooks/list-deliveries',
    contract: ListDeliveries,
    access: { table: 'reads', indexes: ['GSI1', 'GSI2', 'GSI3'] },
  },
  { folder: 'webhooks/replace', contract: ReplaceWebhookSettings, access: { table: 'writes', indexes: ['GSI2'] } },
  { folder: 'webhooks/resend-delivery', contract: ResendDelivery, access: { table: 'writes' } },
  { folder: 'webhooks/resend-deliveries', contract: ResendDeliveries, access: { table: 'writes' } },
  { folder: 'webhooks/get-resend', contract: GetResend, access: { table: 'reads' } },
  { folder: 'webhooks/rotate-secret', contract: RotateWebhookSecret, access: { table: 'writes', secrets: true } },
  { folder: 'webhooks/send-test', contract: TestWebhook, access: { table: 'writes' } },
  {
    folder: 'order-tools/force-subscription-status',
    contract: ForceSubscriptionStatus,
    access: { table: 'writes' },
    simulation: true,
  },
  {
    folder: 'order-tools/force-scheduled-payment-status',
    contract: ForceScheduledPaymentStatus,
    access: { table: 'writes' },
    simulation: true,
  },
  {
    folder: 'order-tools/force-order-status',
    contract: ForceOrderStatus,
    access: { table: 'writes' },
    simulation: true,
  },
  { folder: 'order-tools/get-clock', contract: GetClock, access: { table: 'reads' }, simulation: true },
  {
    folder: 'order-tools/set-clock',
    contract: SetClock,
    access: { table: 'writes', indexes: ['GSI2'] },
    simulation: true,
  },
  { folder: 'order-tools/get-key-code', contract: GetKeyCode, access: { table: 'reads' }, simulation: true },
  { folder: 'order-tools/reset-clock', contract: ResetClock, access: { table: 'writes' }, simulation: true },
];
