import type { KeyQuota } from './quota.ts';
import type { KeyValidation } from './model.ts';
import { confirmedKeys, keyQuotaWrite, listKeyValidations, parseKeyQuota } from './store.ts';
import type { Hash } from '../platform/keyed-hash.ts';
import { keys } from '../platform/table/keys.ts';
import type { Store, Write } from '../platform/table/store.ts';

const pageSize = 100;

/**
 * Returns the writes that take its keys from an account, for the transaction that closes it. The transaction fails when
 * a key is confirmed concurrently.
 */
export async function releaseKeys(
  store: Store,
  hash: Hash,
  companyId: string,
  accountId: string,
): Promise<readonly Write[]> {
  const quotaKey = keys.keyQuota(companyId, accountId);
  const [item] = await store.read([quotaKey]);
  if (item === undefined) return [{ check: quotaKey, when: { is: 'absent' } }];
  const quota = parseKeyQuota(item);
  const released: KeyQuota = { ...quota, keys: 0, version: quota.version + 1 };
  const confirmed = await readConfirmed(store, companyId, accountId);
  return [
    keyQuotaWrite(companyId, released),
    ...confirmed.flatMap((validation): Write[] =>
      confirmedKeys(hash, validation).map((key) => ({
        delete: key,
        when: { equals: { validationId: validation.id } },
      })),
    ),
  ];
}

async function readConfirmed(store: Store, companyId: string, accountId: string): Promise<readonly KeyValidation[]> {
  const confirmed: KeyValidation[] = [];
  let cursor: string | undefined;
  do {
    const page = { ascending: true, limit: pageSize, cursor };
    const { found, nextCursor } = await listKeyValidations(store, companyId, accountId, page);
    confirmed.push(...found.filter(({ status }) => status === 'CONFIRMED'));
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return confirmed;
}
