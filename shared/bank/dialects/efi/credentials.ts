import * as z from 'zod';
import { SecretUnavailable } from '#shared/bank/secret.ts';

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

/** Parses a secret. @throws SecretUnavailable with the names of the malformed fields, never their values */
export function parseSecret(text: string): BankSecret {
  const { data, error } = BankSecretShape.safeParse(jsonOf(text));
  if (error === undefined) return data;
  const names = [...new Set(error.issues.map(({ path }) => path.join('.') || '(JSON)'))];
  throw new SecretUnavailable(`The secret of the bank is malformed: ${names.join(', ')}.`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
