import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { jsonOf } from './api/http.ts';
import { ToolFailure } from './failures.ts';
import { commandLine, howToGetSandbox } from './invocation.ts';

const Document = z.object({ type: z.string(), number: z.string() });
const Account = z.object({ id: z.string(), status: z.string(), fullName: z.string(), document: Document });

/**
 * Accounts of the file that have all fields. Others are skipped. Without any account the tools read those of the
 * service.
 */
const Accounts = z
  .array(z.unknown())
  .default([])
  .transform((all) => all.flatMap((account) => Account.safeParse(account).data ?? []));

/**
 * A company of a sandbox file: its credentials, its webhook secret (empty if the file has none) and its accounts. Not
 * every tool needs the secret and the accounts.
 */
export const Company = z.object({
  companyId: z.string(),
  name: z.string(),
  clientId: z.string(),
  clientSecret: z.string(),
  webhookSecret: z.string().default(''),
  accounts: Accounts,
});

/** An environment's addresses and companies. A company that is not onboarded yet may lack fields. */
const Sandbox = z.object({
  baseUrl: z.string(),
  tokenUrl: z.string(),
  scope: z.string(),
  companies: z.array(z.union([Company, z.looseObject({ companyId: z.string() })])),
});

export type Sandbox = z.infer<typeof Sandbox>;
export type Company = z.infer<typeof Company>;
export type Account = z.infer<typeof Account>;

/** The company of a local environment that demo and scenarios act for, unless another one is named. */
export const companyOfScenarios = 'Casa dos Roteiros Ltda';

/** Returns the path of the named sandbox file, else of `sandbox.json` in `LOCAL_DIR` or `.local`. */
export function sandboxFile(named: string | undefined): string {
  return resolve(named ?? join(process.env['LOCAL_DIR'] ?? '.local', 'sandbox.json'));
}

/** Reads a sandbox file. @throws ToolFailure with its error and the remedy. */
export function readSandbox(file: string): Sandbox {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT')
      throw new ToolFailure(
        `Cannot read the sandbox file ${file}: ${code ?? String(error)}.`,
        'Run this as the owner of the file, or name another file with --sandbox.',
      );
    throw new ToolFailure(`There is no sandbox file ${file}.`, `${howToGetSandbox}, and try again.`);
  }
  const read = Sandbox.safeParse(jsonOf(text));
  if (read.success) return read.data;
  throw new ToolFailure(
    `${file} is not a sandbox file: ${z.prettifyError(read.error)}`,
    `A sandbox file has baseUrl, tokenUrl, scope and companies, each with companyId, name, clientId and clientSecret. ${howToGetSandbox}.`,
  );
}

/** The companies with a client. */
export function completeCompanies({ companies }: Pick<Sandbox, 'companies'>): readonly Company[] {
  return companies.flatMap((company) => Company.safeParse(company).data ?? []);
}

/**
 * Returns the company of this id or name; without a name, the first complete one.
 * @throws ToolFailure when there is none.
 */
export function companyOf({ companies }: Pick<Sandbox, 'companies'>, named?: string): Company {
  const complete = completeCompanies({ companies });
  const found = complete.find(({ companyId, name }) => named === undefined || named === companyId || named === name);
  if (found !== undefined) return found;
  const names = complete.map(({ companyId, name }) => `${name} (${companyId})`).join(', ') || 'none';
  throw new ToolFailure(
    `The sandbox file has no company ${named ?? 'with a client'}.`,
    `Companies with a client: ${names}.`,
  );
}

/** The secret that signs a company's notifications. @throws ToolFailure when the file has none. */
export function webhookSecretOf({ name, webhookSecret }: Pick<Company, 'name' | 'webhookSecret'>): string {
  if (webhookSecret !== '') return webhookSecret;
  throw new ToolFailure(
    `The sandbox file has no webhookSecret of ${name}.`,
    `Write your secret into the file, or run "${commandLine('rotate')}", which creates a new one and stores it there.`,
  );
}

/** Stores a company's new webhook secret in the sandbox file. */
export function keepWebhookSecret(file: string, companyId: string, webhookSecret: string): void {
  const sandbox = readSandbox(file);
  const companies = sandbox.companies.map((company) =>
    company.companyId === companyId ? { ...company, webhookSecret } : company,
  );
  // Other fields of the file stay.
  const whole = { ...(jsonOf(readFileSync(file, 'utf8')) as object), companies };
  replaceFile(file, `${JSON.stringify(whole, null, 2)}\n`);
}

/** Replaces a whole file: after a crash it is the old or the new one. Only its owner may read it. */
export function replaceFile(file: string, text: string): void {
  const draft = `${file}.new`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  renameSync(draft, file);
}
