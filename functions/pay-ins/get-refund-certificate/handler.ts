import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import type { Certifying } from '#shared/certificates/issue.ts';
import { certificateResponse, certifyingDependencies } from '#shared/certificates/issue.ts';
import { refundCertificate } from '#shared/certificates/refund.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { requirePayInWithRefunds } from '#shared/refunds/store.ts';
import { GetRefundCertificate } from './contract.ts';

/** Signs what is known of a refund. @throws RequestError NOT_FOUND */
export const getRefundCertificate: Operation<typeof GetRefundCertificate, Certifying> = async (
  { caller, params, query },
  deps,
) => {
  const { companyId } = caller;
  const { payIn, refunds } = await requirePayInWithRefunds(deps.store, companyId, params.id);
  const refund = refunds.find(({ id }) => id === params.refundId);
  if (refund === undefined) throw notFound('Refund');
  const payload = await refundCertificate(deps, companyId, { payIn, refund });
  return certificateResponse(deps.signingKey, payload, query.format);
};

export const handler = endpoint(GetRefundCertificate, getRefundCertificate, certifyingDependencies);
