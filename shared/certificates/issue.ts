import type * as z from 'zod';
import type { Clock } from '../core/brasilia-time.ts';
import type { Reading } from '../platform/dependencies.ts';
import { realTimeDependencies } from '../platform/dependencies.ts';
import { env } from '../platform/env.ts';
import type { SigningKey } from '../platform/signing/jws.ts';
import { signedText } from '../platform/signing/jws.ts';
import { kmsKey } from '../platform/signing/kms-key.ts';
import type { FileResponse } from '../contract/contract.ts';
import type { CertificateFormat, CertificatePayload, PaymentCertificate } from './contract.ts';
import { receiptFiles } from './contract.ts';
import { receiptPage } from './receipt.ts';

/** Version of the certificates' payload: raised if a field changes its meaning. */
export const certificateVersion = 1;

/** Dependencies of an endpoint that signs certificates. */
export type Certifying = Reading & { readonly realNow: Clock; readonly signingKey: SigningKey };

export function certifyingDependencies(): Certifying {
  const { store, realNow } = realTimeDependencies();
  return { store, realNow, signingKey: kmsKey(env('SIGNING_KEY')) };
}

/** Signs what is certified of a payment, and returns it as JSON or as its receipt. */
export async function certificateResponse(
  key: SigningKey,
  payload: z.output<typeof CertificatePayload>,
  format: z.output<typeof CertificateFormat>,
): Promise<{ readonly status: 200; readonly body: z.output<typeof PaymentCertificate> } | FileResponse> {
  const body = { certificate: await signedText(key, 'payment-certificate+jws', payload), payload };
  if (format !== 'html') return { status: 200, body };
  return { status: 200, file: { mediaType: receiptFiles.html, name: 'comprovante.html', text: receiptPage(body) } };
}
