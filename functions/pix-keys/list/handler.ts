import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { pageRequest, pageResponse } from '#shared/platform/http/page.ts';
import { readAccount } from '#shared/accounts/store.ts';
import { listKeyValidations } from '#shared/pix-keys/store.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { dependencies } from '#shared/platform/dependencies.ts';
import { keyValidationView } from '#shared/pix-keys/view.ts';
import { ListKeys } from './contract.ts';

/**
 * Returns one page of validations. For an empty page it checks that the account exists.
 * @throws RequestError 404; for a cursor of another listing
 */
export const listKeys: Operation<typeof ListKeys, Pick<Dependencies, 'store' | 'now'>> = async (
  { caller, params, query },
  { store, now },
) => {
  const { companyId } = caller;
  const { accountId } = params;
  const validations = await listKeyValidations(store, companyId, accountId, pageRequest(query, {}).page);
  if (validations.found.length === 0 && (await readAccount(store, companyId, accountId)) === undefined)
    throw notFound('Account');
  const at = now();
  return pageResponse(validations, (validation) => keyValidationView(validation, at));
};

export const handler = endpoint(ListKeys, listKeys, dependencies);
