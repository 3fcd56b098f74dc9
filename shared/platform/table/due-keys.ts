import { dueInCompany } from '#company-due';
import type { CompanyTimeKind, DueFamily, DueKind } from '../jobs/due-kinds.ts';
import { familyOf, isCompanyTimeKind, shardOf } from '../jobs/due-kinds.ts';
import { companyPrefix } from './keys.ts';
import type { Condition } from './store.ts';

/* Keys of jobs in the due indexes: across companies, and where clocks are simulated in a company. */

/**
 * Shards of a family's due index: a partition of an index takes 1 000 writes a second. The number may grow at any time,
 * because all are read. A smaller one would hide jobs in the last shards.
 */
export const dueShards = 64;

/**
 * Index attributes of a job: `GSI3` across companies, and where clocks are simulated `GSI2` in its company. `notDue`
 * removes both.
 * @param id may contain `#`
 */
export function dueAttributesAt(
  companyId: string,
  kind: DueKind,
  at: string,
  id: string,
): { GSI2PK?: string; GSI2SK: string; GSI3PK: string } {
  return {
    ...(isCompanyTimeKind(kind) && dueInCompany({ GSI2PK: duePartition(companyId, kind) })),
    GSI2SK: `${at}#${kind}#${id}`,
    GSI3PK: duePartitionOf(companyId, kind, id),
  };
}

/** Removes an item from the due indexes. */
export const notDue: readonly string[] = ['GSI2PK', 'GSI2SK', 'GSI3PK'];

/** Removes an item from the due index across companies alone: `GSI2` lists it by its status. */
export const notDueButListed: readonly string[] = ['GSI3PK'];

/** The condition that an item is still due. */
export const isDue = { has: 'GSI3PK' } as const satisfies Condition;

/** Returns the upper limit of sort keys that begin with a time up to and including `at`. */
export function afterTime(at: string): string {
  return `${at}~`;
}

export function duePartition(companyId: string, kind: CompanyTimeKind): string {
  return `${companyPrefix(companyId)}#DUE#${kind}`;
}

/** Partition of the due index across companies: it holds only ids, kinds and times. */
export function dueShardPartition(family: DueFamily, shard: number): string {
  return `DUE#${family}#${shard}`;
}

/** The partition of the due index across companies in which a job is. */
export function duePartitionOf(companyId: string, kind: DueKind, id: string): string {
  return dueShardPartition(familyOf[kind], shardOf(companyId + id, dueShards));
}
