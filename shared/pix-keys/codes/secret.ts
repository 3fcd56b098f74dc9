import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { keys } from '#shared/platform/table/keys.ts';
import { parseItem } from '#shared/platform/table/parse.ts';
import type { Item, Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';

const SecretItem = z.object({ secret: z.string() });

/** Secrets never change: each is read once a company and store, then remembered. */
const remembered = new WeakMap<Store, Map<string, string>>();

async function readSecret(store: Store, companyId: string): Promise<string | undefined> {
  const known = remembered.get(store) ?? new Map<string, string>();
  remembered.set(store, known);
  const before = known.get(companyId);
  if (before !== undefined) return before;
  const [item] = await store.read([keys.codeSecret(companyId)]);
  if (item === undefined) return undefined;
  const secret = secretIn(item);
  known.set(companyId, secret);
  return secret;
}

/**
 * What a company's confirmation codes are made from: 32 random bytes, base64. Made where there is none; of two that
 * make it at once both get the one that was first.
 */
export async function readOrMakeCodeSecret(store: Store, companyId: string): Promise<string> {
  const present = await readSecret(store, companyId);
  if (present !== undefined) return present;
  const secret = randomBytes(32).toString('base64');
  await store.writeOne({
    put: { ...keys.codeSecret(companyId), entity: 'CODE_SECRET', secret },
    when: { is: 'absent' },
  });
  const kept = await readSecret(store, companyId);
  if (kept === undefined) throw new StoreUnavailable('A secret was written and is not there.');
  return kept;
}

function secretIn(item: Item): string {
  return parseItem(SecretItem, item, 'secret of codes').secret;
}
