import * as z from 'zod';
import { secretParser } from '#shared/bank/secret.ts';

/** Shape of a connection's secret. */
const BankSecretShape = z.object({
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  /** PEM, with its chain. */
  certificate: z.string().startsWith('-----BEGIN CERTIFICATE-----'),
  key: z.string().includes('PRIVATE KEY-----'),
  /** PEM. Only if no public authority issued the bank's own certificate. */
  authorities: z.string().exactOptional(),
});
export type BankSecret = z.output<typeof BankSecretShape>;

export const parseSecret = secretParser(BankSecretShape);
