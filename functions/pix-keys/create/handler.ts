import { codesForAddress } from '#simulated-bank';
import type * as z from 'zod';
import { timeForBank } from '#shared/bank/submit-in-time.ts';
import type { Operation } from '#shared/contract/contract.ts';
import type { ConfirmableKey } from '#shared/pix-keys/model.ts';
import { beginRegistration, beginValidation, codelessKeyOf, keyTaken, nextLookUp } from '#shared/pix-keys/states.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { countStatus } from '#shared/platform/commit-transition.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import {
  addressQuotaKey,
  codeRequestWrites,
  holderKeys,
  parseHolder,
  parseRecipient,
  readRequestedCode,
} from '#shared/pix-keys/codes/request.ts';
import { readHash } from '#shared/platform/keyed-hash.ts';
import {
  confirmedKeys,
  isKeyTaken,
  keyValidationInserts,
  readKeyValidation,
  registrationWrites,
} from '#shared/pix-keys/store.ts';
import { registeredAtOnce, registrarOf, submitRegistrationInTime } from '#shared/pix-keys/submit.ts';
import type { KeyDependencies } from '#functions/banks.ts';
import { keyDependencies } from '#functions/banks.ts';
import { KeyCreation } from '#shared/pix-keys/contract.ts';
import { codelessKeyView, codeRequestView } from '#shared/pix-keys/view.ts';
import { CreateKey } from './contract.ts';

type Request = Parameters<typeof createKey>[0];
type Response = Awaited<ReturnType<typeof createKey>>;

/**
 * Creates a key. For an e-mail or a phone it writes a code, which a worker sends (docs/decisions/021); a key that needs
 * no code is registered: the simulated bank answers with the commit, any other one gets a command.
 * @throws RequestError 404; 409 account not active, a bank that registers no such key, key taken within the company,
 * limit of keys or codes reached, no CNPJ of the holder.
 */
export const createKey: Operation<typeof CreateKey, KeyDependencies> = (request, deps) => {
  const { type, key } = request.body;
  if (type === 'CNPJ' || type === 'RANDOM') return createWithoutCode(request, deps, { type, key });
  if (key === undefined) throw new TypeError('The contract requires the text of a key with a code.');
  return createWithCode(request, deps, { type, key });
};

/** A key of another company is reported only at the confirmation, so that only the holder learns that it is taken. */
async function createWithCode(request: Request, deps: KeyDependencies, key: ConfirmableKey): Promise<Response> {
  const { caller, params } = request;
  const { companyId, clientId: createdBy } = caller;
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
      await registrarOf(deps.bank, { companyId, accountId }, key.type);
      if (taken !== undefined) throw keyTaken();
      const codes = codesForAddress(recipient.address.codes, key.key, rules.codesPerAddressAndDay);
      const counted = { ...recipient, address: { ...recipient.address, codes } };
      return beginValidation(counted, { id: ids.uuid(), key, at, createdBy }, rules);
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
}

type WithoutCode = { readonly type: 'CNPJ' | 'RANDOM'; readonly key: string | undefined };

async function createWithoutCode(request: Request, deps: KeyDependencies, wanted: WithoutCode): Promise<Response> {
  const { caller, params, requestId } = request;
  const { companyId, clientId: createdBy } = caller;
  const { accountId } = params;
  const { store, ids, now, realNow, bank, settings } = deps;
  const remainingMs = timeForBank(deps.elapsedMs);
  const hash = await readHash(store);
  return createOnce(deps, request, {
    operation: CreateKey.operationId,
    keyLife: 'WEEK',
    find: (read) => read(holderKeys(companyId, accountId)),
    decide: async ([account, quota], at) => {
      const holder = parseHolder(account, quota, realNow());
      const connection = await registrarOf(bank, { companyId, accountId }, wanted.type);
      const key = codelessKeyOf(holder.account, wanted);
      if (key.type === 'CNPJ' && (await isKeyTaken(store, hash, { companyId, ...key }))) throw keyTaken();
      const begun = beginRegistration(holder, { id: ids.uuid(), key, at, createdBy }, settings.keyRules);
      return registeredAtOnce(bank, begun, { connection, at });
    },
    idOf: ({ validation }) => [validation.id, createdAs(validation.status)].join('#'),
    change: (created, _found, at) => {
      const { validation } = created;
      const due = nextLookUp(validation, at);
      return { writes: [...keyValidationInserts(validation, due), ...registrationWrites(hash, created)] };
    },
    response: async ({ validation }) => {
      countStatus('KEY_VALIDATION', validation.status);
      const context = { store, ids, companyId, requestId, at: now(), realNow, bank, remainingMs };
      await submitRegistrationInTime(context, validation);
      return { status: 201, body: codelessKeyView(validation, createdAs(validation.status)) };
    },
    replay: async (result) => {
      const [id = '', status = ''] = result.split('#');
      const validation = await readKeyValidation(store, companyId, accountId, id);
      if (validation === undefined) throw new Error('An idempotency key names a key that does not exist.');
      return { status: 201, body: codelessKeyView(validation, createdAs(status)), replayed: true };
    },
  });
}

type CreatedStatus = z.output<typeof KeyCreation>['status'];
/** @throws Error for a status that no creation is answered with */
function createdAs(status: string): CreatedStatus {
  const found = KeyCreation.shape.status.options.find((known) => known === status);
  if (found === undefined) throw new Error(`No key is created as ${status}.`);
  return found;
}

export const handler = endpoint(CreateKey, createKey, keyDependencies);
