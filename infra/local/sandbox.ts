import { readFileSync } from 'node:fs';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { replaceFile } from './data-folder.ts';
import type { FileClientRegistry } from './identity/client-registry.ts';
import { LocalStartError } from './template/local-template.ts';

const document = z.object({ type: z.string(), number: z.string() });
const account = z.object({ id: z.string(), status: z.string(), fullName: z.string(), document });

const companyShape = z.object({
  companyId: z.string(),
  name: z.string(),
  clientId: z.string(),
  clientSecret: z.string(),
  webhookSecret: z.string(),
  accounts: z.array(account),
});

const sandboxShape = z.object({
  baseUrl: z.string(),
  tokenUrl: z.string(),
  scope: z.string(),
  companies: z.array(companyShape),
});

/** `.local/sandbox.json`: everything that somebody needs to call the local environment. */
export type Sandbox = z.infer<typeof sandboxShape>;
export type SandboxCompany = z.infer<typeof companyShape>;

/** What seeding may use. It may be called again after a crash: what it made then must not be in its way. */
export interface SeedContext {
  readonly dynamodb: DynamoDBClient;
  /** Environment of the AWS SDK for code that makes its own clients: endpoints, region, credentials. */
  readonly aws: {
    readonly region: string;
    readonly endpoint: string;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
  };
  /** Names of the template's tables. */
  readonly tableNames: readonly string[];
  readonly registry: FileClientRegistry;
}

export type Seed = (context: SeedContext) => Promise<readonly SandboxCompany[]>;

/** Addresses of this run; the port may have changed since the file was written. */
export type SandboxAddresses = Pick<Sandbox, 'baseUrl' | 'tokenUrl' | 'scope'>;

/**
 * Writes the sandbox file: the companies of an earlier start with the addresses of this one, or newly seeded ones.
 * Only the owner may read it, because it holds secrets.
 *
 * @throws {LocalStartError} when the file is there and is no sandbox file.
 */
export async function prepareSandbox(
  file: string,
  addresses: SandboxAddresses,
  seed: () => ReturnType<Seed>,
): Promise<Sandbox> {
  const companies = readCompanies(file) ?? (await seed());
  const sandbox: Sandbox = { ...addresses, companies: [...companies] };
  replaceFile(file, `${JSON.stringify(sandbox, null, 2)}\n`, 0o600);
  return sandbox;
}

function readCompanies(file: string): readonly SandboxCompany[] | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return sandboxShape.parse(JSON.parse(text)).companies;
  } catch {
    throw new LocalStartError(
      `${file} is not the sandbox file of this environment. Delete the local data folder, or choose another with LOCAL_DIR.`,
    );
  }
}
