/** THE list of kinds of work that becomes due. Each is done by one worker, which names it in functions/workers.ts. */
export const dueKinds = [
  'PAY_IN_EXPIRY',
  'DELIVERY',
  'BACKLOG',
  'PAYOUT_SUBMISSION',
  'PAYMENT_RELEASE',
  'CHARGE_COMMAND',
  'SETTLEMENT_RESEND',
  'PAYMENT_SWEEP',
  'REFUND_SUBMISSION',
  'RECURRENCE_CANCELLATION',
  'DELIVERY_RESEND',
  'KEY_CODE',
] as const;
export type DueKind = (typeof dueKinds)[number];
/**
 * The kinds that follow the machine's clock whatever a company's clock shows: somebody outside waits for them. They are
 * looked for across companies only.
 */
export const realTimeKinds = [
  'DELIVERY',
  'BACKLOG',
  'KEY_CODE',
  'DELIVERY_RESEND',
] as const satisfies readonly DueKind[];
/** The kinds that follow the clock of their company. */
export type CompanyTimeKind = Exclude<DueKind, (typeof realTimeKinds)[number]>;

/** Whether work of a kind becomes due by the clock of its company. */
export function isCompanyTimeKind(kind: DueKind): kind is CompanyTimeKind {
  return !realTimeKinds.some((known) => known === kind);
}

/**
 * The place of a company among so many, from 0. FNV-1a: companies spread evenly, and one company always comes to the
 * same shard.
 */
export function shardOf(companyId: string, dueShards: number): number {
  let hash = 0x811c9dc5;
  for (const character of companyId) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash % dueShards;
}
