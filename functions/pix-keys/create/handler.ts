import { codesForAddress } from '#simulated-bank';
import type { Operation } from '#shared/contract/contract.ts';
import { forbiddenByState } from '#shared/core/errors.ts';
import type { ConfirmableKey } from '#shared/pix-keys/model.ts';
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
import type { CapabilityDependencies } from '#functions/banks.ts';
import { capabilityDependencies } from '#functions/banks.ts';
import { codeRequestView } from '#shared/pix-keys/view.ts';
import { CreateKey } from './contract.ts';

/**
 * Begins the validation of a key, and writes its code, which a worker sends (docs/decisions/021). A key of another
 * company is reported only at the confirmation, so that only the holder of the address learns that it is taken.
 * @throws RequestError 404; 409 account not active, a bank that registers no such key, key taken within the company,
 * limit of keys or codes reached.
 */
export const createKey: Operation<typeof CreateKey, CapabilityDependencies> = async (request, deps) => {
  const { caller, params, body: key } = request;
  const { companyId } = caller;
  const { accountId } = params;
  const { store, ids, realNow } = deps;
  const rules = deps.settings.keyRules;
  const hash = await readHash(store);
  return createOnce(deps, request, {
    operation: CreateKey.operationId,
    keyLife: 'WEEK',
    find: async (read) => {
      const realAt = realNow();
      const [leads] = confirmedKeys(hash, { companyId, ...key });
      const wanted = [...holderKeys(companyId, accountId), addressQuotaKey(hash, key, realAt), leads];
      const [account, quota, address, taken] = await read(wanted);
      return { realAt, found: [account, quota, address] as const, taken };
    },
    decide: async ({ found, taken, realAt }, at) => {
      const recipient = parseRecipient(found, realAt);
      await requireRegistrable(deps.bank, companyId, accountId, key.type);
      if (taken !== undefined) throw keyTaken();
      const codes = codesForAddress(recipient.address.codes, key.key, rules.codesPerAddressAndDay);
      const counted = { ...recipient, address: { ...recipient.address, codes } };
      return beginValidation(counted, { id: ids.uuid(), key, at }, rules);
    },
    idOf: ({ validation }) => validation.id,
    change: (created, { realAt }) => ({
      writes: [...keyValidationInserts(created.validation), ...codeRequestWrites(hash, created, realAt)],
    }),
    response: ({ code }) => {
      countStatus('KEY_VALIDATION', 'PENDING');
      return { status: 201, body: codeRequestView(code) };
    },
    replay: async (validationId) => {
      const code = await readRequestedCode(store, companyId, { accountId, validationId, number: 1 });
      return { status: 201, body: codeRequestView(code), replayed: true };
    },
  });
};

/** @throws RequestError 409 on the type of key that the bank of the account does not register */
async function requireRegistrable(
  bank: CapabilityDependencies['bank'],
  companyId: string,
  accountId: string,
  type: ConfirmableKey['type'],
): Promise<void> {
  const { keys } = await bank.capabilities(companyId, await bank.connectionOf(companyId, accountId));
  if (!keys.includes(type))
    throw forbiddenByState('type', 'INVALID_VALUE', 'The bank of the account registers no key of this type.');
}

export const handler = endpoint(CreateKey, createKey, capabilityDependencies);
