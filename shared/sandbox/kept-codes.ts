import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '../core/brasilia-time.ts';
import { keys } from '../platform/table/keys.ts';
import type { CodeName } from '../pix-keys/model.ts';
import { parseItem } from '../platform/table/parse.ts';
import type { Item, Put } from '../platform/table/store.ts';

const KeptCodeItem = z.object({ number: z.int(), code: z.string(), validUntil: z.string() });

/** A code as it was sent. */
type KeptCode = z.output<typeof KeptCodeItem>;

/** How long a sent code is kept, seconds: a day, in real time. */
const keptSeconds = 86_400;

/**
 * The last message that was sent for a validation, kept outside production; a code that comes late replaces no later
 * one.
 */
export function keptCodeWrite(companyId: string, sent: CodeName & KeptCode & { readonly at: Instant }): Put {
  const { accountId, validationId, number, code, validUntil, at } = sent;
  const expiresAt = epochSeconds(plusSeconds(at, keptSeconds));
  return {
    put: {
      ...keys.sentCode(companyId, accountId, validationId),
      ...{ entity: 'SENT_CODE', number, code, validUntil, expiresAt },
    },
    when: { any: [{ is: 'absent' }, { before: { number } }, { equals: { number } }] },
  };
}

/** @throws CorruptItem */
export function parseKeptCode(item: Item): KeptCode {
  return parseItem(KeptCodeItem, item, 'sent code');
}
