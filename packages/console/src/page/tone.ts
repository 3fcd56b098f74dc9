const tones: Readonly<Record<string, string>> = {
  PAID: 'good',
  ASSIGNED: 'good',
  ACCEPTED: 'good',
  ACTIVE: 'good',
  COMPLETED: 'good',
  DELIVERED: 'good',
  SETTLED: 'good',
  PENDING: 'waits',
  PENDING_AUTHORIZATION: 'waits',
  INITIAL: 'waits',
  HELD: 'waits',
  UNKNOWN: 'waits',
  OPEN: 'waits',
  FAILING: 'bad',
  HALF_OPEN: 'waits',
  BUSY: 'waits',
  WELL: 'good',
  RUNNING: 'waits',
  ERROR: 'bad',
  FAILED: 'bad',
  REJECTED: 'bad',
  PARTIALLY_PAID: 'bad',
  CANCELED_INSUFFICIENT_BALANCE: 'bad',
};

/** Whether a status is a success. */
export function isGood(status: string): boolean {
  return toneOf(status) === 'good';
}

/** The colour of a status: good, waits, bad or ended. */
export function toneOf(status: string): string {
  return tones[status] ?? 'ended';
}
