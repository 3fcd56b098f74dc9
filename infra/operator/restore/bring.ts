import { randomUUID } from 'node:crypto';
import type { Item, Key, Store, Write } from '#shared/platform/table/store.ts';
import { newRecords, sortInto } from '../reconciliation/company-records.ts';
import type { ItemDifference } from './compare.ts';

/**
 * Entities that the service itself deletes: an item that the current table lacks was deleted on purpose. If it stayed
 * in the restored table, it would allow a second submission of a command, block a cycle or a key, lead to a canceled
 * recurrence, remind of a dispute that has ended, or count a return that a dispute has booked.
 * `test/operator/restore.test.ts` checks the list.
 */
const deletedByTheService: ReadonlySet<string> = new Set([
  'REPETITION',
  'ACCOUNT_KEY',
  'PIX_KEY',
  'CLOCK',
  'PAYMENT_CYCLE',
  'AUTHORIZATION_POLL',
  'PAYMENT_SWEEP',
  'RECURRENCE_END',
  'BANK_ACCOUNT',
  'BANK_CLAIM',
  'RECURRENCE_LOCATION',
  'UNSETTLED_LOCATION',
  'BANK_LIST',
  'DISPUTE_REMINDER',
  'SHORT_DISPUTE',
  'MED_BLOCK',
  'FOREIGN_RETURN',
]);

type Brought = {
  /** Items that changed after the time of the restore, and were copied. */
  readonly copied: number;
  /** Items that the service deleted after that time, now deleted from the restored table, too. */
  readonly deleted: number;
  /** Items left as restored: their entity is to be kept, or the current table has lost them. */
  readonly kept: number;
  /** Unreadable in the current table: the restored version stays, if there is one. */
  readonly unreadable: number;
};

const together = 25;

/**
 * Copies later changes of the current table into the restored one. Without them the service would repeat payments that
 * it made meanwhile. Lost and unreadable items of the current table stay as restored. Safe to run twice.
 * @param keep Entities whose restored version stays where both tables have one: items that are wrong but readable.
 */
export async function bringDifferences(
  { current, restored }: { readonly current: Pick<Store, 'read'>; readonly restored: Pick<Store, 'write'> },
  differences: readonly ItemDifference[],
  keep: ReadonlySet<string>,
): Promise<Brought> {
  let [copied, deleted, kept, unreadable] = [0, 0, 0, 0];
  for (let from = 0; from < differences.length; from += together) {
    const part = differences.slice(from, from + together);
    const items = await current.read(part.map(({ key }) => key));
    const writes: Write[] = [];
    for (const [place, { key, entity, side }] of part.entries()) {
      const item = items[place];
      if (side === 'onlyRestored') {
        if (deletedByTheService.has(entity)) {
          writes.push({ delete: bare(key) });
          deleted += 1;
        } else kept += 1;
      } else if (side === 'different' && keep.has(entity)) kept += 1;
      else if (item === undefined || !isReadable(item)) unreadable += 1;
      else {
        writes.push({ put: item });
        copied += 1;
      }
    }
    if (writes.length > 0) await restored.write(writes, randomUUID());
  }
  return { copied, deleted, kept, unreadable };
}

/** Returns whether the reconciliation knows the item's entity and can read the item. */
function isReadable(item: Item): boolean {
  const records = newRecords();
  sortInto(item, records);
  return records.corrupt.length + records.unknown.length === 0;
}

function bare({ PK, SK }: Key): Key {
  return { PK, SK };
}
