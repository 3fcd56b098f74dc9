import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import type { CodeName } from '../model.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { parseItem } from '#shared/platform/table/parse.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';

type NumberedCode = Pick<CodeName, 'validationId' | 'number'>;

/** A code has six digits (docs/decisions/021). */
const codes = 1_000_000n;

/**
 * Returns the six digits of a code: a keyed hash (HMAC-SHA256, like RFC 4226), computed for every try and never stored.
 * It uses 64 bits, so that no code is more likely than another by more than 2⁻⁴⁴.
 * @param secret the company's, base64
 */
export function codeFor(secret: string, { validationId, number }: NumberedCode): string {
  const bits = keyedHash(secret, ['CODE', validationId, `${number}`]).readBigUInt64BE(0);
  return String(bits % codes).padStart(6, '0');
}

/** Returns the stored hash of a code. Without the secret, the code cannot be found by trying all one million codes. */
export function hashOfCode(secret: string, { validationId, number }: NumberedCode, code: string): string {
  return keyedHash(secret, ['CHECK', validationId, `${number}`, code]).toString('base64url');
}

/** Whether the code has the stored hash; the time that the comparison takes does not depend on the digits. */
export function isCodeOf(secret: string, name: NumberedCode, stored: string, code: string): boolean {
  const given = Buffer.from(hashOfCode(secret, name, code));
  const right = Buffer.from(stored);
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Returns the stored fingerprint of a request with a code: a hash without key would reveal its six digits. */
export function keyedFingerprint(secret: string, fingerprint: string): string {
  return keyedHash(secret, ['FINGERPRINT', fingerprint]).toString('base64url');
}

/** Hashes parts that hold no line break, so that different lists of parts are different inputs. */
function keyedHash(secret: string, parts: readonly string[]): Buffer {
  return createHmac('sha256', Buffer.from(secret, 'base64')).update(parts.join('\n')).digest();
}

const SecretItem = z.object({ secret: z.string() });

/** Secrets never change: each is read once per company and store, then kept here. */
const remembered = new WeakMap<Store, Map<string, string>>();

async function readSecret(store: Store, companyId: string): Promise<string | undefined> {
  const known = remembered.get(store) ?? new Map<string, string>();
  remembered.set(store, known);
  const before = known.get(companyId);
  if (before !== undefined) return before;
  const [item] = await store.read([keys.codeSecret(companyId)]);
  if (item === undefined) return undefined;
  const { secret } = parseItem(SecretItem, item, 'code secret');
  known.set(companyId, secret);
  return secret;
}

/** The secret of a company's codes, 32 random bytes in base64; two concurrent creations both get the first one. */
export async function readOrCreateCodeSecret(store: Store, companyId: string): Promise<string> {
  const current = await readSecret(store, companyId);
  if (current !== undefined) return current;
  const secret = randomBytes(32).toString('base64');
  await store.writeOne({
    put: { ...keys.codeSecret(companyId), entity: 'CODE_SECRET', secret },
    when: { is: 'absent' },
  });
  const kept = await readSecret(store, companyId);
  if (kept === undefined) throw new StoreUnavailable('Cannot find the code secret after its write.');
  return kept;
}
