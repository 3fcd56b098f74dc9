import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { DueMessage } from '#shared/platform/jobs/due-queue.ts';
import { keys, relayed } from '#shared/platform/table/keys.ts';
import { dueIdOfCode } from '../store.ts';

const InsertShape = z.object({
  eventName: z.literal('INSERT'),
  dynamodb: z.object({ Keys: z.object({ PK: z.object({ S: z.string() }), SK: z.object({ S: z.string() }) }) }),
});

/**
 * Returns a due job for each code that stream records inserted, by their keys. `malformed`: inserts whose key is not
 * one of a code.
 */
export function writtenCodes(
  records: readonly unknown[],
  now: Instant,
): { readonly jobs: readonly DueMessage[]; readonly malformed: number } {
  const inserts = records.flatMap((record) => {
    const key = InsertShape.safeParse(record).data?.dynamodb.Keys;
    return key?.SK.S.startsWith(relayed.keyCode) === true ? [{ PK: key.PK.S, SK: key.SK.S }] : [];
  });
  const jobs = inserts.flatMap(({ PK, SK }): readonly DueMessage[] => {
    const [, companyId = '', , accountId = '', , validationId = ''] = PK.split('#');
    const number = Number(SK.slice(relayed.keyCode.length));
    if (!(number >= 1)) return [];
    const built = keys.keyCode(companyId, accountId, validationId, number);
    // The key that is built from the parts must be the key of the record.
    if (built.PK !== PK || built.SK !== SK) return [];
    return [{ kind: 'KEY_CODE', companyId, id: dueIdOfCode({ accountId, validationId, number }), dueAt: now }];
  });
  return { jobs, malformed: inserts.length - jobs.length };
}
