import * as z from 'zod';
import { clockListAttributes, clocks, keys } from '../platform/table/keys.ts';
import { parseItem } from '../platform/table/parse.ts';
import type { Item, Store, Write, Put, Update } from '../platform/table/store.ts';
import { queryAll } from '../platform/table/store.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { epochSeconds } from '../core/brasilia-time.ts';
import type { DueJobsResult, ClockJob, ClockReading } from './clock.ts';
import { clockJobKinds, clockJobResourceTypes } from './clock.ts';
import { keyExpiry } from '../platform/idempotency.ts';
import type { Members } from '../platform/table/parse.ts';

const ClockItem = z.object({
  entity: z.literal('CLOCK'),
  offsetMs: z.int(),
  // Until then only the call that turned the clock runs the company's due jobs, so that its response names them all.
  callEndsBy: z.string().exactOptional(),
});
/** Seconds that a call that turns a clock may run: the timeout of its function. */
export const clockCallSeconds = 10;

type CompanyClock = { readonly offsetMs: number; readonly callEndsBy?: Instant };

/** Milliseconds that a clock is ahead of real time, 0 without one. @throws CorruptItem */
export function parseOffsetMs(item: Item | undefined): number {
  return item === undefined ? 0 : parseItem(ClockItem, item, 'clock').offsetMs;
}

/** Reads the milliseconds that a company's clock is ahead of real time. @throws CorruptItem */
export async function readOffsetMs(store: Store, companyId: string): Promise<number> {
  return (await readCompanyClock(store, companyId)).offsetMs;
}

/** Reads the clock of a company: one without offset if it has none. @throws CorruptItem */
export async function readCompanyClock(store: Store, companyId: string): Promise<CompanyClock> {
  const [item] = await store.read([keys.companyClock(companyId)]);
  return item === undefined ? { offsetMs: 0 } : parseItem(ClockItem, item, 'clock');
}

/**
 * Sets a company's clock unless it changed since it was read; an unchanged clock is only checked.
 * @param callEndsBy until when only the call that sets the clock runs the company's due jobs
 */
export function offsetWrite(
  companyId: string,
  { from, to, callEndsBy }: { readonly from: number; readonly to: number; readonly callEndsBy?: Instant | undefined },
): Write {
  const key = keys.companyClock(companyId);
  const when = from === 0 ? ({ is: 'absent' } as const) : { equals: { offsetMs: from } };
  if (from === to) return { check: key, when };
  const clock = { entity: 'CLOCK', offsetMs: to, ...(callEndsBy !== undefined && { callEndsBy }) };
  return { put: { ...key, ...clockListAttributes(companyId), ...clock }, when };
}

/** Returns a company to real time. */
export async function removeClock(store: Store, companyId: string, token: string): Promise<void> {
  await store.write([{ delete: keys.companyClock(companyId) }], token);
}

/** Reads the companies with a simulated clock from an index, which is eventually consistent. */
export async function simulatedCompanyIds(store: Store): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const { GSI2SK } of queryAll(store, { index: 'GSI3', partition: clocks }))
    if (typeof GSI2SK === 'string') found.add(GSI2SK);
  return found;
}

/** An advance that is kept for its idempotency key. Without `done` its call crashed or is still running. */
type ClockAdvanceRecord = ClockReading & { readonly done?: DueJobsResult };

const JobShape = z.object({
  kind: z.enum(clockJobKinds),
  resource: z.object({ type: z.enum(clockJobResourceTypes), id: z.string() }),
  deliveryIds: z.array(z.string()),
} satisfies Members<ClockJob>);

const ClockAdvanceItem = z.object({
  entity: z.literal('CLOCK_ADVANCE'),
  now: z.string(),
  offsetMs: z.int(),
  done: z.object({ jobs: z.array(JobShape), remaining: z.int() } satisfies Members<DueJobsResult>).exactOptional(),
});

/** Stores an advance before its jobs run, for a day longer than its idempotency key. */
export function clockAdvanceInsert(
  companyId: string,
  id: string,
  { now, offsetMs }: ClockReading,
  realAt: Instant,
): Put {
  const expiresAt = epochSeconds(keyExpiry(realAt)) + 86_400;
  const put = { ...keys.clockAdvance(companyId, id), entity: 'CLOCK_ADVANCE', now, offsetMs, expiresAt };
  return { put, when: { is: 'absent' } };
}

/** Stores the result of an advance, unless another call has stored one. */
export function clockAdvanceDone(companyId: string, id: string, done: DueJobsResult): Update {
  return { update: keys.clockAdvance(companyId, id), set: { done }, when: { lacks: 'done' } };
}

/** @throws CorruptItem */
export function parseClockAdvance(item: Item): ClockAdvanceRecord {
  const { entity: _entity, ...advance } = parseItem(ClockAdvanceItem, item, 'clock advance');
  return advance;
}
