import { createHmac, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { keys } from './table/keys.ts';
import { parseItem } from './table/parse.ts';
import type { KeyedHash, Store } from './table/store.ts';
import { CorruptItem } from './table/store.ts';

/**
 * What stands in a key for a document, an e-mail address, a phone or a bank account (docs/decisions/001).
 *
 * @param scope whose it is, a company's id or a list of the service: equal values of two scopes do not look equal
 */
export type Hash = (scope: string, type: string, value: string) => KeyedHash;

const SecretItem = z.object({ secret: z.string() });

/** In every key that is made with it: another way of making them has another name, so both can be told apart. */
const version = 'v1';
/** 128 bits: nobody finds two values of one hash without the secret, and chance does not either. */
const bytes = 16;

/** The secret never changes: it is read once a store, then remembered. */
const remembered = new WeakMap<Store, Hash>();

/** For the functions that look for something by such a value. @throws CorruptItem where onboarding made no secret */
export async function readHash(store: Store): Promise<Hash> {
  const hash = await findHash(store);
  // Never without the secret: what is looked for in clear would be written in clear.
  if (hash === undefined) throw new CorruptItem('The secret of keyed hashes is not there.');
  return hash;
}

/** For onboarding: makes the secret where there is none. Of two that make it at once both get the first one's. */
export async function readOrMakeHash(store: Store): Promise<Hash> {
  const present = await findHash(store);
  if (present !== undefined) return present;
  const secret = randomBytes(32).toString('base64');
  await store.writeOne({
    put: { ...keys.hashSecret(), entity: 'HASH_SECRET', secret },
    when: { is: 'absent' },
  });
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
