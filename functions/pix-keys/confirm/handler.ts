import type { Operation } from '#shared/contract/contract.ts';
import { timeForBank } from '#shared/bank/submit-in-time.ts';
import { decideConfirmation, nextLookUp, wrongCode } from '#shared/pix-keys/states.ts';
import { replayedError } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { isCodeOf, keyedFingerprint, readOrCreateCodeSecret } from '#shared/pix-keys/codes/code.ts';
import { countStatus } from '#shared/platform/commit-transition.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import { readHash } from '#shared/platform/keyed-hash.ts';
import { keyValidationUpdate, readKeyValidation, registrationWrites } from '#shared/pix-keys/store.ts';
import { registeredAtOnce, registrarOf, submitRegistrationInTime } from '#shared/pix-keys/submit.ts';
import type { KeyDependencies } from '#functions/banks.ts';
import { keyDependencies } from '#functions/banks.ts';
import { confirmationView } from '#shared/pix-keys/view.ts';
import { ConfirmKey } from './contract.ts';
import { answerTo, findForConfirmation, parseResult, resultName } from '#shared/pix-keys/confirm.ts';

/**
 * Compares a code. The right code claims the key in the whole service and has the bank register it: the simulated bank
 * with the commit, any other one by a command. A wrong code uses up a try, so the idempotency key stores that result,
 * too.
 * @throws RequestError 404; 409 account not active or full, validation not pending, wrong code, key of another account.
 */
export const confirmKey: Operation<typeof ConfirmKey, KeyDependencies> = async (request, deps) => {
  const { caller, params, body, requestId } = request;
  const { companyId } = caller;
  const { accountId } = params;
  const { validationId, code } = body;
  const { store, ids, now, realNow, settings, bank } = deps;
  const remainingMs = timeForBank(deps.elapsedMs);
  const [secret, hash] = await Promise.all([readOrCreateCodeSecret(store, companyId), readHash(store)]);
  const keyed = { ...request, fingerprint: keyedFingerprint(secret, request.fingerprint) };
  return createOnce(deps, keyed, {
    operation: ConfirmKey.operationId,
    keyLife: 'WEEK',
    find: (read) =>
      findForConfirmation({ store, hash, realAt: realNow() }, read, { companyId, accountId, validationId }),
    decide: async (find, at) => {
      const found = find();
      const { codeNumber: number, codeHash, type } = found.validation;
      const isRight = codeHash !== undefined && isCodeOf(secret, { validationId, number }, codeHash, code);
      const decided = decideConfirmation(found, { isRight, at }, settings.keyRules);
      if (decided.outcome === 'WRONG') return decided;
      const connection = await registrarOf(bank, { companyId, accountId }, type);
      return { ...decided, ...(await registeredAtOnce(bank, decided, { connection, at })) };
    },
    idOf: resultName,
    change: (decided, _found, at) => {
      const { validation } = decided;
      const claims = decided.outcome === 'WRONG' ? [] : registrationWrites(hash, decided);
      return { writes: [keyValidationUpdate(validation, nextLookUp(validation, at)), ...claims] };
    },
    response: async (decided) => {
      const { validation } = decided;
      if (validation.status !== 'PENDING') countStatus('KEY_VALIDATION', validation.status);
      if (decided.outcome === 'WRONG') throw wrongCode(decided.triesLeft);
      const context = { store, ids, companyId, requestId, at: now(), realNow, bank, remainingMs };
      await submitRegistrationInTime(context, validation);
      return { status: 200, body: confirmationView(validation, answerTo(validation)) };
    },
    replay: async (result) => {
      const stored = parseResult(result);
      if ('triesLeft' in stored) throw replayedError(wrongCode(stored.triesLeft));
      const validation = await readKeyValidation(store, companyId, accountId, validationId);
      if (validation === undefined) throw new Error('An idempotency key names a validation that does not exist.');
      return { status: 200, body: confirmationView(validation, stored.answer), replayed: true };
    },
  });
};

export const handler = endpoint(ConfirmKey, confirmKey, keyDependencies);
