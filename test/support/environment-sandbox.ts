import { readFileSync } from 'node:fs';
import * as z from 'zod';

const Document = z.object({ type: z.string(), number: z.string() });
const Account = z.object({ id: z.string(), status: z.string(), fullName: z.string(), document: Document });
const Company = z.object({
  companyId: z.string(),
  name: z.string(),
  clientId: z.string(),
  clientSecret: z.string(),
  webhookSecret: z.string(),
  accounts: z.array(Account).min(1),
});

/** What a running environment says about itself in its sandbox file. The first account of each company is `ACTIVE`. */
const Sandbox = z.object({
  baseUrl: z.string(),
  tokenUrl: z.string(),
  scope: z.string(),
  companies: z.tuple([Company, Company], Company),
  /** Where a deployment's dead letters can be counted; the local environment says it in a file of its own. */
  deadLetters: z.object({ endpoint: z.string(), region: z.string(), queueUrl: z.string() }).optional(),
  /** Private key of the token issuer (JWK), where a deployment brings its own issuer. */
  signingKeyFile: z.string().optional(),
});

export type Sandbox = z.infer<typeof Sandbox>;
export type Company = z.infer<typeof Company>;
export type Account = z.infer<typeof Account>;
export type DeadLetters = NonNullable<Sandbox['deadLetters']>;

/**
 * Reads a sandbox file.
 * @throws Error with one line that says what is wrong with the file.
 */
export function readSandbox(file: string): Sandbox {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`There is no sandbox file ${file}.`, { cause: error });
  }
  const read = Sandbox.safeParse(parsed(text));
  if (read.success) return read.data;
  throw new Error(`${file} is no sandbox file: ${z.prettifyError(read.error)}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
