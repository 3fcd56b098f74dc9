import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '../core/brasilia-time.ts';
import type { CodeName } from '../pix-keys/model.ts';
import type * as production from '../platform/no-sandbox.ts';
import { keys } from '../platform/table/keys.ts';
import { parseItem } from '../platform/table/parse.ts';
import type { Item, Store } from '../platform/table/store.ts';

/*
 * The entry of the sandbox: `#sandbox` in every build with the condition `simulation`. The production build has
 * platform/no-sandbox.ts in its place.
 */
export { dependenciesOf, dueInRealTime } from './simulated-time.ts';
export { respondToCaller } from './simulated-faults.ts';

const KeptCodeItem = z.object({ number: z.int(), code: z.string(), validUntil: z.string() });
type KeptCode = z.output<typeof KeptCodeItem>;

const keptSeconds = 86_400;

/** Keeps the last message of a key validation for a day of real time. It never replaces one with a higher number. */
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

/** Replaces e-mail and SMS, and sends nothing: the simulation tool reads the kept message. */
export const outbox: NonNullable<typeof production.outbox> = () => Promise.resolve({ outcome: 'KEPT' });
