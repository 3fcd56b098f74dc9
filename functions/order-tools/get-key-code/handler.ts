import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { parseKeptCode } from '#shared/sandbox/build.ts';
import { parseKeyValidation } from '#shared/pix-keys/store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { GetKeyCode } from './contract.ts';

/** The current code of a validation (docs/decisions/021). @throws RequestError 404, also before the code was sent */
export const getKeyCode: Operation<typeof GetKeyCode, Reading> = async ({ caller, params }, { store }) => {
  const { companyId } = caller;
  const { accountId, validationId } = params;
  const [validation, sent] = await store.read([
    keys.keyValidation(companyId, accountId, validationId),
    keys.sentCode(companyId, accountId, validationId),
  ]);
  if (validation === undefined || sent === undefined) throw notFound('Code');
  const { number, code, validUntil } = parseKeptCode(sent);
  if (number !== parseKeyValidation(validation).codeNumber) throw notFound('Code');
  return { status: 200, body: { code, expiresAt: validUntil } };
};

export const handler = endpoint(GetKeyCode, getKeyCode, realTimeDependencies);
