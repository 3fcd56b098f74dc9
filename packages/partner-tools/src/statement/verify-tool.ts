import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { formatAmount } from '#shared/core/money.ts';
import type { OptionsOf } from '../command-line.ts';
import { defineTool, printFor } from '../command-line.ts';
import { ToolFailure } from '../failures.ts';
import { commandLine } from '../invocation.ts';
import { thumbprintOf } from './signed-text.ts';
import { verifyLines } from './verify.ts';

type Options = OptionsOf<'key'>;

async function run(file: string, given: Options): Promise<void> {
  if (!existsSync(file))
    throw new ToolFailure(
      `There is no file ${file}.`,
      `Write one with "${commandLine('statement', '--format proof')}".`,
    );
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  const verdict = await verifyLines(lines, given.key === undefined ? undefined : keyNamed(given.key));
  if (!verdict.ok)
    throw new ToolFailure(
      verdict.error,
      'Keep the file, and ask the operator. A file of an earlier day shows the change.',
    );
  const { accountId, count, first, last, hash, from, to, total, unchained, signed } = verdict;
  const balance = first === 1 ? `balance ${formatAmount(total)}` : `sum ${formatAmount(total)}`;
  const open = unchained === 0 ? '' : ` ${unchained} more are not chained yet.`;
  printFor(given)(
    `✔ ${count} entries of the account ${accountId}, ${balance} at ${to}, unbroken since ${from} (positions ${first} to ${last}).${open}\n` +
      `${signed === undefined ? '  No signed root covers them yet.' : `  Signed to position ${signed.position} at the minute ${signed.minute} by the key ${signed.key}.`}\n` +
      `  Keep the last hash and the key, and compare them later: ${hash}`,
    { kind: 'verified', ...verdict },
  );
}

/** Returns the thumbprint of the key that the command line names: by itself, or by a file. */
function keyNamed(key: string): string {
  if (!existsSync(key)) return key;
  try {
    return thumbprintOf(readFileSync(key, 'utf8'));
  } catch {
    throw new ToolFailure(
      `${key} has no public key of P-256 in PEM.`,
      'Ask the operator for the key that signs roots.',
    );
  }
}

/** Verifies a statement, from a file alone. */
export const verifyStatement = defineTool(
  'verify-statement',
  `Verifies a file of "${commandLine('statement', '--format proof')}": that no entry was changed, none is missing, and what was signed.`,
)
  .argument('<FILE>', 'the file')
  .option('--key <KEY>', 'the key that must have signed the roots: a file with it in PEM, or its thumbprint')
  .action(run);
