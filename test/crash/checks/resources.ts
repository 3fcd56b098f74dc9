import * as z from 'zod';
import { ListPayIns } from '#functions/pay-ins/list/contract.ts';
import { ListRefunds } from '#functions/pay-ins/list-refunds/contract.ts';
import { ListPayouts } from '#functions/payouts/list/contract.ts';
import { ListScheduledPayments } from '#functions/scheduled-payments/list/contract.ts';
import { ListSubscriptions } from '#functions/subscriptions/list/contract.ts';
import type { Partner } from '@banking-order/partner-tools';
import { readResponse } from '@banking-order/partner-tools';
import type { Contract } from '#shared/contract/contract.ts';
import { PayInEntry } from '#shared/pay-ins/contract.ts';
import { PayoutRecord } from '#shared/payouts/contract.ts';
import { ScheduledPaymentRecord } from '#shared/scheduled-payments/contract.ts';
import { SubscriptionEventData } from '#shared/subscriptions/contract.ts';

/** A resource as its partner reads it now. */
export type Resource = {
  readonly kind: 'PAY_IN' | 'REFUND' | 'PAYOUT' | 'PAYMENT' | 'SUBSCRIPTION' | 'SCHEDULED_PAYMENT';
  readonly id: string;
  readonly externalId?: string;
  /** What its notifications are about: of a refund its pay-in. */
  readonly about: string;
  /** All statuses of its history, oldest first; only the current one when it has no history. */
  readonly statuses: readonly string[];
  /** Of a subscription: how each of its cancellation requests stands, as far as a listing has them. */
  readonly cancellations?: readonly string[];
};

type Text = Readonly<Record<string, string>>;
const Page = z.object({ nextCursor: z.string().nullable(), data: z.array(z.unknown()) });

/** Everything that a listing holds, page after page, read strictly by its contract. */
export async function listAll<T>(
  partner: Partner,
  contract: Contract,
  entry: z.ZodType<T>,
  { params = {}, query = {} }: { readonly params?: Text; readonly query?: Text } = {},
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const asked = { params, query: { limit: '100', ...query, ...(cursor !== '' && { cursor }) } };
    const { body } = readResponse(contract, await partner.answer(contract, asked), 'CLOSED');
    const page = Page.parse(body);
    found.push(...z.array(entry).parse(page.data));
    cursor = page.nextCursor;
  }
  return found;
}

/** Pay-ins, payouts with the payments of batches, and subscriptions of a company: all of them. */
export async function readListed(partner: Partner): Promise<readonly Resource[]> {
  const payIns = await listAll(partner, ListPayIns, PayInEntry);
  const payouts = await listAll(partner, ListPayouts, PayoutRecord);
  const subscriptions = await listAll(partner, ListSubscriptions, SubscriptionEventData);
  return [
    ...payIns.map(({ id, externalId, status }) => plain('PAY_IN', id, status, externalId)),
    ...payouts.map(({ id, externalId, status }) => plain('PAYOUT', id, status, externalId)),
    ...payouts.flatMap(({ batch }) =>
      (batch?.transactions ?? []).map(({ id, status }) => plain('PAYMENT', id, status)),
    ),
    ...subscriptions.map(({ id, externalId, statusHistory, cancellations }) => ({
      ...{ kind: 'SUBSCRIPTION' as const, id, externalId, about: id },
      statuses: statusHistory.map(({ status }) => status),
      cancellations: cancellations.map(({ status }) => status),
    })),
  ];
}

/** The charges of a subscription. */
export async function readCharges(partner: Partner, subscriptionId: string): Promise<readonly Resource[]> {
  const own = await listAll(partner, ListScheduledPayments, ScheduledPaymentRecord, { params: { id: subscriptionId } });
  return own.map(({ id, statusHistory }) => ({
    ...{ kind: 'SCHEDULED_PAYMENT', id, about: id },
    statuses: statusHistory.map(({ status }) => status),
  }));
}

/** The refunds of a pay-in. */
export async function readRefunds(partner: Partner, payInId: string): Promise<readonly Resource[]> {
  const { body } = await partner.call(ListRefunds, { params: { id: payInId } });
  return body.data.map(({ refundId, status }) => ({ ...plain('REFUND', refundId, status), about: payInId }));
}

function plain(kind: Resource['kind'], id: string, status: string, externalId?: string): Resource {
  return { kind, id, about: id, statuses: [status], ...(externalId !== undefined && { externalId }) };
}
