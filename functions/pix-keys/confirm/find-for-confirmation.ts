import type { Instant } from '#shared/core/brasilia-time.ts';
import type { KeyValidation } from '#shared/pix-keys/model.ts';
import type { KeyHolder } from '#shared/pix-keys/states.ts';
import { notFound } from '#shared/core/errors.ts';
import { holderKeys, parseHolder } from '#shared/pix-keys/codes/request.ts';
import { isKeyTaken, parseKeyValidation } from '#shared/pix-keys/store.ts';
import type { Hash } from '#shared/platform/keyed-hash.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Item, Key, Store } from '#shared/platform/table/store.ts';

type Found = KeyHolder & { readonly validation: KeyValidation; readonly isTaken: boolean };

/**
 * What the decision needs. Two read calls: which key it is, the validation says.
 * @throws Refusal (the function that it gives) 404 when the company has no such account, or the account no such
 * validation.
 */
export async function findForConfirmation(
  { store, hash, realAt }: { readonly store: Store; readonly hash: Hash; readonly realAt: Instant },
  read: (wanted: readonly Key[]) => Promise<readonly (Item | undefined)[]>,
  named: { readonly companyId: string; readonly accountId: string; readonly validationId: string },
): Promise<() => Found> {
  const { companyId, accountId, validationId } = named;
  const wanted = [...holderKeys(companyId, accountId), keys.keyValidation(companyId, accountId, validationId)];
  const [account, tally, item] = await read(wanted);
  const validation = item && parseKeyValidation(item);
  const isTaken = validation?.status === 'PENDING' && (await isKeyTaken(store, hash, validation));
  return () => {
    const holder = parseHolder(account, tally, realAt);
    if (validation === undefined) throw notFound('Key validation');
    return { ...holder, validation, isTaken };
  };
}
