import { connectPartner } from '../api/client.ts';
import { send } from '../api/http.ts';
import { startReceiver } from '../receiver/receiver.ts';
import type { Sandbox } from '../sandbox.ts';
import { companyOf, companyOfScenarios, keepWebhookSecret, readSandbox, sandboxFile } from '../sandbox.ts';
import type { OptionValues } from '../command-line.ts';
import { environmentOptions, environmentUsage, runTool, ToolFailure } from '../command-line.ts';
import { createReporter } from './reporter.ts';
import { receiveAtInbox, receiveByLog } from './notification-receiver.ts';
import { scenarios } from './scenarios.ts';
import type { Scenario } from './context.ts';
import { runScenario } from './context.ts';

const list = scenarios.map(({ name, about }) => `  ${name.padEnd(40)} ${about}`).join('\n');
const usage = `Runs whole scenarios against a running environment, and checks every answer and every notification.

npm run scenario                           lists them
npm run scenario -- NAME [OPTIONS]         runs one of them, or "all"
npm run demo                               runs journey-3-with-refund

${environmentUsage}
  --account ID     the account to use (default: the first one that is active)
  --webhook-url U  your own receiver instead of one on this machine: the delivery log says what it took
  --qr-code        draws QR codes, for the camera of a phone

A local environment has a company for scenarios, which is taken unless you name another: what they make is not among
what is yours.

A scenario turns the company's clock forward and registers its receiver for the time that it takes; in the end the
endpoints are as before, and a clock that showed real time shows it again. rotation-during-retries gives you a new webhook
secret and keeps it in the sandbox file.

${list}`;

const options = {
  ...environmentOptions,
  account: { type: 'string' },
  'webhook-url': { type: 'string' },
  'qr-code': { type: 'boolean' },
} as const;

async function run(values: OptionValues<typeof options>, [name]: readonly string[]): Promise<boolean> {
  if (name === undefined) {
    console.log(`Scenarios, each run by npm run scenario -- NAME (--help says more):\n\n${list}`);
    return true;
  }
  const chosen = chooseScenarios(name, values['webhook-url'] !== undefined);
  const reporter = createReporter(console.log, { pictures: values['qr-code'] === true });
  reporter.section('Find the environment');
  const file = sandboxFile(values.sandbox);
  const sandbox = readSandbox(file);
  const company = companyOf(sandbox, values.company ?? ownCompany(sandbox));
  const partner = connectPartner(sandbox, company, send);
  const accountId = values.account ?? activeAccount(company);
  reporter.fact('sandbox file', file);
  reporter.fact('address', sandbox.baseUrl);
  reporter.fact('company', company.name);
  reporter.fact('account', accountId);
  reporter.section('Get an access token with the client credentials');
  reporter.check('the token endpoint gives a bearer token', (await partner.token()).split('.').length === 3);
  const keepSecret = (secret: string): void => {
    keepWebhookSecret(file, company.companyId, secret);
  };
  const server = await startReceiver();
  try {
    for (const scenario of chosen) {
      if (chosen.length > 1) console.log(`\n── ${scenario.name}: ${scenario.about}`);
      const own = values['webhook-url'];
      const secret = companyOf(readSandbox(file), company.companyId).webhookSecret;
      const receiver =
        own === undefined ? receiveAtInbox(server.inbox(scenario.name), secret) : receiveByLog(partner, own);
      await runScenario(scenario, { partner, accountId, receiver, reporter, keepSecret });
    }
  } finally {
    await server.stop();
  }
  console.log('\nEverything was as the specification says.');
  return true;
}

/** The company for scenarios, in an environment that has one. */
function ownCompany({ companies }: Sandbox): string | undefined {
  return companies.some((one) => 'name' in one && one.name === companyOfScenarios) ? companyOfScenarios : undefined;
}

/** @throws ToolFailure when there is no such scenario, or it needs a receiver whose answers it can set. */
function chooseScenarios(name: string, ownReceiver: boolean): readonly Scenario[] {
  const chosen = name === 'all' ? scenarios : scenarios.filter((scenario) => scenario.name === name);
  if (chosen.length === 0) throw new ToolFailure(`There is no scenario ${name}.`, `There are:\n${list}`);
  const runnable = chosen.filter(({ scriptsReceiver }) => !(ownReceiver && scriptsReceiver === true));
  if (runnable.length === 0)
    throw new ToolFailure(
      `${name} sets the receiver's answers, which yours does not allow.`,
      'Run it without --webhook-url.',
    );
  return runnable;
}

/** @throws ToolFailure when the sandbox file knows none. */
function activeAccount({ accounts }: ReturnType<typeof companyOf>): string {
  const found = accounts.find(({ status }) => status === 'ACTIVE');
  if (found === undefined)
    throw new ToolFailure('The company has no active account in the sandbox file.', 'Name one with --account.');
  return found.id;
}

process.exitCode = await runTool({ usage, options, words: 1, run });
