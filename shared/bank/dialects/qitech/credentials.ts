import { createPrivateKey } from 'node:crypto';
import * as z from 'zod';
import { secretParser } from '#shared/bank/secret.ts';

/** Shape of a connection's secret. */
const BankSecretShape = z.object({
  /** `API-CLIENT-KEY`: the bank gives it for our public key. */
  clientId: z.string().regex(/^[\x21-\x7e]{1,256}$/u),
  /** Our private key in PEM, on the curve P-521 (ES512). */
  key: z.string().refine(isP521),
  /** PEM. Only if no public authority issued the bank's own certificate. */
  authorities: z.string().exactOptional(),
});
export type BankSecret = z.output<typeof BankSecretShape>;

function isP521(pem: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'secp521r1';
  } catch {
    return false;
  }
}

export const parseSecret = secretParser(BankSecretShape);
