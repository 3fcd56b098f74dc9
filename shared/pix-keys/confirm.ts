import type { Instant } from '../core/brasilia-time.ts';
import type { KeyValidation } from './model.ts';
import type { Confirmation, KeyHolder } from './states.ts';
import { notFound } from '../core/errors.ts';
import { holderKeys, parseHolder } from './codes/request.ts';
import { isKeyTaken, parseKeyValidation } from './store.ts';
import type { Hash } from '../platform/keyed-hash.ts';
import { keys } from '../platform/table/keys.ts';
import type { Item, Key, Store } from '../platform/table/store.ts';

type ConfirmationBasis = KeyHolder & { readonly validation: KeyValidation; readonly isTaken: boolean };

/**
 * Reads the facts that a confirmation depends on, in two reads: only the validation names its key. The returned
 * function parses them.
 * @throws RequestError 404, in the returned function
 */
export async function findForConfirmation(
  { store, hash, realAt }: { readonly store: Store; readonly hash: Hash; readonly realAt: Instant },
  read: (names: readonly Key[]) => Promise<readonly (Item | undefined)[]>,
  ids: { readonly companyId: string; readonly accountId: string; readonly validationId: string },
): Promise<() => ConfirmationBasis> {
  const { companyId, accountId, validationId } = ids;
  const names = [...holderKeys(companyId, accountId), keys.keyValidation(companyId, accountId, validationId)];
  const [account, quota, item] = await read(names);
  const validation = item && parseKeyValidation(item);
  const isTaken = validation?.status === 'PENDING' && (await isKeyTaken(store, hash, validation));
  return () => {
    const holder = parseHolder(account, quota, realAt);
    if (validation === undefined) throw notFound('Key validation');
    return { ...holder, validation, isTaken };
  };
}

const wrong = 'WRONG#';

/** The result of a confirmation as its idempotency key stores it. */
export function resultName(created: Confirmation): string {
  return created.outcome === 'WRONG' ? `${wrong}${created.triesLeft}` : created.outcome;
}

/** Returns the tries left after a wrong code, from the stored result; undefined for the right code. */
export function triesLeftIn(result: string): number | undefined {
  return result.startsWith(wrong) ? Number(result.slice(wrong.length)) : undefined;
}
