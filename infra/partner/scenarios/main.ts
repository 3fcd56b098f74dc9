import { connectPartner } from '../api/client.ts';
import { send } from '../api/http.ts';
import { startReceiver } from '../receiver/receiver.ts';
import { companyOf, keepWebhookSecret, readSandbox, sandboxFile } from '../sandbox.ts';
import { environmentOptions, environmentUsage, runTool, ToolFailure } from '../command-line.ts';
import { tellTo } from './reporter.ts';
import { hearAtReceiver, hearByLog } from './notification-receiver.ts';
import type { Stage } from './run.ts';
import { play } from './run.ts';
import { stories } from './scenarios.ts';
import type { Story } from './context.ts';

const list = stories.map(({ name, about }) => `  ${name.padEnd(40)} ${about}`).join('\n');
const usage = `Plays whole stories against a running environment, and checks every answer and every notification.

npm run scenario                           lists them
npm run scenario -- NAME [OPTIONS]         plays one of them, or "all"
npm run demo                               plays journey-3-with-refund

${environmentUsage}
  --account ID     the account to play with (default: the first one that is active)
  --webhook-url U  your own receiver instead of one on this machine: the delivery log says what it took

A story turns the company's clock forward and registers its receiver for the time that it takes; in the end the
endpoints are as before, and a clock that told real time tells it again. rotation-during-retries gives you a new webhook
secret and keeps it in the sandbox file.

${list}`;

const options = { ...environmentOptions, account: { type: 'string' }, 'webhook-url': { type: 'string' } } as const;
type Values = {
  readonly sandbox?: string | undefined;
  readonly company?: string | undefined;
  readonly account?: string | undefined;
  readonly 'webhook-url'?: string | undefined;
};

async function run(values: Values, [name]: readonly string[]): Promise<boolean> {
  if (name === undefined) {
    console.log(`Stories, each played by npm run scenario -- NAME (--help says more):\n\n${list}`);
    return true;
  }
  const chosen = chooseStories(name, values['webhook-url'] !== undefined);
  const tell = tellTo(console.log);
  tell.step('Find the environment');
  const file = sandboxFile(values.sandbox);
  const sandbox = readSandbox(file);
  const company = companyOf(sandbox, values.company);
  const partner = connectPartner(sandbox, company, send);
  const accountId = values.account ?? activeAccount(company);
  tell.fact('sandbox file', file);
  tell.fact('address', sandbox.baseUrl);
  tell.fact('company', company.name);
  tell.fact('account', accountId);
  tell.step('Get an access token with the client credentials');
  tell.check('the token endpoint gives a bearer token', (await partner.token()).split('.').length === 3);
  const keepSecret = (secret: string): void => {
    keepWebhookSecret(file, company.companyId, secret);
  };
  const receiver = await startReceiver();
  try {
    for (const story of chosen) {
      if (chosen.length > 1) console.log(`\n── ${story.name}: ${story.about}`);
      const own = values['webhook-url'];
      const secret = companyOf(readSandbox(file), company.companyId).webhookSecret;
      const hearing = own === undefined ? hearAtReceiver(receiver.inbox(story.name), secret) : hearByLog(partner, own);
      await play(story, { partner, accountId, hearing, tell, keepSecret } satisfies Stage);
    }
  } finally {
    await receiver.stop();
  }
  console.log('\nEverything was as the specification says.');
  return true;
}

/** @throws ToolFailure when there is no such story, or it cannot be played with a receiver of the partner's own. */
function chooseStories(name: string, ownReceiver: boolean): readonly Story[] {
  const chosen = name === 'all' ? stories : stories.filter((story) => story.name === name);
  if (chosen.length === 0) throw new ToolFailure(`There is no story ${name}.`, `There are:\n${list}`);
  const playable = chosen.filter(({ scriptsReceiver }) => !(ownReceiver && scriptsReceiver === true));
  if (playable.length === 0)
    throw new ToolFailure(
      `${name} tells the receiver how to answer, which yours cannot be told.`,
      'Play it without --webhook-url.',
    );
  return playable;
}

/** @throws ToolFailure when the sandbox file knows none. */
function activeAccount({ accounts }: ReturnType<typeof companyOf>): string {
  const found = accounts.find(({ status }) => status === 'ACTIVE');
  if (found === undefined)
    throw new ToolFailure('The company has no active account in the sandbox file.', 'Name one with --account.');
  return found.id;
}

process.exitCode = await runTool({ usage, options, words: 1, run }, process.argv.slice(2));
