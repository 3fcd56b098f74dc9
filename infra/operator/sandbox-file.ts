import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { replaceFile } from './local-environment.ts';

const document = z.object({ type: z.string(), number: z.string() });
const account = z.object({ id: z.string(), status: z.string(), fullName: z.string(), document });

/** A company of the sandbox. One that a command made has no client, and no accounts, until commands make them too. */
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

/** `.local/sandbox.json`: everything that somebody needs to call the local environment. */
export type Sandbox = z.output<typeof sandboxShape>;
type KnownCompany = z.output<typeof companyShape>;
/** A company that lacks nothing, as those of the seed. */
export type SandboxCompany = Required<KnownCompany>;

/** Where a local environment says whom it knows: secrets too, since nobody else has them. */
export type SandboxFile = {
  readonly addCompany: (company: KnownCompany) => void;
  /** Nothing for a company that is not in the file. */
  readonly changeCompany: (companyId: string, change: (company: KnownCompany) => KnownCompany) => void;
};

/**
 * Written in whole, for its owner's eyes alone. Commands are typed one after another: two at once may miss each
 * other's change.
 */
export function openSandboxFile(file: string): SandboxFile {
  // Without the file nobody reads it: the environment writes it at its start.
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
      change((companies) => companies.map((one) => (one.companyId === companyId ? changed(one) : one)));
    },
  };
}

export function writeSandbox(file: string, sandbox: Sandbox): void {
  replaceFile(file, `${JSON.stringify(sandbox, null, 2)}\n`);
}
