import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ListAccounts } from '#functions/accounts/list/contract.ts';
import { connectPartner } from '../api/client.ts';
import { send } from '../api/http.ts';
import type { OptionsOf } from '../command-line.ts';
import { defineTool, printFor } from '../command-line.ts';
import { ToolFailure, UsageError } from '../failures.ts';
import type { Account, Company, Sandbox } from '../sandbox.ts';
import { readSandbox, replaceFile, sandboxFile } from '../sandbox.ts';
import { ask } from './ask.ts';

const details = `
It reads missing options from BASE_URL, TOKEN_URL, SCOPE and CLIENT_ID, else it asks for them in a terminal. Secrets are
never arguments: it reads them from CLIENT_SECRET and, if you have one, WEBHOOK_SECRET, else it asks for them. Only your
user may read the file. A second client of the same environment is added beside the first one.`;

type Options = OptionsOf<'sandbox' | 'baseUrl' | 'tokenUrl' | 'scope' | 'clientId' | 'name'>;

async function run(given: Options): Promise<void> {
  const file = sandboxFile(given.sandbox);
  const addresses = {
    baseUrl: readUrl(given.baseUrl ?? (await ask('BASE_URL', 'Address of the service'))),
    tokenUrl: readUrl(given.tokenUrl ?? (await ask('TOKEN_URL', 'Address of the token endpoint'))),
    scope: given.scope ?? (await ask('SCOPE', 'Scope')),
  };
  const clientId = given.clientId ?? (await ask('CLIENT_ID', 'Client id'));
  const others = othersIn(file, addresses.baseUrl, clientId);
  const company: Company = {
    // The partner does not know the company's id, so the client id stands for it.
    companyId: clientId,
    name: given.name ?? clientId,
    clientId,
    clientSecret: await ask('CLIENT_SECRET', 'Client secret (not shown)', 'hidden'),
    webhookSecret: await ask('WEBHOOK_SECRET', 'Webhook secret, whsec_…, if you have one (not shown)', 'optional'),
    accounts: [],
  };
  const accounts = await accountsOf(addresses, company);
  const companies = [...others, { ...company, accounts }];
  mkdirSync(dirname(file), { recursive: true });
  replaceFile(file, `${JSON.stringify({ ...addresses, companies }, null, 2)}\n`);
  const record = { kind: 'login', file, company: company.name, accounts: accounts.length };
  printFor(given)(
    `✔ ${company.name} at ${addresses.baseUrl}, with ${accounts.length} accounts: stored in ${file}.`,
    record,
  );
}

/** Returns the companies that stay in the file. @throws ToolFailure when the file belongs to another environment. */
function othersIn(file: string, baseUrl: string, clientId: string): Sandbox['companies'] {
  if (!existsSync(file)) return [];
  const known = readSandbox(file);
  if (known.baseUrl !== baseUrl)
    throw new ToolFailure(
      `${file} belongs to the environment at ${known.baseUrl}.`,
      'Name another file with --sandbox, or delete this one.',
    );
  return known.companies.filter((company) => !('clientId' in company) || company.clientId !== clientId);
}

/** Reads the first hundred accounts with a token of the client. A wrong address or secret fails here. */
async function accountsOf(addresses: Omit<Sandbox, 'companies'>, company: Company): Promise<Account[]> {
  const partner = connectPartner(addresses, company, send);
  const { data } = (await partner.call(ListAccounts, { query: { limit: '100' } })).body;
  return data.map(({ id, status, fullName, document: { type, number } }) => {
    return { id, status, fullName, document: { type, number } };
  });
}

function readUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol)) return text.replace(/\/+$/u, '');
  throw new UsageError(`${text} is not an http or https URL.`, 'Write it as https://api.example.com.');
}

/** Stores credentials for the other tools. */
export const login = defineTool(
  'login',
  'Stores the credentials from the operator in a file for the other tools. It first gets a token and calls the service with it.',
)
  .option('--sandbox <FILE>', 'the file (default: sandbox.json in LOCAL_DIR, or .local)')
  .option('--base-url <URL>', 'address of the service')
  .option('--token-url <URL>', 'address of the token endpoint')
  .option('--scope <SCOPE>', 'as api://…/.default')
  .option('--client-id <ID>', 'of the API client')
  .option('--name <NAME>', 'your name for the company (default: its client id)')
  .addHelpText('after', details)
  .action(run);
