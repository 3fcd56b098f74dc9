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

const ClockItem = z.object({ entity: z.literal('CLOCK'), offsetMs: z.int() });

/** Milliseconds that a clock is ahead of real time, 0 without one. @throws CorruptItem */
export function parseOffsetMs(item: Item | undefined): number {
  return item === undefined ? 0 : parseItem(ClockItem, item, 'clock').offsetMs;
}

/** Reads the milliseconds that a company's clock is ahead of real time. @throws CorruptItem */
export async function readOffsetMs(store: Store, companyId: string): Promise<number> {
  return parseOffsetMs((await store.read([keys.companyClock(companyId)]))[0]);
}

/** Sets a company's clock unless it changed since it was read; an unchanged clock is only checked. */
export function offsetWrite(companyId: string, { from, to }: { readonly from: number; readonly to: number }): Write {
  const key = keys.companyClock(companyId);
  const when = from === 0 ? ({ is: 'absent' } as const) : { equals: { offsetMs: from } };
  if (from === to) return { check: key, when };
  return { put: { ...key, ...clockListAttributes(companyId), entity: 'CLOCK', offsetMs: to }, when };
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
