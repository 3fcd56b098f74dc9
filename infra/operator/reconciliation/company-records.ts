import * as z from 'zod';
import type { LedgerEntry, Shard } from '#shared/platform/ledger/balance.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import type { Credit, CreditReturn } from '#shared/credits/model.ts';
import type { Dispute } from '#shared/disputes/model.ts';
import { parseDispute } from '#shared/disputes/store.ts';
import type { PayIn } from '#shared/pay-ins/model.ts';
import type { BatchPayment, Payout } from '#shared/payouts/model.ts';
import type { Refund } from '#shared/refunds/model.ts';
import type { ScheduledPayment } from '#shared/scheduled-payments/model.ts';
import { parseDelivery, parseDeliveryBody } from '#shared/platform/outbox/delivery-items.ts';
import type { keys } from '#shared/platform/table/keys.ts';
import { parseShard, parseLedgerEntry } from '#shared/platform/ledger/ledger.ts';
import { parseCredit, parseCreditReturn } from '#shared/credits/store.ts';
import { parsePayIn } from '#shared/pay-ins/store.ts';
import { parseRefund } from '#shared/refunds/store.ts';
import { parsePayment, parsePayout } from '#shared/payouts/store.ts';
import { parseScheduledPayment } from '#shared/scheduled-payments/store.ts';
import { parseOffsetMs } from '#shared/sandbox/clock-store.ts';
import type { Item } from '#shared/platform/table/store.ts';

/** A company's records for the comparison, by kind. */
export type CompanyRecords = {
  /** Every shard of the balances. */
  readonly balances: Shard[];
  readonly entries: LedgerEntry[];
  readonly payIns: PayIn[];
  /** Charges of subscriptions. */
  readonly charges: ScheduledPayment[];
  readonly refunds: Refund[];
  readonly credits: Credit[];
  readonly creditReturns: CreditReturn[];
  readonly disputes: Dispute[];
  readonly payouts: Payout[];
  /** Payments by the id of their payout. */
  readonly payments: Map<string, BatchPayment[]>;
  readonly deliveries: Delivery[];
  /** `id` in the body of a delivery, by the delivery's id. */
  readonly events: Map<string, string>;
  /** Milliseconds that the company's clock is ahead of real time. */
  readonly clock: { offsetMs: number };
  readonly corrupt: string[];
  /** Items of an entity that this comparison does not know. */
  readonly unknown: string[];
};

/** The event and the resource of a notification: of a credit it is in `data`, with a return beside it. */
const EventAndId = z.union([
  z.object({ event: z.string(), id: z.string() }),
  z
    .object({
      event: z.string(),
      data: z.union([z.object({ id: z.string() }), z.object({ return: z.object({ returnId: z.string() }) })]),
    })
    .transform(({ event, data }) => ({ event, id: 'id' in data ? data.id : data.return.returnId })),
]);

export function newRecords(): CompanyRecords {
  return {
    balances: [],
    entries: [],
    payIns: [],
    charges: [],
    refunds: [],
    credits: [],
    creditReturns: [],
    disputes: [],
    payouts: [],
    deliveries: [],
    payments: new Map(),
    events: new Map(),
    clock: { offsetMs: 0 },
    corrupt: [],
    unknown: [],
  };
}

/** Sorts an item into its company's records. A corrupt item is a difference. */
export function sortInto(item: Item, records: CompanyRecords): void {
  const known = sorts.get(item['entity']);
  if (known === undefined) records.unknown.push(`${item.PK} ${item.SK}: ${JSON.stringify(item['entity'])}`);
  try {
    known?.(item, records);
  } catch (error) {
    records.corrupt.push(`${item.PK} ${item.SK}: ${error instanceof Error ? error.message : 'malformed'}`);
  }
}

type Sort = (item: Item, records: CompanyRecords) => void;

/** The sort of known entities that are not compared on purpose. */
const notCompared: Sort = () => undefined;

