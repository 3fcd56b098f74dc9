import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { pick } from '#shared/core/pick.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { readResend } from '#shared/webhooks/deliveries/resend.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { resendView } from '#shared/webhooks/view.ts';
import { GetResend } from './contract.ts';

/** Returns a resend of the company. @throws RequestError when the company has no such resend */
export const getResend: Operation<typeof GetResend, Reading> = async ({ caller, params }, { store }) => {
  const resend = await readResend(store, caller.companyId, params.id);
  if (resend === undefined) throw notFound('Resend');
  return { status: 200, body: { ...resendView(resend), ...pick(resend, 'createdBy') } };
};

export const handler = endpoint(GetResend, getResend, realTimeDependencies);
