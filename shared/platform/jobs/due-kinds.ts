/**
 * Every kind of due job, by its family. A family has partitions of the due index and a queue of its own, and one worker
 * of functions/workers.ts does its jobs.
 */
export const dueFamilies = {
  PAY_INS: ['PAY_IN_EXPIRY'],
  PAYOUTS: ['PAYOUT_SUBMISSION', 'PAYOUT_POLL'],
  RESENDS: ['SETTLEMENT_RESEND'],
  PAYMENTS: ['PAYMENT_RELEASE', 'CHARGE_COMMAND', 'PAYMENT_SWEEP', 'RECURRENCE_END', 'CHARGE_POLL'],
  COMMANDS: [
    'REFUND_SUBMISSION',
    'RECURRENCE_CANCELLATION',
    'CREDIT_RETURN',
    'DISPUTE_DEFENCE',
    'KEY_COMMAND',
    'MED_BLOCK',
    'DISPUTE_REMINDER',
    'REFUND_POLL',
    'CANCELLATION_POLL',
    'RECURRENCE_POLL',
  ],
  DELIVERIES: ['DELIVERY', 'BACKLOG', 'DELIVERY_RESEND'],
  KEY_CODES: ['KEY_CODE'],
  BANK_LISTS: ['BANK_READING', 'BANK_LIST', 'RECEIVED_POLL'],
} as const;
export type DueFamily = keyof typeof dueFamilies;
export type DueKind = (typeof dueFamilies)[DueFamily][number];

export const dueFamilyNames = Object.keys(dueFamilies) as readonly DueFamily[];
export const dueKinds: readonly DueKind[] = dueFamilyNames.flatMap((family) => dueFamilies[family]);

/** The family of each kind. */
export const familyOf = Object.fromEntries(
  dueFamilyNames.flatMap((family) => dueFamilies[family].map((kind) => [kind, family] as const)),
) as Readonly<Record<DueKind, DueFamily>>;

/** Due jobs of one receive: they run concurrently. */
export const jobsAtOnce = 10;
/** Concurrent receives of the due jobs of one family. */
export const maxJobWorkers = 16;

/** The environment variable with the URL of a family's queue. */
export type DueQueueVariable = `DUE_${DueFamily}_QUEUE_URL`;
export function dueQueueVariable(family: DueFamily): DueQueueVariable {
  return `DUE_${family}_QUEUE_URL`;
}

/** Kinds that look up commands that the bank accepted. */
const pollKinds = [
  'PAYOUT_POLL',
  'REFUND_POLL',
  'CANCELLATION_POLL',
  'RECURRENCE_POLL',
  'CHARGE_POLL',
] as const satisfies readonly DueKind[];
export type PollKind = (typeof pollKinds)[number];
/**
 * Kinds that follow the machine's clock, because a person or system outside the service waits for them. They are only
 * in the index across companies.
 */
export const realTimeKinds = [
  'DELIVERY',
  'BACKLOG',
  'KEY_CODE',
  'DELIVERY_RESEND',
  'CREDIT_RETURN',
  'DISPUTE_DEFENCE',
  'MED_BLOCK',
  'BANK_READING',
  'BANK_LIST',
  'RECEIVED_POLL',
  ...pollKinds,
] as const satisfies readonly DueKind[];
/** Kinds that follow the clock of their company. */
export type CompanyTimeKind = Exclude<DueKind, (typeof realTimeKinds)[number]>;

export function isCompanyTimeKind(kind: DueKind): kind is CompanyTimeKind {
  return !realTimeKinds.some((known) => known === kind);
}

/** The shard of a text, from 0, by FNV-1a: texts spread evenly, and one text is always in one shard. */
export function shardOf(text: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash % shards;
}