/** Entities by the name of their key in keys.ts. A new key in keys.ts does not compile without a line here. */
const sortsByKey = {
  company: { COMPANY: notCompared },
  bankConnection: { BANK_CONNECTION: notCompared },
  bankCalls: { BANK_CALLS: notCompared },
  receivedPoll: { RECEIVED_POLL: notCompared },
  bankAccount: { BANK_ACCOUNT: notCompared },
  bankVersion: { BANK_VERSION: notCompared },
  bankClaim: { BANK_CLAIM: notCompared },
  claimedPix: { BANK_PIX: notCompared },
  bankCallback: { BANK_CALLBACK: notCompared },
  bankReading: { BANK_READING: notCompared },
  bankListSlice: { BANK_LIST: notCompared },
  companyClock: { CLOCK: (item, { clock }) => (clock.offsetMs = parseOffsetMs(item)) },
  bankProfile: { BANK_PROFILE: notCompared },
  clockAdvance: { CLOCK_ADVANCE: notCompared },
  webhookSettings: { WEBHOOK_SETTINGS: notCompared },
  webhookSecret: { WEBHOOK_SECRET: notCompared },
  webhookHealth: { WEBHOOK_HEALTH: notCompared },
  deliveryPlaces: { DELIVERY_PLACES: notCompared },
  endpointFailures: { ENDPOINT_FAILURES: notCompared },
  drain: { WEBHOOK_DRAIN: notCompared },
  callLimit: { CALL_LIMIT: notCompared },
  slowCalls: { SLOW_CALLS: notCompared },
  subscription: { SUBSCRIPTION: notCompared },
  authorizationPoll: { AUTHORIZATION_POLL: notCompared },
  cancellation: { CANCELLATION: notCompared },
  paymentEntry: { PAYMENT_ENTRY: notCompared },
  paymentCycle: { PAYMENT_CYCLE: notCompared },
  recurrenceExpiry: { RECURRENCE_END: notCompared },
  recurrenceWithdrawal: { RECURRENCE_WITHDRAWAL: notCompared },
  paymentSweep: { PAYMENT_SWEEP: notCompared },
  scheduledPayment: { SCHEDULED_PAYMENT: (item, { charges }) => charges.push(parseScheduledPayment(item)) },
  chargeTerms: { CHARGE_TERMS: notCompared },
  chargeCancellation: { CHARGE_CANCELLATION: notCompared },
  order: {
    PAY_IN: (item, { payIns }) => payIns.push(parsePayIn(item)),
    PAYOUT: (item, { payouts }) => payouts.push(parsePayout(item)),
  },
  payoutChild: { PAYOUT_PAYMENT: sortPayment },
  repetition: { REPETITION: notCompared },
  credit: { CREDIT: (item, { credits }) => credits.push(parseCredit(item)) },
  creditReturn: { CREDIT_RETURN: (item, { creditReturns }) => creditReturns.push(parseCreditReturn(item)) },
  creditOfReturn: { CREDIT_OF_RETURN: notCompared },
  dispute: { DISPUTE: (item, { disputes }) => disputes.push(parseDispute(item)) },
  defence: { DEFENCE: notCompared },
  disputeReminder: { DISPUTE_REMINDER: notCompared },
  shortDispute: { SHORT_DISPUTE: notCompared },
  accountBlocks: { MED_BLOCK: notCompared },
  receivedPix: { RECEIVED_PIX: notCompared },
  recurrence: { RECURRENCE: notCompared },
  payerClaim: { PAYER_CLAIM: notCompared },
  disputeReturn: { DISPUTE_RETURN: notCompared },
  unsolicitedReturn: { FOREIGN_RETURN: notCompared },
  unplacedCredit: { UNPLACED_CREDIT: notCompared },
  bankFee: { BANK_FEE: notCompared },
  refundOrder: { REFUND_ORDER: notCompared },
  refund: { REFUND: (item, { refunds }) => refunds.push(parseRefund(item)) },
  account: { ACCOUNT: notCompared },
  accountEntry: { ACCOUNT_ENTRY: notCompared },
  payoutLimit: { PAYOUT_LIMIT: notCompared },
  equalPayout: { EQUAL_PAYOUT: notCompared },
  balance: { BALANCE: (item, { balances }) => balances.push(parseShard(item)) },
  chainHead: { CHAIN_HEAD: notCompared },
  chainSegment: { CHAIN_SEGMENT: notCompared },
  chainInclusion: { CHAIN_INCLUSION: notCompared },
  operatorCommand: { OPERATOR_COMMAND: notCompared },
  statementRoot: { STATEMENT_ROOT: notCompared },
  chainNote: { CHAIN_NOTE: notCompared },
  chainProgress: { CHAIN_PROGRESS: notCompared },
  ledgerEntry: { LEDGER_ENTRY: (item, { entries }) => entries.push(parseLedgerEntry(item)) },
  delivery: { DELIVERY: (item, { deliveries }) => deliveries.push(parseDelivery(item)) },
  deliveryBody: { DELIVERY_BODY: sortBody },
  deliveryDispatch: { DELIVERY_DISPATCH: notCompared },
  deliveryResend: { DELIVERY_RESEND: notCompared },
  simulatedTimeout: { SIMULATED_TIMEOUT: notCompared },
  recurrenceLocation: { RECURRENCE_LOCATION: notCompared },
  unsettledLocation: { UNSETTLED_LOCATION: notCompared },
  unique: { UNIQUE: notCompared },
  idempotency: { IDEMPOTENCY: notCompared },
  accountKey: { ACCOUNT_KEY: notCompared },
  confirmedKey: { ACCOUNT_KEY: notCompared },
  pixKey: { PIX_KEY: notCompared },
  keyValidation: { KEY_VALIDATION: notCompared },
  keyCode: { KEY_CODE: notCompared },
  sentCode: { SENT_CODE: notCompared },
  keyEntry: { KEY_ENTRY: notCompared },
  keyQuota: { KEY_QUOTA: notCompared },
  addressQuota: { ADDRESS_QUOTA: notCompared },
  hashSecret: { HASH_SECRET: notCompared },
  codeSecret: { CODE_SECRET: notCompared },
  controlNumber: { CONTROL_NUMBER: notCompared },
  apiClient: { API_CLIENT: notCompared },
  issuerKeys: { ISSUER_KEYS: notCompared },
  migration: { MIGRATION: notCompared },
  registry: { REGISTRY: notCompared },
} as const satisfies Record<keyof typeof keys, Readonly<Record<string, Sort>>>;

const sorts: ReadonlyMap<unknown, Sort> = new Map(
  Object.values(sortsByKey).flatMap((byEntity) => Object.entries(byEntity)),
);

function sortPayment(item: Item, { payments }: CompanyRecords): void {
  const payout = lastPart(item.PK);
  payments.set(payout, [...(payments.get(payout) ?? []), parsePayment(item)]);
}

function sortBody(item: Item, { events }: CompanyRecords): void {
  const read = EventAndId.safeParse(JSON.parse(parseDeliveryBody(item)));
  if (read.success) events.set(lastPart(item.PK), read.data.id);
}

function lastPart(key: string): string {
  return key.split('#').at(-1) ?? '';
}
