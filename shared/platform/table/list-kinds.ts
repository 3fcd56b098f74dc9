import type { AccountStatus } from '#shared/platform/ledger/balance.ts';
import type { DeliveryStatus } from '../outbox/delivery.ts';

/** Resources with an external id. */
export type UniqueKind = 'SUBSCRIPTION' | 'PAY_IN' | 'PAYOUT' | 'SCHEDULED_PAYMENT';
/** Resources in lists by creation, with an external id of the partner's or one in its place. */
export type ListedKind = Exclude<UniqueKind, 'SCHEDULED_PAYMENT'>;
/** The place of a resource in the lists of its kind. */
export type Listed = { readonly id: string; readonly createdAt: string; readonly accountId: string };
/** Lists in an index, each in a partition of its own. */
export type IndexedList =
  ListedKind | `${ListedKind}#${string}` | `ACCOUNT#${AccountStatus}` | 'DELIVERY' | `DELIVERY#${DeliveryStatus}`;
/** All lists, also those of the table itself: each has its own cursors. */
export type ListKind =
  IndexedList | 'ACCOUNT' | 'LEDGER_ENTRY' | 'SCHEDULED_PAYMENT' | 'KEY_VALIDATION' | 'WEBHOOK_ENDPOINT';

/** The list of a status. An item changes it with its status. */
export function byStatus<Kind extends string, Status extends string>(kind: Kind, status: Status): `${Kind}#${Status}` {
  return `${kind}#${status}`;
}
