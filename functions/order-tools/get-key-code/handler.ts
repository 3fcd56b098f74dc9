import type { AnswerOf, RequestOf } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { parseKeptCode } from '#shared/sandbox/build.ts';
import { parseKeyValidation } from '#shared/pix-keys/store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { GetKeyCode } from './contract.ts';

/**
 * The present code of a validation, once it was sent (docs/decisions/021): one that a resend has replaced is not shown.
 * @throws Refusal 404 when account or validation is unknown, and while the code has not been sent.
 */
export async function getKeyCode(
  { caller, params }: RequestOf<typeof GetKeyCode>,
  { store }: Pick<Dependencies, 'store'>,
): Promise<AnswerOf<typeof GetKeyCode>> {
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
}

export const handler = endpoint(GetKeyCode, getKeyCode, realTimeDependencies);
