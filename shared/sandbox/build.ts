import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '../core/brasilia-time.ts';
import type { CodeName } from '../pix-keys/model.ts';
import type * as production from '../platform/no-sandbox.ts';
import { keys } from '../platform/table/keys.ts';
import { parseItem } from '../platform/table/parse.ts';
import type { Item, Store } from '../platform/table/store.ts';

/*
 * The way into the sandbox of every build but production's: `#sandbox` with the condition `simulation`. Production has
 * platform/no-sandbox.ts in its place.
 */
export { dependenciesOf, dueInRealTime } from './simulated-time.ts';
export { respondToCaller } from './simulated-faults.ts';

const KeptCodeItem = z.object({ number: z.int(), code: z.string(), validUntil: z.string() });
type KeptCode = z.output<typeof KeptCodeItem>;

const keptSeconds = 86_400;

/** Keeps the last message of a validation for a day of real time. A code that comes late replaces no later one. */
export async function keepSentCode(
  store: Store,
  companyId: string,
  sent: CodeName & KeptCode & { readonly at: Instant },
): Promise<void> {
  const { accountId, validationId, number, code, validUntil, at } = sent;
  const expiresAt = epochSeconds(plusSeconds(at, keptSeconds));
  const key = keys.sentCode(companyId, accountId, validationId);
  await store.writeOne({
    put: { ...key, entity: 'SENT_CODE', number, code, validUntil, expiresAt },
    when: { any: [{ is: 'absent' }, { before: { number } }, { equals: { number } }] },
  });
}

/** @throws CorruptItem */
export function parseKeptCode(item: Item): KeptCode {
  return parseItem(KeptCodeItem, item, 'sent code');
}

/** Stands for e-mail and SMS: only the simulation tool can read the message. */
export const outbox: NonNullable<typeof production.outbox> = () => Promise.resolve({ outcome: 'KEPT' });
