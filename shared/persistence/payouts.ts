import * as z from 'zod';
import type { Instant } from '../domain/brasilia-time.ts';
import { plusSeconds } from '../domain/brasilia-time.ts';
import type { Payout, PayoutMove, PayoutWithPayments } from '../domain/payout.ts';
import { INITIATIONS, isFinal, PAYMENT_METHODS } from '../domain/payout.ts';
import type { BatchPayment } from '../domain/payout-batch.ts';
import { PAYMENT_STATUSES, PAYOUT_STATUSES } from '../domain/payout-batch.ts';
import { dueAt, keys, NOT_DUE } from './keys.ts';
import { StoredCentavos } from './ledger.ts';
import { CounterpartShape, OwnerBankShape, parsed } from './parse.ts';
import type { Item, Update, Value, Write } from './store.ts';

const PayoutItem = z.object({
  entity: z.literal('PAYOUT'),
  id: z.string(),
  externalId: z.string(),
  accountId: z.string(),
  paymentMethod: z.enum(PAYMENT_METHODS),
  initiation: z.enum(INITIATIONS),
  amount: StoredCentavos,
  description: z.string(),
  receiver: CounterpartShape,
  ownerBank: OwnerBankShape,
  idempotencyKey: z.string(),
  txid: z.string().exactOptional(),
  endToEndId: z.string().exactOptional(),
  sendAt: z.string(),
  createdAt: z.string(),
  status: z.enum(PAYOUT_STATUSES),
  controlNumber: z.string().exactOptional(),
  updatedAt: z.string(),
  paidAt: z.string().exactOptional(),
  errorMessage: z.string().exactOptional(),
  version: z.int(),
});

const PaymentItem = z.object({
  entity: z.literal('PAYOUT_PAYMENT'),
  sequence: z.int(),
  amount: StoredCentavos,
  status: z.enum(PAYMENT_STATUSES),
  endToEndId: z.string(),
  updatedAt: z.string(),
  paidAt: z.string().exactOptional(),
  errorMessage: z.string().exactOptional(),
});

/** How long the bank has to take a payout before it is handed over once more, in seconds. */
const RESUBMIT_AFTER_SECONDS = 120;

export function payoutOf(item: Item): Payout {
  const { entity: _entity, ...payout } = parsed(PayoutItem, item, 'payout');
  return payout;
}

export function paymentOf(item: Item): BatchPayment {
  const { entity: _entity, ...payment } = parsed(PaymentItem, item, 'payment of a batch');
  return payment;
}

/**
 * A new payout with its payments. It stands in the due index until the bank has surely taken it: two minutes after it is
 * sent at once, or when its window opens.
 */
export function payoutCreated(companyId: string, { payout, payments }: PayoutWithPayments): readonly Write[] {
  const { id, sendAt, createdAt } = payout;
  const due = dueAt(companyId, 'PAYOUT_SUBMISSION', sendAt === createdAt ? resubmission(sendAt) : sendAt, id);
  return [
    { put: { ...keys.order(companyId, id), ...due, entity: 'PAYOUT', ...payout }, when: { is: 'absent' } },
    ...payments.map((payment): Write => {
      const key = keys.payoutChild(companyId, id, payment.sequence);
      return { put: { ...key, entity: 'PAYOUT_PAYMENT', ...payment }, when: { is: 'absent' } };
    }),
  ];
}

/**
 * A payout after a move, if nobody moved it meanwhile. A payment of a batch moves together with the version of its payout:
 * of two last payments that move at once, the second one's writer reads again and finds that it is the last.
 */
export function payoutMoved(companyId: string, before: Payout, { after, moved }: PayoutMove): readonly Write[] {
  const { id, status, version } = before;
  const remove = isFinal(after.payout) ? { remove: NOT_DUE } : {};
  return [
    {
      update: keys.order(companyId, id),
      set: { ...outcomeOf(after.payout), version: after.payout.version },
      ...remove,
      when: { equals: { status, version } },
    },
    ...moved.map((payment): Update => ({
      update: keys.payoutChild(companyId, id, payment.sequence),
      set: outcomeOf(payment),
      when: { equals: { status: 'PENDING' } },
    })),
  ];
}

/** A TED that is now sent, under the control number that names it from here on. */
export function tedSent(companyId: string, { id, version }: Payout, controlNumber: string, at: Instant): Update {
  return {
    update: keys.order(companyId, id),
    set: { controlNumber, updatedAt: at, version: version + 1 },
    when: { all: [{ equals: { status: 'PENDING', version } }, { lacks: 'controlNumber' }] },
  };
}

/** The bank has taken the payout: nothing is due any more. */
export function submissionDone(companyId: string, { id }: Payout): Update {
  return { update: keys.order(companyId, id), remove: NOT_DUE, when: { has: 'GSI2PK' } };
}

/** The payout is handed over again: at that time, or a while after this try failed. */
export function submissionDue(
  companyId: string,
  { id }: Payout,
  next: { at: Instant } | { failedAt: Instant },
): Update {
  const at = 'at' in next ? next.at : resubmission(next.failedAt);
  return {
    update: keys.order(companyId, id),
    set: dueAt(companyId, 'PAYOUT_SUBMISSION', at, id),
    when: { all: [{ equals: { status: 'PENDING' } }, { has: 'GSI2PK' }] },
  };
}

function resubmission(sentAt: Instant): Instant {
  return plusSeconds(sentAt, RESUBMIT_AFTER_SECONDS);
}

function outcomeOf({ status, updatedAt, paidAt, errorMessage }: Payout | BatchPayment): Record<string, Value> {
  return {
    status,
    updatedAt,
    ...(paidAt !== undefined && { paidAt }),
    ...(errorMessage !== undefined && { errorMessage }),
  };
}
