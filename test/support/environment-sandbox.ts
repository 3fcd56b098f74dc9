import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Sandbox as PartnersSandbox } from '@banking-order/partner-tools';
import { Company, readSandbox } from '@banking-order/partner-tools';

/** What a sandbox file says to the suite beside what it says to a partner. */
const Judged = z.object({
  /** Those of the seed, in this order; commands may have begun others. */
  companies: z.tuple([Company, Company], z.looseObject({ companyId: z.string() })),
  /** Where a deployment's dead letters can be counted; the local environment says it in a file of its own. */
  deadLetters: z.object({ endpoint: z.string(), region: z.string(), queueUrl: z.string() }).optional(),
  /** Private key of the token issuer (JWK), where a deployment brings its own issuer. */
  signingKeyFile: z.string().optional(),
});

export type Sandbox = Omit<PartnersSandbox, 'companies'> & z.infer<typeof Judged>;
export type DeadLetters = NonNullable<Sandbox['deadLetters']>;

/** Reads the sandbox file of an environment to judge. The first account of each company is `ACTIVE`. */
export function readJudgedSandbox(file: string): Sandbox {
  return { ...readSandbox(file), ...Judged.parse(JSON.parse(readFileSync(file, 'utf8'))) };
}
