import { assumed, prices } from './prices.ts';

/** Measurements in docs/capacity.md and docs/benchmarks.md. */
export type Measured = {
  /** Units of a payout with its delivered notification: writes by DynamoDB's own rules. */
  readonly payout: Units & { readonly gigabyteSeconds: number; readonly bytesKept: number };
  /** A test notification, which the synthetic caller asks for, delivered. */
  readonly test: Units;
  readonly delivery: { readonly gigabyteSeconds: number };
  readonly request: { readonly gigabyteSeconds: number };
  /** A minute without a due job of a kind. */
  readonly idleKind: { readonly reads: number; readonly calls: number };
};

type Units = { readonly reads: number; readonly writes: number };
type Pages = { readonly capacity: string; readonly benchmarks: string };
type Row = Readonly<Record<'a' | 'b' | 'c' | 'd', number>>;

/** Numbers of a line of a table, by its name. @throws Error when the page has no such line. */
function rowOf(page: string, name: string): Row {
  const line = page.split('\n').find((row) => row.startsWith(`| ${name} |`));
  const [a = NaN, b = NaN, c = NaN, d = NaN] = (line ?? '').split('|').slice(2, -1).map(Number);
  if (Number.isNaN(c)) throw new Error(`No line "${name}": docs/capacity.md and docs/benchmarks.md changed.`);
  return { a, b, c, d };
}

/**
 * GB-seconds of an operation's functions: the dollars of docs/benchmarks.md without what they contain beside.
 * `requests`, `messages` and `invocations` are what that page counts in it.
 */
function gigabyteSeconds(
  { a: reads, b: writes, c: dollars }: Row,
  { requests, messages, invocations }: Readonly<Record<'requests' | 'messages' | 'invocations', number>>,
): number {
  const priceOf = (what: keyof typeof prices): number => prices[what]['us-east-1'];
  const beside =
    requests * priceOf('apiRequest') +
    messages * assumed.queueRequests * priceOf('queueRequest') +
    invocations * (priceOf('invocation') + (assumed.logBytes / 1000) * priceOf('logGigabyte')) +
    reads * priceOf('readUnit') +
    writes * priceOf('writeUnit');
  return (dollars - beside) / priceOf('gigabyteSecond');
}

/** Bytes that a payout leaves in the table, with its index entries: each item as the last step leaves it. */
function bytesKept(capacity: string): number {
  const journey = capacity.slice(capacity.indexOf('A payout:'), capacity.indexOf('A pay-in:'));
  const steps = journey.split('\n').filter((line) => /^\| (?:create|PAID|deliver) /u.test(line));
  const sizes = new Map<string, number>();
  let entries = 0;
  for (const [at, step] of steps.entries())
    for (const [, entity = '', bytes, units = ''] of step.matchAll(/(\w+) \((\d+)\) ([^,|]+)/gu)) {
      // Each status has an entry of the ledger; the balance is the account's.
      const item = entity === 'LEDGER_ENTRY' ? `${entity} ${String(at)}` : entity;
      if (entity === 'BALANCE') continue;
      if (!sizes.has(item)) entries += units.split('GSI').length - 1;
      sizes.set(item, Number(bytes) + assumed.itemOverheadBytes);
    }
  if (sizes.size < 5) throw new Error('docs/capacity.md shows no items of a payout.');
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, entries * assumed.indexEntryBytes);
}

/** Reads both pages. @throws Error when they lack a needed number. */
export function readMeasured({ capacity, benchmarks }: Pages): Measured {
  const journey = rowOf(benchmarks, 'A payout, paid and delivered');
  const delivery = rowOf(benchmarks, 'One attempt of a delivery');
  const idle = rowOf(capacity, 'A minute without due work, each kind');
  const test = rowOf(capacity, 'Send test notification');
  const [, writes] = /A payout:[^]*?\| all \| \*\*(\d+)\*\* \|/u.exec(capacity) ?? [];
  if (writes === undefined) throw new Error('docs/capacity.md adds up no payout.');
  const { a: reads } = journey;
  return {
    payout: {
      reads,
      writes: Number(writes),
      bytesKept: bytesKept(capacity),
      gigabyteSeconds: gigabyteSeconds(journey, { requests: 2, messages: 1, invocations: 3 }),
    },
    test: { reads: test.b + delivery.a, writes: test.d + delivery.b },
    delivery: { gigabyteSeconds: gigabyteSeconds(delivery, { requests: 0, messages: 1, invocations: 1 }) },
    request: {
      gigabyteSeconds: gigabyteSeconds(rowOf(benchmarks, 'Get balance'), { requests: 1, messages: 0, invocations: 1 }),
    },
    idleKind: { calls: idle.a, reads: idle.b },
  };
}
