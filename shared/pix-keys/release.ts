import { forbiddenByState } from '../core/errors.ts';
import type { Instant } from '../core/brasilia-time.ts';
import type { Hash } from '../platform/keyed-hash.ts';
import { keys } from '../platform/table/keys.ts';
import type { Store, Write } from '../platform/table/store.ts';
import type { KeyValidation } from './model.ts';
import type { KeyQuota } from './quota.ts';
import { removedKey } from './states.ts';
import { confirmedKeyDeletes, keyQuotaWrite, keyValidationUpdate, listKeyValidations, parseKeyQuota } from './store.ts';

const pageSize = 100;

/**
 * Returns the writes that take its keys from an account, for the transaction that closes it. The transaction fails when
 * a key is confirmed concurrently.
 * @throws RequestError 409 while a key is at a bank of the company's own, which has to remove it, or on its way there
 */
export async function releaseKeys(
  store: Store,
  hash: Hash,
  { companyId, accountId, at }: { readonly companyId: string; readonly accountId: string; readonly at: Instant },
): Promise<readonly Write[]> {
  const quotaKey = keys.keyQuota(companyId, accountId);
  const [item] = await store.read([quotaKey]);
  if (item === undefined) return [{ check: quotaKey, when: { is: 'absent' } }];
  const quota = parseKeyQuota(item);
  const released: KeyQuota = { ...quota, keys: 0, version: quota.version + 1 };
  const held = await readHeld(store, companyId, accountId);
  const atBank = held.filter(({ status, connection }) => status === 'REGISTERING' || connection !== undefined);
  if (atBank.length > 0)
    throw forbiddenByState(
      'status',
      'TRANSITION_NOT_ALLOWED',
      `The account has PIX keys at its bank (${atBank.length}). The partner removes them first.`,
    );
  return [
    keyQuotaWrite(companyId, released),
    ...held.flatMap((validation): readonly Write[] => {
      const next = { ...validation, version: validation.version + 1 };
      return [
        keyValidationUpdate(removedKey({ validation: next, quota }, at).validation),
        ...confirmedKeyDeletes(hash, validation),
      ];
    }),
  ];
}

/** Reads the keys that an account has or is about to have. */
async function readHeld(store: Store, companyId: string, accountId: string): Promise<readonly KeyValidation[]> {
  const held: KeyValidation[] = [];
  let cursor: string | undefined;
  do {
    const page = { ascending: true, limit: pageSize, cursor };
    const { found, nextCursor } = await listKeyValidations(store, companyId, accountId, page);
    held.push(...found.filter(({ status }) => status === 'CONFIRMED' || status === 'REGISTERING'));
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return held;
}
