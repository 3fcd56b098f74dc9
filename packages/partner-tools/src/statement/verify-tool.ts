import { createReadStream, existsSync, readFileSync } from 'node:fs';
import type { Interface } from 'node:readline';
import { createInterface } from 'node:readline';
import { formatAmount } from '#shared/core/money.ts';
import type { OptionsOf } from '../command-line.ts';
import { defineTool, printFor } from '../command-line.ts';
import { ToolFailure, UsageError } from '../failures.ts';
import { commandLine } from '../invocation.ts';
import { compareWithStatement, verifyCertificate } from './certificate.ts';
import { thumbprintOf } from './signed-text.ts';
import { verifyLines } from './verify.ts';

type Options = OptionsOf<'certificate' | 'key'>;

async function run(file: string | undefined, given: Options): Promise<void> {
  const { certificate } = given;
  if (file === undefined && certificate === undefined)
    throw new UsageError('There is nothing to verify.', 'Name a file, or a --certificate.');
  const key = given.key === undefined ? undefined : keyNamed(given.key);
  if (file !== undefined) await verifyStatementFile(file, key, given);
  if (certificate !== undefined) await verifyCertificateFile(certificate, file, key, given);
}

async function verifyStatementFile(file: string, key: string | undefined, given: Options): Promise<void> {
  requireFile(file, `Write one with "${commandLine('statement', '--format proof')}".`);
  const verdict = await verifyLines(linesOf(file), key);
  if (!verdict.ok)
    throw new ToolFailure(
      verdict.error,
      'Keep the file, and ask the operator. A file of an earlier day shows the change.',
    );
  const { accountId, count, first, last, hash, from, to, total, unchained, signed } = verdict;
  const balance = first === 1 ? `balance ${formatAmount(total)}` : `sum ${formatAmount(total)}`;
  const open = unchained === 0 ? '' : ` Not chained yet, but in the amount: ${unchained} more.`;
  printFor(given)(
    `✔ ${count} entries of the account ${accountId}, ${balance} at ${to}, unbroken since ${from} (positions ${first} to ${last}).${open}\n` +
      `${signed === undefined ? '  No signed root covers them yet.' : `  Signed to position ${signed.position} at the minute ${signed.minute} by the key ${signed.key}.`}\n` +
      `  Keep the last hash and the key, and compare them later: ${hash}`,
    { kind: 'verified', ...verdict },
  );
}

async function verifyCertificateFile(
  file: string,
  statement: string | undefined,
  key: string | undefined,
  given: Options,
): Promise<void> {
  requireFile(file, 'Save the answer of the endpoint of a certificate in it.');
  const verdict = verifyCertificate(readFileSync(file, 'utf8'), key);
  const next = 'Keep the file, and ask the operator: what it says is not certified.';
  if (!verdict.ok) throw new ToolFailure(verdict.error, next);
  const { payload } = verdict;
  const compared = statement === undefined ? undefined : await compareWithStatement(payload, linesOf(statement));
  if (compared?.ok === false) throw new ToolFailure(compared.error, next);
  const { kind, id, amount, outcome, since, issuedAt } = payload;
  printFor(given)(
    `✔ ${kind} ${id} of BRL ${amount.value}: ${outcome} since ${since}, as known at ${issuedAt}. ${comparison(compared?.later)}\n` +
      `  Signed by the key ${verdict.key}.`,
    {
      kind: 'certificate',
      key: verdict.key,
      id,
      outcome,
      since,
      issuedAt,
      compared: compared !== undefined,
      later: compared?.later,
    },
  );
}

/** @param later entries that took money after the certificate was issued; undefined without a statement */
function comparison(later: number | undefined): string {
  if (later === undefined) return 'It was not compared with a statement.';
  if (later === 0) return 'The statement has its debits, and no other.';
  return `The statement has its debits, and ${later} since then: read the certificate again.`;
}

function requireFile(file: string, next: string): void {
  if (!existsSync(file)) throw new ToolFailure(`There is no file ${file}.`, next);
}

function linesOf(file: string): Interface {
  return createInterface({ input: createReadStream(file), crlfDelay: Infinity });
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

/** Verifies a statement or a certificate, from files alone. */
export const verifyStatement = defineTool(
  'verify-statement',
  `Verifies a file of "${commandLine('statement', '--format proof')}": that no entry was changed, none is missing, and what was signed. ` +
    'With a certificate also that, and that its debits are the only ones.',
)
  .argument('[FILE]', 'the file')
  .option('--certificate <FILE>', 'certificate of a payment: the answer of its endpoint, or the JWS in it')
  .option('--key <KEY>', 'the key that must have signed it: a file with it in PEM, or its thumbprint')
  .action(run);
