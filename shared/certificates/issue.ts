import type * as z from 'zod';
import type { Clock } from '../core/brasilia-time.ts';
import type { Reading } from '../platform/dependencies.ts';
import { realTimeDependencies } from '../platform/dependencies.ts';
import { env } from '../platform/env.ts';
import type { SigningKey } from '../platform/signing/jws.ts';
import { signedText } from '../platform/signing/jws.ts';
import { kmsKey } from '../platform/signing/kms-key.ts';
import type { CertificatePayload, PaymentCertificate } from './contract.ts';

/** Version of the certificates' payload: raised if a field changes its meaning. */
export const certificateVersion = 1;

/** Dependencies of an endpoint that signs certificates. */
export type Certifying = Reading & { readonly realNow: Clock; readonly signingKey: SigningKey };

export function certifyingDependencies(): Certifying {
  const { store, realNow } = realTimeDependencies();
  return { store, realNow, signingKey: kmsKey(env('SIGNING_KEY')) };
}

/** Signs what is certified of a payment. */
export async function signedCertificate(
  key: SigningKey,
  payload: z.output<typeof CertificatePayload>,
): Promise<z.output<typeof PaymentCertificate>> {
  return { certificate: await signedText(key, 'payment-certificate+jws', payload), payload };
}
