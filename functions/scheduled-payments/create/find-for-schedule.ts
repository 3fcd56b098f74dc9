import type { RequestOf } from '#shared/contract/contract.ts';
import type { OwnerBank } from '#shared/core/party.ts';
import { ownerBankOf } from '#shared/bank/owner-bank.ts';
import { notFound } from '#shared/core/errors.ts';
import type { ScheduledCharge } from '#shared/scheduled-payments/model.ts';
import type { CycleCharge } from '#shared/scheduled-payments/attempts.ts';
import { cycleOf } from '#shared/scheduled-payments/cycle.ts';
import type { Subscription } from '#shared/subscriptions/model.ts';
import { readAccount } from '#shared/accounts/store.ts';
import { parseResourceId } from '#shared/platform/external-ids.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { readCycle } from '#shared/scheduled-payments/cycle-store.ts';
import { chargeKeys, parseCharge } from '#shared/scheduled-payments/store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { parseSubscription } from '#shared/subscriptions/store.ts';
import type { CreateScheduledPayment } from './contract.ts';

/** What the decision to schedule a payment needs. */
export type Found = {
  readonly subscription: Subscription;
  readonly ownerBank: OwnerBank;
  /** The payment that has the external id already. */
  readonly existingId?: string;
  /** The payment of this subscription that a new attempt names. */
  readonly original?: ScheduledCharge;
  /** The charge of the cycle, if it was read. */
  readonly cycle?: CycleCharge;
};

/**
 * One read call. The charge of the cycle costs a second one, because its key follows from the subscription: it is read
 * for a new attempt, whose rules need it, and for a first attempt that conflicted with another charge; before that the
 * transaction decides.
 * @throws Refusal 404 when the company has no such subscription.
 */
export async function findForSchedule(
  store: Store,
  { caller: { companyId }, params, body }: RequestOf<typeof CreateScheduledPayment>,
  { hasConflicted }: { readonly hasConflicted: boolean },
): Promise<Found> {
  const { originalScheduledPaymentId: originalId, dueDate } = body;
  const [item, taken, ...first] = await store.read([
    keys.subscription(companyId, params.id),
    keys.unique(companyId, 'SCHEDULED_PAYMENT', body.externalId),
    ...(originalId === undefined ? [] : chargeKeys(companyId, originalId)),
  ]);
  if (item === undefined) throw notFound('Subscription');
  const subscription = parseSubscription(item);
  const named = parseCharge(first[0], first[1]);
  const original = named?.payment.subscriptionId === subscription.id ? named : undefined;
  const { id: subscriptionId, startDate } = subscription;
  const isCycleNeeded = taken === undefined && (hasConflicted || original !== undefined) && dueDate >= startDate;
  const day = original?.payment.dueDate ?? dueDate;
  const cycle = isCycleNeeded
    ? await readCycle(store, companyId, { subscriptionId, cycle: cycleOf(subscription, day).start })
    : undefined;
  return {
    subscription,
    ownerBank: await ownerBank(store, companyId, subscription),
    ...(taken && { existingId: parseResourceId(taken) }),
    ...(original && { original }),
    ...(cycle && { cycle }),
  };
}

/** Subscriptions that are older than their copy of the account's data cost one more read. */
async function ownerBank(
  store: Store,
  companyId: string,
  { ownerBank: kept, receiver }: Subscription,
): Promise<OwnerBank> {
  if (kept !== undefined) return kept;
  const account = await readAccount(store, companyId, receiver.id);
  if (account === undefined) throw new Error('The account of a subscription is not there.');
  return ownerBankOf(account);
}
