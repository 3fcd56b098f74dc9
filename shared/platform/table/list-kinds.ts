import type { AccountStatus } from '#shared/platform/ledger/balance.ts';
import type { DeliveryStatus } from '../outbox/delivery.ts';

/** Resources with an external id. */
export type UniqueKind = 'SUBSCRIPTION' | 'PAY_IN' | 'PAYOUT' | 'SCHEDULED_PAYMENT';
/** Resources that are listed by creation time. Each has an external id, from the partner or generated. */
export type ListedKind = Exclude<UniqueKind, 'SCHEDULED_PAYMENT'>;
/** Fields that determine the position of a resource in the lists of its kind. */
export type Listed = { readonly id: string; readonly createdAt: string; readonly accountId: string };
/** Lists in an index, each in a partition of its own. */
export type IndexedList =
  | ListedKind
  | `${ListedKind}#${string}`
  | 'CREDIT'
  | `CREDIT#${string}`
  | 'DISPUTE'
  | `DISPUTE#${string}`
  | `ACCOUNT#${AccountStatus}`
  | 'DELIVERY'
  | `DELIVERY#${DeliveryStatus}`;
/** All kinds of lists, those of an index and those of the table. A cursor belongs to one kind. */
export type ListKind =
  | IndexedList
  | 'ACCOUNT'
  | 'LEDGER_ENTRY'
  | 'SCHEDULED_PAYMENT'
  | 'KEY_VALIDATION'
  | 'WEBHOOK_ENDPOINT'
  | 'STATEMENT_ROOT';

/** Returns the list of the resources in a status. An item changes its list when its status changes. */
export function byStatus<Kind extends string, Status extends string>(kind: Kind, status: Status): `${Kind}#${Status}` {
  return `${kind}#${status}`;
}
