import type { Operation } from '#shared/contract/contract.ts';
import { needsNoCode, resendCode } from '#shared/pix-keys/states.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import {
  addressQuotaKey,
  holderKeys,
  parseRecipient,
  codeRequestWrites,
  readRequestedCode,
} from '#shared/pix-keys/codes/request.ts';
import { readHash } from '#shared/platform/keyed-hash.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { addressOf } from '#shared/pix-keys/model.ts';
import { keyValidationUpdate, parseKeyValidation } from '#shared/pix-keys/store.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { dependencies } from '#shared/platform/dependencies.ts';
import { codeRequestView } from '#shared/pix-keys/view.ts';
import { ResendKeyCode } from './contract.ts';

/**
 * Requests another code of a pending validation (4.3). A repetition with the same idempotency key returns the same code
 * request, also after a further resend.
 * @throws RequestError 404; 409 account not active, validation not pending, limit of resends or codes reached.
 */
export const resendKeyCode: Operation<typeof ResendKeyCode, Dependencies> = async (request, deps) => {
  const { caller, params, body } = request;
  const { companyId } = caller;
  const { accountId } = params;
  const { validationId } = body;
  const { store, realNow, settings } = deps;
  const hash = await readHash(store);
  return createOnce(deps, request, {
    operation: ResendKeyCode.operationId,
    keyLife: 'WEEK',
    // Two read calls: only the validation has the address, whose quota the second call reads.
    find: async (read) => {
      const realAt = realNow();
      const validationKey = keys.keyValidation(companyId, accountId, validationId);
      const [account, quota, item] = await read([...holderKeys(companyId, accountId), validationKey]);
      const validation = item && parseKeyValidation(item);
      const to = validation && addressOf(validation);
      const [address] = to ? await store.read([addressQuotaKey(hash, to, realAt)]) : [];
      return { realAt, counted: [account, quota, address] as const, validation, to };
    },
    decide: ({ counted, validation, to, realAt }, at) => {
      const recipient = parseRecipient(counted, realAt);
      if (validation === undefined) throw notFound('Key validation');
      if (to === undefined) throw needsNoCode();
      return resendCode({ ...recipient, validation, to }, at, settings.keyRules);
    },
    idOf: ({ code }) => `${code.number}`,
    change: (created, { realAt }) => ({
      writes: [keyValidationUpdate(created.validation), ...codeRequestWrites(hash, created, realAt)],
    }),
    response: ({ code }) => ({ status: 200, body: codeRequestView(code) }),
    replay: async (number) => {
      const code = await readRequestedCode(store, companyId, { accountId, validationId, number: Number(number) });
      return { status: 200, body: codeRequestView(code), replayed: true };
    },
  });
};

export const handler = endpoint(ResendKeyCode, resendKeyCode, dependencies);
