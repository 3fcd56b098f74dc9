import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { GetWebhookSettings } from '../../functions/webhooks/get/contract.ts';
import { ReplaceWebhookSettings } from '../../functions/webhooks/replace/contract.ts';
import type { Partner } from '../support/client.ts';
import { partnerOf } from '../support/client.ts';
import { ContractBreach } from '../support/client-answers.ts';
import type { Sandbox } from '../support/environment-sandbox.ts';
import { readSandbox } from '../support/environment-sandbox.ts';
import type { Inbox, Receiver } from '../support/receiver.ts';
import { startReceiver } from '../support/receiver.ts';
import { accept, payFirstCharge, REFUSALS, refundFirstCharge, showDeliveries, subscribe } from './journey.ts';
import { check, DemoFailure, fact, say, step } from './telling.ts';

const USAGE = `A partner's first afternoon, against a running environment (npm start, in another terminal).

npm run demo                              the local environment in .local (or LOCAL_DIR)
npm run demo -- --sandbox <file>          the environment that a sandbox file names`;

/** Ends with 0 when everything was as the specification says, else with 1 and one line that says what was not. */
async function run(): Promise<void> {
  const { sandbox: named, help } = options();
  if (help === true) {
    console.log(USAGE);
    return;
  }
  const file = resolve(named ?? join(process.env['LOCAL_DIR'] ?? '.local', 'sandbox.json'));
  const sandbox = findEnvironment(file);
  const partner = partnerOf(sandbox, sandbox.companies[0]);
  await authenticate(sandbox, partner);
  const receiver = await startReceiver();
  try {
    await journey(partner, receiver);
  } finally {
    await receiver.stop();
  }
  console.log('\nEverything was as the specification says.');
}

function options(): { sandbox?: string; help?: boolean } {
  try {
    return parseArgs({ options: { sandbox: { type: 'string' }, help: { type: 'boolean' } } }).values;
  } catch (error) {
    throw new DemoFailure(`${messageOf(error)}\n\n${USAGE}`);
  }
}

function findEnvironment(file: string): Sandbox {
  step('Find the environment');
  try {
    const sandbox = readSandbox(file);
    fact('sandbox file', file);
    fact('address', sandbox.baseUrl);
    fact('company', sandbox.companies[0].name);
    return sandbox;
  } catch (error) {
    throw notRunning(error);
  }
}

async function authenticate({ baseUrl }: Sandbox, partner: Partner): Promise<void> {
  step('Get an access token with the client credentials');
  const token = await partner.token().catch((error: unknown) => {
    throw notRunning(error, baseUrl);
  });
  check('the token endpoint gives a bearer token', token.split('.').length === 3);
}

async function journey(partner: Partner, receiver: Receiver): Promise<void> {
  const inbox = receiver.inbox('notifications');
  const refusals = Array.from({ length: REFUSALS }, () => ({ kind: 'status', status: 500 }) as const);
  inbox.reply(...refusals, { kind: 'ok' });
  const before = await register(partner, inbox);
  try {
    const subscribed = await subscribe(partner, inbox);
    await payFirstCharge(partner, inbox, subscribed);
    await refundFirstCharge(partner, inbox, subscribed);
    await accept(partner, inbox, subscribed);
    await showDeliveries(partner, subscribed);
  } finally {
    await partner.call(ReplaceWebhookSettings, { body: { events: before } });
  }
}

type Endpoints = { type: 'PAYIN' | 'PAYIN_REFUND' | 'PAYOUT'; endpoint: string; status: 'ACTIVE' | 'INACTIVE' }[];

/** Registers the receiver; gives back what was registered before, so that the demo leaves no trace. */
async function register(partner: Partner, { url }: Inbox): Promise<Endpoints> {
  step('Register a webhook receiver');
  const { body: settings } = await partner.call(GetWebhookSettings);
  const events = (['PAYIN', 'PAYIN_REFUND'] as const).map((type) => ({ type, endpoint: url }));
  const { body } = await partner.call(ReplaceWebhookSettings, { body: { events } });
  fact('receiver', url);
  say(`It answers each notification with 500 ${REFUSALS} times before it takes it.`);
  check(
    'both event types go there',
    body.events.every(({ endpoint, status }) => endpoint === url && status === 'ACTIVE'),
  );
  return settings.events.map(({ type, endpoint, status }) => ({ type, endpoint, status }));
}

function notRunning(error: unknown, at?: string): DemoFailure {
  const because = at === undefined ? '' : `No environment answers at ${at}: `;
  const help = 'Start one with "npm start" in another terminal, and try again.';
  return new DemoFailure(`${because}${messageOf(error)}\n  ${help}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

run().catch((error: unknown) => {
  const known = error instanceof DemoFailure || error instanceof ContractBreach;
  const all = error instanceof Error && !known ? error.stack : undefined;
  console.error(`\n✘ ${all ?? messageOf(error)}`);
  process.exitCode = 1;
});
