import { readFileSync } from 'node:fs';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { FileClientRegistry } from '../operator/client-registry.ts';
import type { Sandbox, SandboxCompany } from '../operator/local-environment.ts';
import { sandboxShape, writeSandbox } from '../operator/local-environment.ts';
import { LocalStartError } from './template/local-template.ts';

/** What seeding may use. After a crash it is called again: what it made before must not be in its way. */
export type SeedContext = {
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
};

export type Seed = (context: SeedContext) => Promise<readonly SandboxCompany[]>;

/** Addresses of this run; the port may have changed since the file was written. */
type SandboxAddresses = Pick<Sandbox, 'baseUrl' | 'tokenUrl' | 'scope'>;

/**
 * Writes the sandbox file: the companies of an earlier start with the addresses of this one, or newly seeded ones.
 * Only the owner may read it, because it holds secrets.
 *
 * @throws LocalStartError when the file is there and is no sandbox file.
 */
export async function prepareSandbox(
  file: string,
  addresses: SandboxAddresses,
  seed: () => ReturnType<Seed>,
): Promise<Sandbox> {
  const companies = readCompanies(file) ?? (await seed());
  const sandbox: Sandbox = { ...addresses, companies: [...companies] };
  writeSandbox(file, sandbox);
  return sandbox;
}

function readCompanies(file: string): Sandbox['companies'] | undefined {
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
