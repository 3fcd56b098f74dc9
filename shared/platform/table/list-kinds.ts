import type { AccountStatus } from '../ledger/account.ts';
import type { DeliveryStatus } from '../outbox/delivery.ts';

/** What has an external id. */
export type UniqueKind = 'SUBSCRIPTION' | 'PAY_IN' | 'PAYOUT' | 'SCHEDULED_PAYMENT';
/** What is listed by its creation, and has an external id of the partner's or one in its place. */
export type ListedKind = Exclude<UniqueKind, 'SCHEDULED_PAYMENT'>;
/** What places a resource in the lists of its kind. */
export type Listed = { readonly id: string; readonly createdAt: string; readonly accountId: string };
/** Kinds of lists that stand in an index, each in a partition of its own. */
export type IndexedList =
  ListedKind | `${ListedKind}#${string}` | `ACCOUNT#${AccountStatus}` | 'DELIVERY' | `DELIVERY#${DeliveryStatus}`;
/** Kinds of lists, those of the table itself included: a cursor of one is none of another. */
export type ListKind = IndexedList | 'ACCOUNT' | 'LEDGER_ENTRY' | 'SCHEDULED_PAYMENT' | 'KEY_VALIDATION';

/** The list of those of a kind that have a status; an item moves from one to another with its status. */
export function byStatus<Kind extends string, Status extends string>(kind: Kind, status: Status): `${Kind}#${Status}` {
  return `${kind}#${status}`;
}
