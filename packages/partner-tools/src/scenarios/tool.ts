import { accountToUse } from '../api/accounts.ts';
import { connectPartner } from '../api/client.ts';
import { send } from '../api/http.ts';
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
import type { Command, OptionValues, Print } from '../command-line.ts';
import { environmentOptions, environmentUsage, runTool, ToolFailure } from '../command-line.ts';
import { commandLine } from '../invocation.ts';
import { createReporter } from './reporter.ts';
import { receiveAtInbox, receiveByLog } from './notification-receiver.ts';
import { scenarios } from './scenarios.ts';
import type { Scenario } from './context.ts';
import { runScenario } from './context.ts';

const list = scenarios.map(({ name, about }) => `  ${name.padEnd(40)} ${about}`).join('\n');
const usage = `Runs whole scenarios against a running environment, and checks every response and every notification.

${commandLine('scenario').padEnd(42)} lists them
${commandLine('scenario', 'NAME [OPTIONS]').padEnd(42)} runs one of them, or "all"

${environmentUsage}
  --account ID     the account to use (default: the first one that is active)
  --webhook-url U  your own receiver instead of one on this machine: the tool checks its deliveries in the delivery log
  --qr-code        prints QR codes that a phone can scan

A local environment has a company for scenarios. Scenarios run with it unless --company names another one: your own
companies stay as they are.

A scenario advances the company's clock and registers its own receiver. At the end it restores the endpoints, and the
clock if it showed real time. rotation-during-retries creates a new webhook secret and stores it in the sandbox file.

${list}`;

const options = {
  ...environmentOptions,
  account: { type: 'string' },
  'webhook-url': { type: 'string' },
  'qr-code': { type: 'boolean' },
} as const;

async function run(values: OptionValues<typeof options>, [name]: readonly string[], print: Print): Promise<boolean> {
  if (name === undefined) {
    print(`Scenarios. Run one with "${commandLine('scenario', 'NAME')}"; --help prints the options.\n\n${list}`, {
      kind: 'scenarios',
      scenarios: scenarios.map(({ name: title, about }) => ({ name: title, about })),
    });
    return true;
  }
  const chosen = chooseScenarios(name, values['webhook-url'] !== undefined);
  const reporter = createReporter(print, { pictures: values['qr-code'] === true });
  reporter.section('Find the environment');
  const file = sandboxFile(values.sandbox);
  const sandbox = readSandbox(file);
  const company = companyOf(sandbox, values.company ?? ownCompany(sandbox));
  const partner = connectPartner(sandbox, company, send);
  const accountId = await accountToUse(partner, values.account);
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
  try {
    for (const scenario of chosen) {
      const { name: scenarioName, about } = scenario;
      print(chosen.length > 1 ? `\n── ${scenarioName}: ${about}` : '', { kind: 'scenario', name: scenarioName, about });
      const own = values['webhook-url'];
      const secret = webhookSecretOf(companyOf(readSandbox(file), company.companyId));
      const receiver =
        own === undefined ? receiveAtInbox(server.inbox(scenario.name), secret) : receiveByLog(partner, own);
      await runScenario(scenario, { partner, accountId, receiver, reporter, keepSecret });
    }
  } finally {
    await server.stop();
  }
  print('\nEvery check passed.', { kind: 'result', passed: chosen.length });
  return true;
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

export const scenario: Command = (args) => runTool({ usage, options, operands: 1, run }, args);
