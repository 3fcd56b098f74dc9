import type { DueKind } from '#shared/platform/jobs/due-kinds.ts';
import { dueEverywhere } from '#shared/platform/jobs/due.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { queryAll } from '#shared/platform/table/store.ts';
import { listPartition } from '#shared/platform/table/keys.ts';
import { byStatus } from '#shared/platform/table/list-kinds.ts';
import { readReceived } from '#shared/pay-ins/received.ts';
import { readPayIn } from '#shared/pay-ins/store.ts';
import { readPayout } from '#shared/payouts/store.ts';
import { readCharge } from '#shared/scheduled-payments/store.ts';
import { readSubscription } from '#shared/subscriptions/store.ts';

/** What a bank still owes an answer or an end, how many of a kind. */
export type Open = { readonly kind: string; readonly count: number };

/** A resource that was given to a bank: `connection` undefined is the simulated one. */
type Given = { readonly connection?: string } | undefined;
type Read = (store: Store, companyId: string, id: string) => Promise<Given>;

const payIn: Read = readPayIn;
const payout: Read = async (...of) => (await readPayout(...of))?.payout;
const subscription: Read = async (...of) => (await readSubscription(...of, 'LATEST'))?.subscription;
const charge: Read = async (...of) => (await readCharge(...of))?.terms;

/** Due work about a bank: what it is called, and what says to whom it was given. */
const owed = {
  PAY_IN_EXPIRY: ['PAY_IN', payIn],
  PAYOUT_SUBMISSION: ['PAYOUT', payout],
  PAYOUT_POLL: ['PAYOUT', payout],
  REFUND_SUBMISSION: ['REFUND', payIn],
  REFUND_POLL: ['REFUND', payIn],
  CREDIT_RETURN: ['RETURN', readReceived],
  RECURRENCE_POLL: ['SUBSCRIPTION', subscription],
  RECURRENCE_CANCELLATION: ['CANCELLATION', subscription],
  CANCELLATION_POLL: ['CANCELLATION', subscription],
  PAYMENT_RELEASE: ['SCHEDULED_PAYMENT', charge],
  CHARGE_COMMAND: ['SCHEDULED_PAYMENT', charge],
  CHARGE_POLL: ['SCHEDULED_PAYMENT', charge],
  SETTLEMENT_RESEND: ['SCHEDULED_PAYMENT', charge],
} as const satisfies Partial<Readonly<Record<DueKind, readonly [string, Read]>>>;

const always = '9999-12-31T23:59:59.999Z';

/**
 * What was given to a connection of a company and has not ended there, by kind: what is due, and recurrences that may
 * be charged. @param connection undefined: the simulated bank
 */
export async function openAt(
  store: Store,
  companyId: string,
  connection: string | undefined,
): Promise<readonly Open[]> {
  const found = new Map<string, Set<string>>();
  const add = (kind: string, id: string): void => void found.set(kind, (found.get(kind) ?? new Set()).add(id));
  const lost = (error: unknown): never => {
    throw error;
  };
  for (const [due, [kind, read]] of Object.entries(owed))
    for await (const work of dueEverywhere(store, due as DueKind, always, { random: () => 0, lost })) {
      if (work.companyId !== companyId) continue;
      const given = await read(store, companyId, work.id);
      if (given !== undefined && given.connection === connection) add(kind, work.id);
    }
  const partition = listPartition(companyId, byStatus('SUBSCRIPTION', 'ACCEPTED'));
  for await (const { GSI2SK } of queryAll(store, { index: 'GSI2', partition })) {
    const id = String(GSI2SK).split('#')[1] ?? '';
    const given = await subscription(store, companyId, id);
    if (given !== undefined && given.connection === connection) add('SUBSCRIPTION', id);
  }
  return [...found].map(([kind, ids]) => ({ kind, count: ids.size }));
}
