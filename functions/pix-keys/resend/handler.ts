import type { AnswerOf, RequestOf } from '#shared/contracts/contract.ts';
import { resendCode } from '#shared/domain/key-validation-moves.ts';
import { notFound } from '#shared/domain/refusal.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { createOnce } from '#shared/operations/create-once.ts';
import { holderKeys, parseHolder, promiseWrites, readPromisedCode } from '#shared/operations/promise-code.ts';
import { keys } from '#shared/persistence/keys.ts';
import { keyValidationUpdate, parseKeyValidation } from '#shared/persistence/key-validations.ts';
import type { Dependencies } from '#shared/runtime/dependencies.ts';
import { dependencies } from '#shared/runtime/dependencies.ts';
import { promisedCodeView } from '#shared/views/pix-key.ts';
import { ResendKeyCode } from './contract.ts';

/**
 * Promises another code for a pending validation (specification, 4.3). The key remembers which code it made, so that a
 * repetition names that one, also when a further resend has replaced it.
 * @throws Refusal when account or validation is unknown, the account is not active, the validation is not pending or
 * has had all its resends, or the day all its codes.
 */
export async function resendKeyCode(
  request: RequestOf<typeof ResendKeyCode>,
  deps: Dependencies,
): Promise<AnswerOf<typeof ResendKeyCode>> {
  const { caller, params, body } = request;
  const { companyId } = caller;
  const { accountId } = params;
  const { validationId } = body;
  const { store, realNow, settings } = deps;
  return createOnce(deps, request, {
    operation: ResendKeyCode.operationId,
    keyLife: 'WEEK',
    find: (read) => read([...holderKeys(companyId, accountId), keys.keyValidation(companyId, accountId, validationId)]),
    decide: ([account, tally, item], at) => {
      const holder = parseHolder(account, tally, at);
      if (item === undefined) throw notFound('Key validation');
      return resendCode({ ...holder, validation: parseKeyValidation(item) }, at, settings.keyRules);
    },
    idOf: ({ code }) => `${code.number}`,
    change: (made) => ({
      writes: [keyValidationUpdate(made.validation), ...promiseWrites(companyId, made, realNow())],
    }),
    answer: ({ code }) => ({ status: 200 as const, body: promisedCodeView(code) }),
    replay: async (number) => {
      const code = await readPromisedCode(store, companyId, { accountId, validationId, number: Number(number) });
      return { status: 200 as const, body: promisedCodeView(code), replayed: true };
    },
  });
}

export const handler = endpoint(ResendKeyCode, resendKeyCode, dependencies);
