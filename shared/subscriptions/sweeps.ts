import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { dueAttributesAt, keys } from '../platform/table/keys.ts';
import type { ItemMembers, Members } from '../platform/table/parse.ts';
import { parseItem } from '../platform/table/parse.ts';
import type { PaymentEntry } from './model.ts';
import type { Delete, Put, Store, Update } from '../platform/table/store.ts';

/** The cancellation of a subscription's open payments, as far as it has come. */
export type PaymentSweep = {
  readonly subscriptionId: string;
  /** When the subscription was canceled: what was due on that day goes on. */
  readonly canceledAt: Instant;
  /** Everything up to this entry is done. */
  readonly swept?: PaymentEntry;
};

const SweepItem = z.object({
  entity: z.literal('PAYMENT_SWEEP'),
  subscriptionId: z.string(),
  canceledAt: z.string(),
  swept: z.object({ id: z.string(), dueDate: z.string() } satisfies Members<PaymentEntry>).exactOptional(),
} satisfies ItemMembers<PaymentSweep>);

/** Belongs in the transaction that cancels the subscription. It stands in the due index until everything is swept. */
export function sweepInsert(companyId: string, { subscriptionId, canceledAt }: PaymentSweep): Put {
  const due = dueAttributesAt(companyId, 'PAYMENT_SWEEP', canceledAt, subscriptionId);
  const key = keys.paymentSweep(companyId, subscriptionId);
  return { put: { ...key, ...due, entity: 'PAYMENT_SWEEP', subscriptionId, canceledAt }, when: { is: 'absent' } };
}

/** One read. Undefined when nothing is left to sweep. @throws CorruptItem */
export async function readSweep(
  store: Store,
  companyId: string,
  subscriptionId: string,
): Promise<PaymentSweep | undefined> {
  const [item] = await store.read([keys.paymentSweep(companyId, subscriptionId)]);
  if (item === undefined) return undefined;
  const { entity: _entity, ...sweep } = parseItem(SweepItem, item, 'payment sweep');
  return sweep;
}

/** The next run goes on behind this entry. Two runs at once may set each other back, which costs reads alone. */
export function sweepUpdate(
  companyId: string,
  { subscriptionId }: PaymentSweep,
  { id, dueDate }: PaymentEntry,
): Update {
  const key = keys.paymentSweep(companyId, subscriptionId);
  return { update: key, set: { swept: { id, dueDate } }, when: { is: 'present' } };
}

export function sweepDelete(companyId: string, { subscriptionId }: PaymentSweep): Delete {
  return { delete: keys.paymentSweep(companyId, subscriptionId) };
}
