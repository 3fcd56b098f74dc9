import type { KeyValidationStatus } from '../pix-keys/model.ts';
import type { PayInStatus } from '../pay-ins/model.ts';
import type { PayoutStatus } from '../payouts/batch.ts';
import type { RefundStatus } from '../refunds/model.ts';
import type { ScheduledPaymentStatus } from '../scheduled-payments/model.ts';
import type { SubscriptionStatus } from '../subscriptions/model.ts';

/** What moves, and the statuses that each can have. */
type Statuses = {
  readonly SUBSCRIPTION: SubscriptionStatus;
  readonly SCHEDULED_PAYMENT: ScheduledPaymentStatus;
  readonly PAY_IN: PayInStatus;
  readonly REFUND: RefundStatus;
  readonly PAYOUT: PayoutStatus;
  readonly KEY_VALIDATION: KeyValidationStatus;
};
export type Resource = keyof Statuses;
export type StatusOf<R extends Resource> = Statuses[R];

/** Who pulls a trigger. A move that a simulation tool forces stands for the bank's callback. */
export type Mover = 'bank' | 'service';

type Row<R extends Resource, Trigger> = readonly [from: StatusOf<R>, trigger: Trigger, to: StatusOf<R>];
type Table<R extends Resource, Trigger> = Readonly<Record<Mover, readonly Row<R, Trigger>[]>>;

/**
 * Section 3 of the specification, row by row (`bank`), and the moves that the service makes by itself (`service`): the
 * status before, the trigger (the value that a simulation tool sends, or the name of what happened), the status after.
 * No other code changes a status.
 */
export const moves = {
  SUBSCRIPTION: {
    bank: [
      ['PENDING_AUTHORIZATION', 'ACCEPTED', 'ACCEPTED'],
      ['PENDING_AUTHORIZATION', 'REJECTED', 'REJECTED'],
      ['ACCEPTED', 'CANCELED', 'CANCELED'],
      ['ACCEPTED', 'CANCELLATION_REJECTED', 'ACCEPTED'],
    ],
    service: [
      // At creation, by what the bank answers.
      ['INITIAL', 'PENDING_AUTHORIZATION', 'PENDING_AUTHORIZATION'],
      ['INITIAL', 'ERROR', 'ERROR'],
      // A withdrawal, while nobody has authorized it.
      ['PENDING_AUTHORIZATION', 'CANCELED', 'CANCELED'],
    ],
  },
  SCHEDULED_PAYMENT: {
    bank: [
      ['PENDING', 'ACCEPTED', 'ACCEPTED'],
      ['PENDING', 'REJECTED', 'REJECTED'],
      ['PENDING', 'ERROR', 'ERROR'],
      ['PENDING', 'CANCELED', 'CANCELED'],
      ['ACCEPTED', 'COMPLETED', 'COMPLETED'],
      ['ACCEPTED', 'ERROR', 'ERROR'],
      ['ACCEPTED', 'CANCELED', 'CANCELED'],
      ['ACCEPTED', 'CANCELED_INSUFFICIENT_BALANCE', 'CANCELED_INSUFFICIENT_BALANCE'],
      ['ACCEPTED', 'CANCELED_SETTLEMENT_ERROR', 'CANCELED'],
      ['PENDING', 'CANCELED_SETTLEMENT_ERROR', 'CANCELED'],
      // `any` of section 3: any status that is not final.
      ['INITIAL', 'CANCELLATION_PENDING', 'INITIAL'],
      ['PENDING', 'CANCELLATION_PENDING', 'PENDING'],
      ['ACCEPTED', 'CANCELLATION_PENDING', 'ACCEPTED'],
      ['INITIAL', 'CANCELLATION_REJECTED', 'INITIAL'],
      ['PENDING', 'CANCELLATION_REJECTED', 'PENDING'],
      ['ACCEPTED', 'CANCELLATION_REJECTED', 'ACCEPTED'],
    ],
    service: [
      ['INITIAL', 'WINDOW_OPENED', 'PENDING'],
      ['INITIAL', 'CANCELED', 'CANCELED'],
      ['INITIAL', 'AUTHORIZATION_CANCELED', 'CANCELED'],
      ['PENDING', 'AUTHORIZATION_CANCELED', 'CANCELED'],
      ['ACCEPTED', 'AUTHORIZATION_CANCELED', 'CANCELED'],
      // A charge, or a request to cancel it, that the bank did not get before its hour.
      ['PENDING', 'ERROR', 'ERROR'],
      ['PENDING', 'CANCELLATION_REJECTED', 'PENDING'],
      ['ACCEPTED', 'CANCELLATION_REJECTED', 'ACCEPTED'],
    ],
  },
  PAY_IN: {
    bank: [
      ['PENDING', 'PAID', 'PAID'],
      ['PENDING', 'CANCELED', 'CANCELED'],
      ['PENDING', 'EXPIRED', 'EXPIRED'],
      ['PENDING', 'ERROR', 'ERROR'],
      ['PAID', 'REFUNDED', 'REFUNDED'],
    ],
    service: [
      ['PENDING', 'EXPIRED', 'EXPIRED'],
      ['PENDING', 'CANCELED', 'CANCELED'],
    ],
  },
  REFUND: {
    bank: [
      ['PENDING', 'SETTLED', 'SETTLED'],
      ['PENDING', 'FAILED', 'FAILED'],
    ],
    service: [],
  },
  PAYOUT: {
    bank: [
      ['PENDING', 'PAID', 'PAID'],
      ['PENDING', 'ERROR', 'ERROR'],
      ['PENDING', 'CANCELED', 'CANCELED'],
    ],
    service: [],
  },
  KEY_VALIDATION: {
    bank: [],
    service: [
      ['PENDING', 'CONFIRMED', 'CONFIRMED'],
      ['PENDING', 'BLOCKED', 'BLOCKED'],
      ['PENDING', 'EXPIRED', 'EXPIRED'],
    ],
  },
} as const satisfies { readonly [R in Resource]: Table<R, string> };

export type TriggerOf<R extends Resource> = (typeof moves)[R][Mover][number][1];
/** The same tables, in a form that can be read by the name of the resource. */
const tables: { readonly [R in Resource]: Table<R, TriggerOf<R>> } = moves;

/** Whether a resource knows the trigger, in whatever status: a tool may ask for any. */
export function isTrigger<R extends Resource>(resource: R, text: string): text is TriggerOf<R> {
  const { bank, service } = tables[resource];
  return [...bank, ...service].some((row) => row[1] === text);
}

/** The status to which a trigger leads from this one; undefined when the move is not allowed. */
export function findMove<R extends Resource>(
  resource: R,
  from: StatusOf<R>,
  trigger: TriggerOf<R>,
  by: Mover,
): StatusOf<R> | undefined {
  return tables[resource][by].find((row) => row[0] === from && row[1] === trigger)?.[2];
}

/** The triggers that a bank's callback may pull in a status: what the answer to a move that is not allowed names. */
export function triggersFrom<R extends Resource>(resource: R, from: StatusOf<R>): readonly TriggerOf<R>[] {
  return tables[resource].bank.filter((row) => row[0] === from).map((row) => row[1]);
}
