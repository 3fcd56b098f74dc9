import { createWriteStream, renameSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Option } from 'commander';
import { instantAt, plusDays } from '#shared/core/brasilia-time.ts';
import { accountToUse } from '../api/accounts.ts';
import { connectPartner } from '../api/client.ts';
import { sendPatiently } from '../api/http.ts';
import type { EnvironmentOptions } from '../command-line.ts';
import { defineEnvironmentTool, printFor } from '../command-line.ts';
import { companyOf, readSandbox, sandboxFile } from '../sandbox.ts';
import { readDay } from '../times.ts';
import { statementFormats, statementText } from './pages.ts';

type Options = EnvironmentOptions<'account' | 'from' | 'to' | 'output'> & {
  readonly format: (typeof statementFormats)[number];
};

async function run(given: Options): Promise<void> {
  const print = printFor(given);
  const { format, output: file = `statement.${format === 'proof' ? 'ndjson' : format}` } = given;
  const from = readDay('--from', given.from);
  const to = readDay('--to', given.to);
  const sandbox = readSandbox(sandboxFile(given.sandbox));
  const partner = connectPartner(sandbox, companyOf(sandbox, given.company), sendPatiently);
  const accountId = await accountToUse(partner, given.account);
  const period = {
    ...(from !== undefined && { from: instantAt(from, '00:00') }),
    ...(to !== undefined && { to: instantAt(plusDays(to, 1), '00:00') }),
  };
  // A file that ends in the middle would pass for a whole one. It has names and documents: only its owner may read it.
  const part = `${file}.part`;
  await pipeline(statementText(partner, accountId, format, period), createWriteStream(part, { mode: 0o600 }));
  renameSync(part, file);
  print(`The statement of the account ${accountId} is in ${file}.`, { kind: 'statement', accountId, format, file });
}

/** Writes a statement to a file. */
export const statement = defineEnvironmentTool('statement', 'Writes the statement of an account to a file.')
  .addOption(
    new Option('--format <FORMAT>', 'CSV, OFX 2.2, or with proofs for verify-statement')
      .choices(statementFormats)
      .default('csv'),
  )
  .option('--account <ID>', 'id of the account (default: an active one of the company)')
  .option('--from <DAY>', 'first day, in Brasilia, as 2026-01-01 (default: from the beginning)')
  .option('--to <DAY>', 'last day, in Brasilia (default: until now)')
  .option('--output <FILE>', 'the file (default: statement.csv, .ofx or .ndjson)')
  .action(run);
