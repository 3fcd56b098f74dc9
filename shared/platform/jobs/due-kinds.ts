/** Every kind of due job. One worker of functions/workers.ts does each. */
export const dueKinds = [
  'PAY_IN_EXPIRY',
  'DELIVERY',
  'BACKLOG',
  'PAYOUT_SUBMISSION',
  'PAYMENT_RELEASE',
  'CHARGE_COMMAND',
  'SETTLEMENT_RESEND',
  'PAYMENT_SWEEP',
  'RECURRENCE_END',
  'REFUND_SUBMISSION',
  'RECURRENCE_CANCELLATION',
  'DELIVERY_RESEND',
  'KEY_CODE',
  'CREDIT_RETURN',
  'PAYOUT_POLL',
  'REFUND_POLL',
  'CANCELLATION_POLL',
  'RECURRENCE_POLL',
  'CHARGE_POLL',
] as const;
export type DueKind = (typeof dueKinds)[number];
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
  ...pollKinds,
] as const satisfies readonly DueKind[];
/** Kinds that follow the clock of their company. */
export type CompanyTimeKind = Exclude<DueKind, (typeof realTimeKinds)[number]>;

export function isCompanyTimeKind(kind: DueKind): kind is CompanyTimeKind {
  return !realTimeKinds.some((known) => known === kind);
}

/** The shard of a company, from 0, by FNV-1a: companies spread evenly, and one company always has the same shard. */
export function shardOf(companyId: string, dueShards: number): number {
  let hash = 0x811c9dc5;
  for (const character of companyId) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash % dueShards;
}
