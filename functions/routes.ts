import { GetBalance } from './accounts/balance/contract.ts';
import { ForceOrderStatus } from './order-tools/force-order-status/contract.ts';
import { ForceSubscriptionStatus } from './order-tools/force-subscription-status/contract.ts';
import { CreatePayIn } from './pay-ins/create/contract.ts';
import { GetPayIn } from './pay-ins/get/contract.ts';
import { RefundPayIn } from './pay-ins/refund/contract.ts';
import { CreatePayout } from './payouts/create/contract.ts';
import { GetPayout } from './payouts/get/contract.ts';
import { CancelSubscription } from './subscriptions/cancel/contract.ts';
import { CreateSubscription } from './subscriptions/create/contract.ts';
import { GetSubscription } from './subscriptions/get/contract.ts';
import { GetWebhookSettings } from './webhooks/get/contract.ts';
import { GetDelivery } from './webhooks/get-delivery/contract.ts';
import { ListDeliveries } from './webhooks/list-deliveries/contract.ts';
import { ReplaceWebhookSettings } from './webhooks/replace/contract.ts';
import { ResendDelivery } from './webhooks/resend-delivery/contract.ts';
import { RotateWebhookSecret } from './webhooks/rotate-secret/contract.ts';
import { TestWebhook } from './webhooks/send-test/contract.ts';
import type { Contract } from '../shared/contracts/contract.ts';
import type { IndexName } from '../shared/persistence/store.ts';

/**
 * What a function may do with the table. `reads`: GetItem, BatchGetItem, Query. `writes`: the same and conditional writes.
 * `indexes`: which of them it queries.
 * Only functions with `secrets` reach the partitions of webhook secrets.
 */
export type Access = {
  readonly table: 'reads' | 'writes';
  readonly indexes?: readonly IndexName[];
  readonly secrets?: true;
};

export type Route = {
  /** Folder under functions/ that holds contract.ts and handler.ts. */
  readonly folder: string;
  readonly contract: Contract;
  readonly access: Access;
  /** Simulation tools are not deployed in production. */
  readonly simulation?: true;
};

/** THE list of endpoints. API Gateway, permissions, the OpenAPI document and the local environment are derived from it. */
export const routes: readonly Route[] = [
  { folder: 'accounts/balance', contract: GetBalance, access: { table: 'reads' } },
  { folder: 'pay-ins/create', contract: CreatePayIn, access: { table: 'writes' } },
  { folder: 'pay-ins/get', contract: GetPayIn, access: { table: 'reads' } },
  { folder: 'pay-ins/refund', contract: RefundPayIn, access: { table: 'writes' } },
  { folder: 'payouts/create', contract: CreatePayout, access: { table: 'writes' } },
  { folder: 'payouts/get', contract: GetPayout, access: { table: 'reads' } },
  { folder: 'subscriptions/create', contract: CreateSubscription, access: { table: 'writes' } },
  { folder: 'subscriptions/get', contract: GetSubscription, access: { table: 'reads' } },
  { folder: 'subscriptions/cancel', contract: CancelSubscription, access: { table: 'writes' } },
  { folder: 'webhooks/get', contract: GetWebhookSettings, access: { table: 'reads' } },
  { folder: 'webhooks/get-delivery', contract: GetDelivery, access: { table: 'reads' } },
  { folder: 'webhooks/list-deliveries', contract: ListDeliveries, access: { table: 'reads', indexes: ['GSI1'] } },
  { folder: 'webhooks/replace', contract: ReplaceWebhookSettings, access: { table: 'writes', indexes: ['GSI2'] } },
  { folder: 'webhooks/resend-delivery', contract: ResendDelivery, access: { table: 'writes' } },
  { folder: 'webhooks/rotate-secret', contract: RotateWebhookSecret, access: { table: 'writes', secrets: true } },
  { folder: 'webhooks/send-test', contract: TestWebhook, access: { table: 'writes' } },
  {
    folder: 'order-tools/force-subscription-status',
    contract: ForceSubscriptionStatus,
    access: { table: 'writes' },
    simulation: true,
  },
  {
    folder: 'order-tools/force-order-status',
    contract: ForceOrderStatus,
    access: { table: 'writes' },
    simulation: true,
  },
];
