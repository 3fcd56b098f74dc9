import { instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import { companyOf, readSandbox, sandboxFile, webhookSecretOf } from '../sandbox.ts';
import { accountToUse } from '../api/accounts.ts';
import { refusedUses } from '../api/capabilities.ts';
import { connectPartner } from '../api/client.ts';
import { send } from '../api/http.ts';
import type { EnvironmentOptions, Print } from '../command-line.ts';
import { defineEnvironmentTool, printFor } from '../command-line.ts';
import { ProblemsFound, UsageError } from '../failures.ts';
import { commandLine } from '../invocation.ts';
import { receiverUrl } from '../receiver/post.ts';
import { readWithin } from '../times.ts';
import type { CheckResult } from './conformance-check.ts';
import { checkReceiver } from './conformance-check.ts';
import { checks } from './checks.ts';

type Options = EnvironmentOptions<'secret' | 'within' | 'order' | 'code'>;

async function run(url: string, given: Options): Promise<void> {
  const print = printFor(given);
  const address = receiverUrl(url, commandLine('check-receiver', 'http://127.0.0.1:4000/notifications'));
  const secret = given.secret ?? webhookSecretOf(companyOf(readSandbox(sandboxFile(given.sandbox)), given.company));
  const input = { ...readOrder(given), secret, at: instantFromEpochMs(Date.now()) };
  print(`Checking the receiver at ${address}\n`);
  const done = await checkReceiver(address, input, readWithin(given.within), (result) => {
    print(describe(result), recordOf(result));
  });
  if (given.secret === undefined) await compareWithBank(given, print);
  const failed = done.filter(({ verdict }) => verdict === 'failed').length;
  const isOver = done.some(({ verdict }) => verdict === 'not checked');
  const codeOf = (name: string): string => done.find(({ check }) => check.name === name)?.order.code ?? 'each pay-in';
  const failure = isOver
    ? ' the first check. Correct it first: the other checks did not run'
    : ` ${failed} of ${done.length} checks`;
  const again = `${codeOf('duplicate')} (sent three times) and ${codeOf('duplicate by resend')} (resent)`;
  const success = `Check in your records that each duplicate was booked once: ${again}.`;
  const summary = { kind: 'result', receiver: address, failed, checks: done.length };
  print(failed === 0 ? `\nThe receiver passed. ${success}` : `\nThe receiver failed${failure}.`, summary);
  if (failed > 0) throw new ProblemsFound();
}

/** Names what the company has used lately and its bank refuses: its notifications will not come. */
async function compareWithBank(given: Options, print: Print): Promise<void> {
  const sandbox = readSandbox(sandboxFile(given.sandbox));
  const partner = connectPartner(sandbox, companyOf(sandbox, given.company), send);
  const uses = await accountToUse(partner, undefined)
    .then((accountId) => refusedUses(partner, accountId))
    .catch((error: unknown) => [
      `What the bank refuses was not compared: ${error instanceof Error ? error.message : String(error)}`,
    ]);
  for (const found of uses) print(`  ! ${'bank'.padEnd(width)}  ${found}`, { kind: 'bank', found });
}

const marks = { passed: '✔', failed: '✘', advised: '!', 'not checked': '–' } as const;
const width = Math.max(...checks.map(({ name }) => name.length));

function describe({ check: { name, situation, cure }, verdict, found }: CheckResult): string {
  const row = `  ${marks[verdict]} ${name.padEnd(width)}  ${situation}${found === '' ? '' : `: ${found}`}`;
  return verdict === 'failed' || verdict === 'advised' ? `${row}\n    ${' '.repeat(width)}  ${cure}` : row;
}

function recordOf({ check: { name, situation, cure }, verdict, found }: CheckResult) {
  return { kind: 'check', name, verdict, situation, found, ...(verdict !== 'passed' && { cure }) };
}

function readOrder({ order: id, code }: Options) {
  if (id === undefined && code === undefined) return {};
  if (id !== undefined && code !== undefined) return { order: { id, code } };
  throw new UsageError('Only one of --order and --code is given.', 'Give both, or neither.');
}

export const checkReceiverTool = defineEnvironmentTool(
  'check-receiver',
  'Checks a receiver: sends notifications as the service sends them, and requests that an attacker would send.',
)
  .argument('<URL>', 'the receiver')
  .option(
    '--secret <SECRET>',
    "webhook secret of the receiver, whsec_… (default: the company's secret in the sandbox file)",
  )
  .option('--within <SECONDS>', 'longest time until a response (default: 10, as long as the service waits)')
  .option('--order <ID>', 'id of a pay-in that the receiver knows (default: an invented one for each check)')
  .option('--code <CODE>', 'externalId of that pay-in')
  .addHelpText('after', '\nExit code: 0 the receiver passed, 1 the receiver failed, 2 the command line is wrong.')
  .action(run);
