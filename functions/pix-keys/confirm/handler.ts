import type { Operation } from '#shared/contract/contract.ts';
import { decideConfirmation, wrongCode } from '#shared/pix-keys/states.ts';
import { replayedError } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { isCodeOf, keyedFingerprint, readOrCreateCodeSecret } from '#shared/pix-keys/codes/code.ts';
import { countStatus } from '#shared/platform/commit-transition.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import { readHash } from '#shared/platform/keyed-hash.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { confirmationWrites, parseKeyValidation } from '#shared/pix-keys/store.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { dependencies } from '#shared/platform/dependencies.ts';
import { confirmationView } from '#shared/pix-keys/view.ts';
import { ConfirmKey } from './contract.ts';
import { findForConfirmation, resultName, triesLeftIn } from '#shared/pix-keys/confirm.ts';

/**
 * Compares a code. The right code gives the key to the account, in one transaction that claims the key in the whole
 * service. A wrong code uses up a try, so the idempotency key stores that result, too.
 * @throws RequestError 404; 409 account not active or full, validation not pending, wrong code, key of another account.
 */
export const confirmKey: Operation<typeof ConfirmKey, Dependencies> = async (request, deps) => {
  const { caller, params, body } = request;
  const { companyId } = caller;
  const { accountId } = params;
  const { validationId, code } = body;
  const { store, realNow, settings } = deps;
  const [secret, hash] = await Promise.all([readOrCreateCodeSecret(store, companyId), readHash(store)]);
  const keyed = { ...request, fingerprint: keyedFingerprint(secret, request.fingerprint) };
  return createOnce(deps, keyed, {
    operation: ConfirmKey.operationId,
    keyLife: 'WEEK',
    find: (read) =>
      findForConfirmation({ store, hash, realAt: realNow() }, read, { companyId, accountId, validationId }),
    decide: (find, at) => {
      const found = find();
      const { codeNumber: number, codeHash } = found.validation;
      const isRight = codeHash !== undefined && isCodeOf(secret, { validationId, number }, codeHash, code);
      return decideConfirmation(found, { isRight, at }, settings.keyRules);
    },
    idOf: resultName,
    change: (created) => ({ writes: confirmationWrites(hash, companyId, created) }),
    response: (created) => {
      if (created.validation.status !== 'PENDING') countStatus('KEY_VALIDATION', created.validation.status);
      if (created.outcome === 'WRONG') throw wrongCode(created.triesLeft);
      return { status: 200, body: confirmationView(created.validation) };
    },
    replay: async (result) => {
      const triesLeft = triesLeftIn(result);
      if (triesLeft !== undefined) throw replayedError(wrongCode(triesLeft));
      const [item] = await store.read([keys.keyValidation(companyId, accountId, validationId)]);
      if (item === undefined) throw new Error('An idempotency key names a validation that does not exist.');
      return { status: 200, body: confirmationView(parseKeyValidation(item)), replayed: true };
    },
  });
};

export const handler = endpoint(ConfirmKey, confirmKey, dependencies);
