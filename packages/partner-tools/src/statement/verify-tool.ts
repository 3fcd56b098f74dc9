import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { formatAmount } from '#shared/core/money.ts';
import type { OptionsOf } from '../command-line.ts';
import { defineTool, printFor } from '../command-line.ts';
import { ToolFailure } from '../failures.ts';
import { commandLine } from '../invocation.ts';
import { verifyLines } from './verify.ts';

async function run(file: string, given: OptionsOf<never>): Promise<void> {
  if (!existsSync(file))
    throw new ToolFailure(
      `There is no file ${file}.`,
      `Write one with "${commandLine('statement', '--format proof')}".`,
    );
  const verdict = await verifyLines(createInterface({ input: createReadStream(file), crlfDelay: Infinity }));
  if (!verdict.ok)
    throw new ToolFailure(
      verdict.error,
      'Keep the file, and ask the operator. A file of an earlier day shows the change.',
    );
  const { accountId, count, first, last, hash, from, to, total, unchained } = verdict;
  const balance = first === 1 ? `balance ${formatAmount(total)}` : `sum ${formatAmount(total)}`;
  const open = unchained === 0 ? '' : ` ${unchained} more are not chained yet.`;
  printFor(given)(
    `✔ ${count} entries of the account ${accountId}, ${balance} at ${to}, unbroken since ${from} (positions ${first} to ${last}).${open}\n` +
      `  Keep the last hash, and compare it later: ${hash}`,
    { kind: 'verified', ...verdict },
  );
}

/** Verifies a statement, from a file alone. */
export const verifyStatement = defineTool(
  'verify-statement',
  `Verifies a file of "${commandLine('statement', '--format proof')}": that no entry was changed, and none is missing.`,
)
  .argument('<FILE>', 'the file')
  .action(run);
