// npm run tool -- test/releases/trial.ts: deploys the previous release into MiniStack, uses it, deploys this release,
// returns to the previous one, and reads all data each time, while another partner pays.
import { join } from 'node:path';
import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import { exitWith, outputOf, root, runOrThrow, runStep } from '#infra/releases/commands.ts';
import type { Trial } from '#tools/emulators/deployment.ts';
import { emptyFolder, withTrial } from '#tools/emulators/deployment.ts';
import { startMiniStack } from '#tools/emulators/ministack.ts';
import { pythonTool } from '#tools/emulators/python-tools.ts';
import { connectPartner, send, startReceiver, completeCompanies, readSandbox } from '@banking-order/partner-tools';
import type { Inbox } from '@banking-order/partner-tools';
import { withCheckout } from '#infra/releases/checkout.ts';
import { deployArgs, rollbackArgs } from '#infra/releases/order.ts';
import type { Readings } from './readings.ts';
import { readAll, readOtherwise } from './readings.ts';
import { payUntil } from './traffic.ts';

/** The previous release: a commit of `main`. It changes with each release. */
const releaseBefore = 'f8446298aa5b4f4d6689f33d665283889fbc953e';

/** What the first company does; the second pays while releases change. */
const scenarios = ['journey-3-with-refund', 'payout-batch-partly-paid'];

const folder = join(root, '.releases');

async function main(): Promise<number> {
  emptyFolder(folder);
  const program = await runStep('MiniStack from PyPI', () => pythonTool('ministack'));
  return withCheckout(releaseBefore, async (before) => {
    const emulator = await runStep('start', () => startMiniStack(program, folder));
    return withTrial(emulator, folder, (trial) => changeReleases(trial, before), before);
  });
}

async function changeReleases(trial: Trial, before: string): Promise<number> {
  const [reader, payer] = completeCompanies(readSandbox(trial.sandboxFile)).map((company) =>
    connectPartner(readSandbox(trial.sandboxFile), company, send, 'CLOSED'),
  );
  if (reader === undefined || payer === undefined) throw new Error('The test needs two companies.');
  const receiver = await startReceiver();
  const inbox = receiver.inbox('payer');
  await payer.call(ReplaceWebhookSettings, { body: { events: [{ type: 'PAYOUT', endpoint: inbox.url }] } });
  const change = (title: string, checkout: string, args: readonly string[]) =>
    underTraffic(title, payer, inbox, () => trial.deploy(checkout, args));
  const look = () => runStep('read all data', () => readAll(reader));
  try {
    await play(trial, before);
    const atFirst = await look();
    await change('deploy this release', root, deployArgs('Local'));
    compare({ older: atFirst, newer: await look() });
    await play(trial, root);
    const written = await look();
    await change('return to the previous release', before, rollbackArgs('Local'));
    compare({ older: await look(), newer: written });
    await play(trial, before);
    await runStep('reconcile', () => reconcile(trial));
    return 0;
  } finally {
    await receiver.stop();
  }
}

/** Plays scenarios with the tool of a release: it reads responses strictly by its own contracts. */
async function play({ sandboxFile, emulator }: Trial, checkout: string): Promise<void> {
  for (const name of scenarios)
    await runStep(`scenario ${name}`, () =>
      // By the script, which every release has: files move between two of them.
      runOrThrow(['npm', 'run', '--silent', 'scenario', '--', name, '--sandbox', sandboxFile], {
        ...{ folder: checkout, environment: emulator.environment, log: join(folder, 'scenarios.log') },
      }),
    );
}

async function underTraffic(
  title: string,
  payer: Parameters<typeof payUntil>[0],
  inbox: Inbox,
  does: () => Promise<void>,
): Promise<void> {
  const end = new AbortController();
  const paying = payUntil(payer, inbox, end.signal);
  await Promise.all([
    paying,
    runStep(title, does).finally(() => {
      end.abort();
    }),
  ]);
  const { payouts, held, repeated } = await paying;
  const repetitions = Object.entries(repeated).map(([why, count]) => `${count} × ${why}`);
  console.log(
    `   during it ${payouts} payouts, ${held} of them delayed by 3 s; repeated requests: ${repetitions.join(', ') || 'none'}`,
  );
}

/** @throws Error when the releases return different data. */
function compare(readings: { readonly older: Readings; readonly newer: Readings }): void {
  const otherwise = readOtherwise(readings);
  if (otherwise.length > 0) throw new Error(`The two releases return different data:\n  ${otherwise.join('\n  ')}`);
  console.log(`   ${readings.older.size} records and lists are the same in both releases`);
}

/** @throws Error when orders, deliveries and ledger differ. */
async function reconcile({ tableName, emulator }: Trial): Promise<void> {
  await outputOf(['node', 'infra/operator/main.ts', 'reconcile', '--table', tableName], emulator.environment);
}

exitWith(main());
