import { readFileSync } from 'node:fs';
import type { Finding } from '../world/history.ts';

/** The row of docs/capacity.md of each operation that has one of its own. */
const rows: Readonly<Record<string, string>> = {
  createPayIn: 'Create another pay-in',
  cancelPayIn: 'Cancel it',
  getPayIn: 'Get pay-in by id',
  listRefunds: 'List refunds',
  refundPayIn: 'Request refund',
  getPayout: 'Get payout',
  createSubscription: 'Create subscription, journey 3',
  getSubscription: 'Get subscription',
  createScheduledPayment: 'Schedule a payment',
  getScheduledPayment: 'Get scheduled payment',
  forceOrderStatus: 'Force pay-in to PAID',
  forceSubscriptionStatus: 'Force subscription status',
  forceScheduledPaymentStatus: 'Force scheduled payment to ACCEPTED',
  getBalance: 'Get balance',
  getWebhookSettings: 'Get webhook settings',
  replaceWebhookSettings: 'Replace webhook settings',
  rotateWebhookSecret: 'Rotate secret',
  // The dearer of its two rows, since most that are read in some lives wait. The test of that page holds both.
  getWebhookDelivery: 'Get a delivery that waits',
  getWebhookResend: 'Get resend',
};

/** In the sandbox, operations that follow the company's time read its clock and its bank profile, too, in one call. */
const sandboxReads = { calls: 1, units: 2 };
/** What asks for the company's bank reads whether it has its own, at most once a minute: rare requests always do. */
const bankReads = 1;
const askingForBank: ReadonlySet<string> = new Set([
  ...['createPayIn', 'cancelPayIn', 'refundPayIn', 'createSubscription', 'createScheduledPayment'],
  ...['forceOrderStatus', 'forceSubscriptionStatus', 'forceScheduledPaymentStatus'],
]);
/** Of an account with four shards a balance also takes two readings of all of them. */
const shardReads: Readonly<Record<string, readonly [calls: number, units: number]>> = { getBalance: [2, 8] };
/** The actors send longer texts: two items of an operation may be a kilobyte above those that were measured. */
const longerUnits = 4;
/** Fewer say nothing of what is usual: a race makes one dearer. */
const leastSeen = 20;

/** Read calls, read units, write calls, write units: the columns of docs/capacity.md. */
type Cost = readonly number[];

function readRows(): ReadonlyMap<string, Cost> {
  const page = readFileSync(new URL('../../../docs/capacity.md', import.meta.url), 'utf8');
  const cells = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  return new Map(cells.map(([, name = '', ...columns]) => [name, columns.slice(0, 4).map(Number)]));
}

/** What an operation usually costs that nothing touched stays in its row of docs/capacity.md. */
export function checkCosts(counts: ReadonlyMap<string, number>, finding: Finding): void {
  const known = readRows();
  const usual = new Map<string, { readonly cost: Cost; readonly seen: number; readonly all: number }>();
  for (const [occurrence, seen] of counts) {
    const [mark, operation = '', text = '[]'] = occurrence.split(' ');
    const cost = JSON.parse(mark === 'cost' ? text : '[]') as Cost;
    const [, , writes = 0] = known.get(rows[operation] ?? '') ?? [];
    // What writes nothing although the row does is the repetition of a request.
    if (mark !== 'cost' || (writes > 0 && cost[2] === 0)) continue;
    const before = usual.get(operation);
    const all = (before?.all ?? 0) + seen;
    const most = before !== undefined && before.seen >= seen ? before : { cost, seen };
    usual.set(operation, { ...most, all });
  }
  for (const [operation, name] of Object.entries(rows)) {
    const row = known.get(name);
    if (row === undefined) throw new Error(`docs/capacity.md has no row "${name}".`);
    const found = usual.get(operation);
    if (found === undefined || found.all < leastSeen) continue;
    const reads = askingForBank.has(operation) ? bankReads : 0;
    const [calls, units] = shardReads[operation] ?? [0, 0];
    const most = [sandboxReads.calls + reads + calls, sandboxReads.units + reads + units, 0, longerUnits].map(
      (more, column) => (row[column] ?? 0) + more,
    );
    if (found.cost.some((some, column) => some > (most[column] ?? 0)))
      finding(
        'an operation costs at most its documented units',
        `${operation}: ${found.cost.join()} instead of at most ${most.join()}`,
        [],
      );
  }
}
