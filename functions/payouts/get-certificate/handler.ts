import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import type { Certifying } from '#shared/certificates/issue.ts';
import { certificateResponse, certifyingDependencies } from '#shared/certificates/issue.ts';
import { payoutCertificate } from '#shared/certificates/payout.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { readPayout } from '#shared/payouts/store.ts';
import { GetPayoutCertificate } from './contract.ts';

/** Signs what is known of a payout. @throws RequestError NOT_FOUND */
export const getPayoutCertificate: Operation<typeof GetPayoutCertificate, Certifying> = async (
  { caller, params, query },
  deps,
) => {
  const { companyId } = caller;
  const order = await readPayout(deps.store, companyId, params.id);
  if (order?.payout.id !== params.id) throw notFound('Payout');
  const payload = await payoutCertificate(deps, companyId, order);
  return certificateResponse(deps.signingKey, payload, query.format);
};

export const handler = endpoint(GetPayoutCertificate, getPayoutCertificate, certifyingDependencies);
