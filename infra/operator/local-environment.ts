import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { UsageError } from './values.ts';

/** Files of a local environment for commands from other processes. */
export const localFiles = {
  /** Addresses of the environment, while it runs. */
  endpoints: 'endpoints.json',
  /** Hashes of the secrets of API clients. */
  clients: 'clients.json',
  /** Companies, secrets and accounts. */
  sandbox: 'sandbox.json',
  /** Secrets of banks by their names: what Secrets Manager has on AWS. */
  bankSecrets: 'bank-secrets.json',
} as const;

const reachable = z.object({
  /** Endpoint for the AWS SDK (`AWS_ENDPOINT_URL_DYNAMODB`). */
  dynamodb: z.url(),
  /** The first table of the template: this service has one. */
  tableName: z.string().min(1),
  /** Endpoint for the AWS SDK (`AWS_ENDPOINT_URL_SQS`). */
  sqs: z.url(),
  region: z.string().min(1).default('us-east-1'),
});

/** Addresses of a running environment; they change with every start. */
export type Endpoints = z.output<typeof reachable> & { readonly baseUrl: string };

/** Table and queues of the environment that runs on this folder. @throws UsageError when none runs there. */
export function readAddresses(folder: string): z.output<typeof reachable> {
  const file = join(folder, localFiles.endpoints);
  try {
    return reachable.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    const advice = 'start one with npm start, or name the table of an environment on AWS with --table';
    throw new UsageError(`Cannot find a local environment at ${file}: ${advice}.`, { cause });
  }
}

/** Replaces a file as a whole: a reader sees the old text or the new one, also after a crash. */
export function replaceFile(path: string, text: string, mode = 0o600): void {
  const next = `${path}.next`;
  writeFileSync(next, text, { mode });
  renameSync(next, path);
}

const secretsShape = z.record(z.string(), z.string());

/** The secret of a bank in the folder of a local environment. */
export function readLocalSecret(folder: string, name: string): string | undefined {
  return readLocalSecrets(folder)[name];
}

/** Writes the secret of a bank to that folder, readable only by its owner. A `text` of undefined removes it. */
export function writeLocalSecret(folder: string, name: string, text: string | undefined): void {
  const { [name]: _former, ...others } = readLocalSecrets(folder);
  const secrets = { ...others, ...(text !== undefined && { [name]: text }) };
  replaceFile(join(folder, localFiles.bankSecrets), `${JSON.stringify(secrets, null, 2)}\n`);
}

function readLocalSecrets(folder: string): z.output<typeof secretsShape> {
  const file = join(folder, localFiles.bankSecrets);
  return existsSync(file) ? secretsShape.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
}

const document = z.object({ type: z.string(), number: z.string() });
const account = z.object({ id: z.string(), status: z.string(), fullName: z.string(), document });

/** A company of the sandbox. Further commands add its client and accounts. */
const companyShape = z.object({
  companyId: z.string(),
  name: z.string(),
  clientId: z.string().exactOptional(),
  clientSecret: z.string().exactOptional(),
  webhookSecret: z.string(),
  accounts: z.array(account),
});

export const sandboxShape = z.object({
  baseUrl: z.string(),
  tokenUrl: z.string(),
  scope: z.string(),
  companies: z.array(companyShape),
});

/** `.local/sandbox.json`: all that a caller of the local environment needs. */
export type Sandbox = z.output<typeof sandboxShape>;
type KnownCompany = z.output<typeof companyShape>;
/** A company with a client and its secret, as the seed creates it. */
export type SandboxCompany = Required<KnownCompany>;

/** The companies of a local environment, with their secrets. */
export type SandboxFile = {
  readonly addCompany: (company: KnownCompany) => void;
  /** Nothing for a company that is not in the file. */
  readonly changeCompany: (companyId: string, change: (company: KnownCompany) => KnownCompany) => void;
};

/** Opens the sandbox file, readable only by its owner. A change may be lost if two commands run concurrently. */
export function openSandboxFile(file: string): SandboxFile {
  // A missing file is not created: the environment writes it at its start.
  const change = (changed: (companies: readonly KnownCompany[]) => readonly KnownCompany[]): void => {
    if (!existsSync(file)) return;
    const { companies, ...addresses } = sandboxShape.parse(JSON.parse(readFileSync(file, 'utf8')));
    writeSandbox(file, { ...addresses, companies: [...changed(companies)] });
  };
  return {
    addCompany: (company) => {
      change((companies) => [...companies, company]);
    },
    changeCompany: (companyId, changed) => {
      change((companies) => companies.map((company) => (company.companyId === companyId ? changed(company) : company)));
    },
  };
}

export function writeSandbox(file: string, sandbox: Sandbox): void {
  replaceFile(file, `${JSON.stringify(sandbox, null, 2)}\n`);
}
