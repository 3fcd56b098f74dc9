import type { Operation } from '#shared/contract/contract.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { timeForBank } from '#shared/bank/submit-in-time.ts';
import { forbiddenByState } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { askRemoval } from '#shared/pix-keys/remove.ts';
import { requireRegistration } from '#shared/pix-keys/store.ts';
import { submitKeyCommand } from '#shared/pix-keys/submit.ts';
import { keyValidationView } from '#shared/pix-keys/view.ts';
import type { KeyDependencies } from '#functions/banks.ts';
import { keyDependencies } from '#functions/banks.ts';
import { RemoveKey } from './contract.ts';

/** Seconds after which a removal that the bank has not confirmed is looked up. */
const lookedUpAfterSeconds = 120;

/**
 * Removes a key: the simulated bank's with the commit, any other one's by a command.
 * @throws RequestError 404; 409 unless it is confirmed, and when its bank keeps it
 * @throws BankUnavailable while the bank has not confirmed the removal, which goes on
 */
export const removeKey: Operation<typeof RemoveKey, KeyDependencies> = async ({ caller, params, requestId }, deps) => {
  const { companyId, clientId: removedBy } = caller;
  const { store, ids, now, realNow, bank } = deps;
  const at = now();
  const name = { companyId, accountId: params.accountId, id: params.validationId };
  const context = { store, ids, companyId, requestId, at, realNow, bank, remainingMs: timeForBank(deps.elapsedMs) };
  const { validation, isNew } = await askRemoval(context, { ...name, removedBy });
  if (validation.status === 'REMOVED') return { status: 200, body: keyValidationView(validation, at) };
  const end = await submitKeyCommand(context, validation, { again: !isNew });
  if (end === 'REFUSED')
    throw forbiddenByState('validationId', 'INVALID_VALUE', 'The bank of the account did not remove the key.');
  if (end !== 'ENDED')
    throw new BankUnavailable('The bank has not confirmed the removal of the key.', lookedUpAfterSeconds);
  return { status: 200, body: keyValidationView((await requireRegistration(store, name)).validation, at) };
};

export const handler = endpoint(RemoveKey, removeKey, keyDependencies);
