import { GetBankProfile } from '#functions/order-tools/get-bank-profile/contract.ts';
import { accountToUse } from '../api/accounts.ts';
import { asNarrowAs, readCapabilities } from '../api/capabilities.ts';
import { connectPartner } from '../api/client.ts';
import { sendPatiently } from '../api/http.ts';
import { startReceiver } from '../receiver/receiver.ts';
import type { Sandbox } from '../sandbox.ts';
import {
  companyOf,
  companyOfScenarios,
  keepWebhookSecret,
  readSandbox,
  sandboxFile,
  webhookSecretOf,
} from '../sandbox.ts';
import type { EnvironmentOptions } from '../command-line.ts';
import { defineEnvironmentTool, printFor } from '../command-line.ts';
import { ToolFailure, UsageError } from '../failures.ts';
import { commandLine } from '../invocation.ts';
import { createReporter } from './reporter.ts';
import { receiveAtInbox, receiveByLog } from './notification-receiver.ts';
import { scenarios } from './scenarios.ts';
import type { Scenario } from './context.ts';
import { runScenario } from './context.ts';
import { describeRefused, separate } from './needs.ts';

const bankNames = GetBankProfile.responses[200].shape.profile.options;
const list = scenarios.map(({ name, about }) => `  ${name.padEnd(40)} ${about}`).join('\n');
const details = `
A local environment has a company for scenarios. Scenarios run with it unless --company names another one: your own
companies stay as they are.

A scenario advances the company's clock and registers its own receiver. At the end it restores the endpoints, and the
clock if it showed real time; --bank is restored, too. rotation-during-retries creates a new webhook secret and stores it in the sandbox file.

${list}`;

type Options = EnvironmentOptions<'account' | 'webhookUrl' | 'bank'> & { readonly qrCode?: true };

async function run(name: string | undefined, given: Options): Promise<void> {
  const print = printFor(given);
  if (name === undefined) {
    print(`Scenarios. Run one with "${commandLine('scenario', 'NAME')}"; --help prints the options.\n\n${list}`, {
      kind: 'scenarios',
      scenarios: scenarios.map(({ name: title, about }) => ({ name: title, about })),
    });
    return;
  }
  const own = given.webhookUrl;
  const chosen = chooseScenarios(name, own !== undefined);
  const bank = given.bank === undefined ? undefined : readBank(given.bank);
  const reporter = createReporter(print, { pictures: given.qrCode === true });
  reporter.section('Find the environment');
  const file = sandboxFile(given.sandbox);
  const sandbox = readSandbox(file);
  const company = companyOf(sandbox, given.company ?? ownCompany(sandbox));
  const partner = connectPartner(sandbox, company, sendPatiently);
  const accountId = await accountToUse(partner, given.account);
  reporter.fact('sandbox file', file);
  reporter.fact('address', sandbox.baseUrl);
  reporter.fact('company', company.name);
  reporter.fact('account', accountId);
  reporter.section('Get an access token with the client credentials');
  reporter.check('the token endpoint returns a bearer token', (await partner.token()).split('.').length === 3);
  const keepSecret = (secret: string): void => {
    keepWebhookSecret(file, company.companyId, secret);
  };
  const server = await startReceiver();
  const runAll = async (): Promise<void> => {
    const { possible, refused } = separate(chosen, await readCapabilities(partner, accountId));
    for (const scenario of possible) {
      const { name: scenarioName, about } = scenario;
      print(chosen.length > 1 ? `\n── ${scenarioName}: ${about}` : '', { kind: 'scenario', name: scenarioName, about });
      const secret = webhookSecretOf(companyOf(readSandbox(file), company.companyId));
      const receiver =
        own === undefined ? receiveAtInbox(server.inbox(scenario.name), secret) : receiveByLog(partner, own);
      await runScenario(scenario, { partner, accountId, receiver, reporter, keepSecret });
    }
    if (refused.length > 0) print(`\n${describeRefused(refused)}`);
    print('\nEvery check passed.', {
      kind: 'result',
      passed: possible.length,
      refused: refused.map(({ scenario }) => scenario.name),
    });
  };
  try {
    await (bank === undefined ? runAll() : asNarrowAs(partner, bank, runAll));
  } finally {
    await server.stop();
  }
}

/** @throws UsageError */
function readBank(text: string): (typeof bankNames)[number] {
  const known = bankNames.find((name) => name === text.toUpperCase());
  if (known === undefined) throw new UsageError(`There is no bank ${text}.`, `Choose one of ${bankNames.join(', ')}.`);
  return known;
}

/** The company for scenarios, in an environment that has one. */
function ownCompany({ companies }: Sandbox): string | undefined {
  return companies.some((company) => 'name' in company && company.name === companyOfScenarios)
    ? companyOfScenarios
    : undefined;
}

/**
 * Returns the scenarios to run.
 * @throws ToolFailure when there is no such scenario, or it sets the responses of the receiver and the receiver is the
 * partner's own.
 */
function chooseScenarios(name: string, ownReceiver: boolean): readonly Scenario[] {
  const chosen = name === 'all' ? scenarios : scenarios.filter((scenario) => scenario.name === name);
  if (chosen.length === 0) throw new ToolFailure(`There is no scenario ${name}.`, `Scenarios:\n${list}`);
  const runnable = chosen.filter(({ scriptsReceiver }) => !(ownReceiver && scriptsReceiver === true));
  if (runnable.length === 0)
    throw new ToolFailure(
      `${name} sets the responses of the receiver, which is not possible with your own receiver.`,
      'Run it without --webhook-url.',
    );
  return runnable;
}

export const scenario = defineEnvironmentTool(
  'scenario',
  'Runs whole scenarios against a running environment, and checks every response and every notification.',
)
  .argument('[NAME]', 'the scenario to run, or "all" (default: lists them)')
  .option('--account <ID>', 'the account to use (default: the first one that is active)')
  .option(
    '--webhook-url <URL>',
    'your own receiver instead of one on this machine: the tool checks its deliveries in the delivery log',
  )
  .option('--bank <NAME>', `runs with a simulated bank as narrow as this one: ${bankNames.join(', ')}`)
  .option('--qr-code', 'prints QR codes that a phone can scan')
  .addHelpText('after', details)
  .action(run);
