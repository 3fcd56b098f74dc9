import * as z from 'zod';
import type { Clock, Instant } from '#shared/core/brasilia-time.ts';
import { epochSeconds, plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import type { CircuitName } from '#shared/platform/outbox/delivery.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { ItemMembers } from '#shared/platform/table/parse.ts';
import { parserOf } from '#shared/platform/table/parse.ts';
import type { Condition, Item, Put, Store, Update } from '#shared/platform/table/store.ts';
import type { CircuitRules, FailedCall, Failures } from './circuit.ts';

/*
 * Counts of failed calls in a row to an address or an origin: an item beside the company's health, to which many
 * workers add concurrently. Each addition is atomic, and its result shows whether the circuit opens. The conditions
 * compare only the count's id and the times at which the row and its timeouts began.
 */

const FailuresItem = z.object({
  entity: z.literal('ENDPOINT_FAILURES'),
  id: z.string(),
  since: z.string().exactOptional(),
  failures: z.int(),
  deliveries: z.int(),
  timeouts: z.int(),
  timeoutsSince: z.string().exactOptional(),
  lastAt: z.string(),
} satisfies ItemMembers<Failures>);
const parseFailures: (item: Item) => Failures = parserOf(FailuresItem, 'endpoint failures');

/** Seconds. The table keeps a count for so long after its last failure: longer than a circuit uses it. */
const keptSeconds = 2 * 86_400;
/** Seconds without a failure, after which a success ends the count: the next successes cost no read. */
const calmSeconds = 60;
/** Tries to count one call, while other workers begin and end rows and runs of timeouts. */
const tries = 20;

/** Where the failures of a circuit are counted. */
type CircuitContext = {
  readonly store: Store;
  readonly now: Clock;
  readonly companyId: string;
  readonly name: CircuitName;
};

/** Returns the write of a new, empty count, which replaces the former count. */
export function newFailuresPut(companyId: string, name: CircuitName, id: string, at: Instant): Put {
  const emptyCount: Failures = { id, failures: 0, deliveries: 0, timeouts: 0, lastAt: at };
  const expiresAt = epochSeconds(at) + keptSeconds;
  return { put: { ...keys.endpointFailures(companyId, name), entity: 'ENDPOINT_FAILURES', ...emptyCount, expiresAt } };
}

/**
 * Counts a failed call.
 * @returns the failures including it; undefined when the count has ended, or others changed it during every try
 * @throws StoreUnavailable, CorruptItem
 */
export async function addFailure(context: CircuitContext, id: string, call: FailedCall, rules: CircuitRules) {
  const { store, now, companyId, name } = context;
  const key = keys.endpointFailures(companyId, name);
  const [item] = await store.read([key]);
  let current = item && parseFailures(item);
  for (let attempt = 1; attempt <= tries && current?.id === id; attempt += 1) {
    const at = now();
    const { set, ...more } = failureAdded(current, call, at, rules);
    const expiresAt = epochSeconds(at) + keptSeconds;
    const outcome = await store.writeOne({ update: key, set: { ...set, expiresAt }, ...more });
    const next = outcome.ok ? outcome.after : outcome.failed[0]?.item;
    current = next && parseFailures(next);
    if (outcome.ok) return current;
  }
  return undefined;
}

/**
 * Resets the failures after a successful call. A count without a failure for a minute ends.
 * @returns whether the count has ended, now or before
 * @throws StoreUnavailable, CorruptItem
 */
export async function endFailures(context: CircuitContext, id: string): Promise<boolean> {
  const { store, now, companyId, name } = context;
  const key = keys.endpointFailures(companyId, name);
  const [item] = await store.read([key]);
  const current = item && parseFailures(item);
  if (current?.id !== id) return true;
  const calm = plusSeconds(now(), -calmSeconds);
  if (current.lastAt <= calm) {
    const isCalm: Condition = { all: [{ equals: { id } }, { equals: { lastAt: current.lastAt } }] };
    const outcome = await store.writeOne({ update: key, set: { ...zeroCounts, id: '' }, remove: began, when: isCalm });
    if (outcome.ok) return true;
  }
  if (current.since !== undefined)
    await store.writeOne({ update: key, set: zeroCounts, remove: began, when: { equals: { id } } });
  return false;
}

const zeroCounts = { failures: 0, deliveries: 0, timeouts: 0 } as const;
const began = ['since', 'timeoutsSince'] as const;

type Added = Required<Pick<Update, 'set' | 'add' | 'remove' | 'when'>>;

/** Returns the update of the counts for a failed call. It fails when another worker begins a row or timeouts first. */
function failureAdded(current: Failures, call: FailedCall, now: Instant, rules: CircuitRules): Added {
  const { id, since, timeoutsSince } = current;
  const isFirst = (begun: Instant): 0 | 1 => (call.earlier.every((at) => at < begun) ? 1 : 0);
  const goesOn = since !== undefined && secondsBetween(since, call.at) <= rules.windowSeconds;
  const row = goesOn
    ? { set: {}, add: { failures: 1, deliveries: isFirst(since) } }
    : { set: { since: call.at, failures: 1, deliveries: 1 }, add: {} };
  const isSameRow: Condition = since === undefined ? { lacks: 'since' } : { equals: { since } };
  const isSame: Condition = { all: [{ equals: { id } }, isSameRow] };
  const set = { ...row.set, lastAt: now };
  if (call.reason !== 'TIMEOUT')
    return { set: { ...set, timeouts: 0 }, add: row.add, remove: ['timeoutsSince'], when: isSame };
  if (timeoutsSince === undefined) {
    const when: Condition = { all: [isSame, { lacks: 'timeoutsSince' }] };
    return { set: { ...set, timeouts: 1, timeoutsSince: call.at }, add: row.add, remove: [], when };
  }
  const when: Condition = { all: [isSame, { equals: { timeoutsSince } }] };
  return { set, add: { ...row.add, timeouts: isFirst(timeoutsSince) }, remove: [], when };
}
