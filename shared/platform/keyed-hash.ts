import { createHmac, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { keys } from './table/keys.ts';
import { parseItem } from './table/parse.ts';
import type { KeyedHash, Store } from './table/store.ts';
import { CorruptItem } from './table/store.ts';

/**
 * The keyed hash of a document, e-mail address, phone or bank account, for keys of the table (docs/decisions/001).
 * @param scope a company's id or a list of the service: equal values have different hashes in different scopes
 */
export type Hash = (scope: string, type: string, value: string) => KeyedHash;

const SecretItem = z.object({ secret: z.string() });

/** Prefix of every hash: another algorithm gets another name. */
const version = 'v1';
/** 128 bits: no collisions, by chance or without the secret. */
const bytes = 16;

/** Read once per store: the secret never changes. */
const remembered = new WeakMap<Store, Hash>();

/** Reads the hash for lookups. @throws CorruptItem when onboarding created no secret */
export async function readHash(store: Store): Promise<Hash> {
  const hash = await findHash(store);
  // Without the secret the value would be in clear text.
  if (hash === undefined) throw new CorruptItem('The table has no secret of keyed hashes.');
  return hash;
}

/** Creates the secret if there is none, for onboarding. Concurrent callers all get the hash of the first secret. */
export async function readOrMakeHash(store: Store): Promise<Hash> {
  const current = await findHash(store);
  if (current !== undefined) return current;
  const secret = randomBytes(32).toString('base64');
  await store.writeOne({ put: { ...keys.hashSecret(), entity: 'HASH_SECRET', secret }, when: { is: 'absent' } });
  return readHash(store);
}

async function findHash(store: Store): Promise<Hash | undefined> {
  const known = remembered.get(store);
  if (known !== undefined) return known;
  const [item] = await store.read([keys.hashSecret()]);
  if (item === undefined) return undefined;
  const secret = Buffer.from(parseItem(SecretItem, item, 'secret of keyed hashes').secret, 'base64');
  const hash: Hash = (...parts) => {
    const code = createHmac('sha256', secret).update(JSON.stringify(parts)).digest();
    return `${version}.${code.subarray(0, bytes).toString('base64url')}` as KeyedHash;
  };
  remembered.set(store, hash);
  return hash;
}
