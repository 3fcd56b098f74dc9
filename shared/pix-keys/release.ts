import type { KeyTally } from './quota.ts';
import type { KeyValidation } from './model.ts';
import { listKeyValidations } from './list.ts';
import { confirmedKeys, keyTallyWrite, parseKeyTally } from './store.ts';
import type { Hash } from '../platform/keyed-hash.ts';
import { keys } from '../platform/table/keys.ts';
import type { Store, Write } from '../platform/table/store.ts';

const pageSize = 100;

/**
 * Takes its confirmed keys from an account that is closed, so that another one can have them. To be written with the
 * closing: the tally's version makes it fail when a key is confirmed at the same time.
 */
export async function releaseKeys(
  store: Store,
  hash: Hash,
  companyId: string,
  accountId: string,
): Promise<readonly Write[]> {
  const tallyKey = keys.keyTally(companyId, accountId);
  const [item] = await store.read([tallyKey]);
  if (item === undefined) return [{ check: tallyKey, when: { is: 'absent' } }];
  const tally = parseKeyTally(item);
  const released: KeyTally = { ...tally, keys: 0, version: tally.version + 1 };
  const confirmed = await readConfirmed(store, companyId, accountId);
  return [
    keyTallyWrite(companyId, released),
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
    const wanted = { companyId, accountId, ascending: true, limit: pageSize, cursor };
    const { validations, nextCursor } = await listKeyValidations(store, wanted);
    confirmed.push(...validations.filter(({ status }) => status === 'CONFIRMED'));
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return confirmed;
}
