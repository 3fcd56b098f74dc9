import type { Operation } from '#shared/contract/contract.ts';
import { beginValidation, keyTaken } from '#shared/pix-keys/states.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { countStatus } from '#shared/platform/commit-transition.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import {
  addressQuotaKey,
  holderKeys,
  parseRecipient,
  codeRequestWrites,
  readRequestedCode,
} from '#shared/pix-keys/codes/request.ts';
import { readHash } from '#shared/platform/keyed-hash.ts';
import { confirmedKeys, keyValidationInserts } from '#shared/pix-keys/store.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { dependencies } from '#shared/platform/dependencies.ts';
import { codeRequestView } from '#shared/pix-keys/view.ts';
import { CreateKey } from './contract.ts';

/**
 * Begins the validation of a key: the code that must be sent is written with it (docs/decisions/021). A key of
 * another company is found by its confirmation, not here: only the holder of the address learns of it.
 * @throws Refusal when the account is unknown or not active, one of the company's accounts has the key, or the account
 * has had all its keys, or account or address the day's codes.
 */
export const createKey: Operation<typeof CreateKey, Dependencies> = async (request, deps) => {
  const { caller, params, body: key } = request;
  const { companyId } = caller;
  const { accountId } = params;
  const { store, ids, realNow, settings } = deps;
  const hash = await readHash(store);
  return createOnce(deps, request, {
    operation: CreateKey.operationId,
    keyLife: 'WEEK',
    find: async (read) => {
      const realAt = realNow();
      const [leads] = confirmedKeys(hash, { companyId, ...key });
      const wanted = [...holderKeys(companyId, accountId), addressQuotaKey(hash, key, realAt), leads];
      const [account, quota, address, taken] = await read(wanted);
      return { realAt, counted: [account, quota, address] as const, taken };
    },
    decide: ({ counted, taken, realAt }, at) => {
      const recipient = parseRecipient(counted, realAt);
      if (taken !== undefined) throw keyTaken();
      return beginValidation(recipient, { id: ids.uuid(), key, at }, settings.keyRules);
    },
    idOf: ({ validation }) => validation.id,
    change: (made, { realAt }) => ({
      writes: [...keyValidationInserts(made.validation), ...codeRequestWrites(hash, made, realAt)],
    }),
    answer: ({ code }) => {
      countStatus('KEY_VALIDATION', 'PENDING');
      return { status: 201, body: codeRequestView(code) };
    },
    replay: async (validationId) => {
      const code = await readRequestedCode(store, companyId, { accountId, validationId, number: 1 });
      return { status: 201, body: codeRequestView(code), replayed: true };
    },
  });
};

export const handler = endpoint(CreateKey, createKey, dependencies);
