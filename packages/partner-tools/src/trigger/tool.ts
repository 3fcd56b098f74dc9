import { GetWebhookSettings } from '#functions/webhooks/get/contract.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import { accountToUse } from '../api/accounts.ts';
import type { Partner } from '../api/client.ts';
import { connectPartner } from '../api/client.ts';
import { send } from '../api/http.ts';
import type { EnvironmentOptions } from '../command-line.ts';
import { defineEnvironmentTool, printFor } from '../command-line.ts';
import { ToolFailure, UsageError } from '../failures.ts';
import { commandLine } from '../invocation.ts';
import { poll } from '../poll.ts';
import { receiverUrl } from '../receiver/post.ts';
import { supplier } from '../scenarios/steps/orders.ts';
import { companyOf, readSandbox, sandboxFile } from '../sandbox.ts';
import { triggers, variants, wordFor } from './triggers.ts';

const list = [
  ...Object.keys(triggers).map((event) => [wordFor(event), event] as const),
  ...Object.entries(variants).map(([word, { event, about }]) => [word, `${event}, ${about}`] as const),
]
  .map(([word, about]) => `  ${word.padEnd(52)} ${about}`)
  .join('\n');
const usual = { amount: '29.90', to: supplier.key } as const;
type Options = EnvironmentOptions<'account' | 'amount' | 'to' | 'webhookUrl'>;

async function run(word: string, given: Options): Promise<void> {
  const caused = causeOf(word);
  if (caused === undefined) throw new UsageError(`There is no event ${word}.`, `Events:\n${list}`);
  const { event, trigger } = caused;
  const amount = readAmount(given.amount ?? caused.amount);
  const named = given.webhookUrl;
  if (named !== undefined) receiverUrl(named, '--webhook-url https://partner.example.com/notifications');
  const sandbox = readSandbox(sandboxFile(given.sandbox));
  const partner = connectPartner(sandbox, companyOf(sandbox, given.company), send);
  const accountId = await accountToUse(partner, given.account);
  const webhookUrl = async (): Promise<string> => named ?? (await ownEndpoint(partner, sandbox.baseUrl));
  const id = await trigger({ partner, accountId, amount, to: given.to ?? usual.to, webhookUrl });
  const delivery = await poll(
    () => deliveryOf(partner, id, event),
    (found) => found !== undefined,
    notifiedWithinMs,
  );
  if (delivery === undefined)
    throw new ToolFailure(
      `${event} of ${id} is not in the delivery log.`,
      `Run "${commandLine('doctor')}" to check the deliveries.`,
    );
  const record = { kind: 'triggered', event, id, deliveryId: delivery.id };
  printFor(given)(`✔ ${event} of ${id}: delivery ${delivery.id}`, record);
}

/** A notification is in the log a moment after its cause. */
const notifiedWithinMs = 20_000;

async function deliveryOf(partner: Partner, resourceId: string, event: string) {
  const { data } = (await partner.call(ListDeliveries, { query: { resourceId } })).body;
  return data.find((delivery) => delivery.event === event);
}

async function ownEndpoint(partner: Partner, baseUrl: string): Promise<string> {
  const { events } = (await partner.call(GetWebhookSettings)).body;
  const [first] = events;
  if (first !== undefined) return first.endpoint;
  if (/^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?$/u.test(baseUrl)) return `${baseUrl}/receiver/trigger`;
  throw new ToolFailure('The company has no endpoint.', 'Give the webhookUrl of the subscription with --webhook-url.');
}

/** Returns the trigger for the name or the word of an event; undefined for any other text. */
function causeOf(word: string) {
  const event = Object.keys(triggers).find((name) => name === word || wordFor(name) === word.toLowerCase());
  const trigger = event === undefined ? undefined : triggers[event];
  const variant = Object.entries(variants).find(([name]) => name === word.toLowerCase())?.[1];
  if (event === undefined || trigger === undefined) return variant;
  return { event, trigger, amount: usual.amount };
}

function readAmount(text: string): string {
  if (/^\d{1,9}\.\d{2}$/u.test(text)) return text;
  throw new UsageError(`--amount ${text} is not an amount.`, `Write it as ${usual.amount}.`);
}

/** Causes an event. */
export const trigger = defineEnvironmentTool(
  'trigger',
  'Causes an event: creates its resource, and has the simulated bank send the bank events. Not available in production.',
)
  .argument('<EVENT>', 'the event, in a word of the list below or by its name')
  .option('--account <ID>', 'the account to use (default: the first one that is active)')
  .option(
    '--amount <VALUE>',
    `in BRL (default: ${usual.amount}; of a batch ${variants['payout.partially_paid']?.amount ?? ''})`,
  )
  .option('--to <KEY>', `the PIX key that a payout pays (default: ${usual.to})`)
  .option(
    '--webhook-url <URL>',
    "webhookUrl of a subscription (default: an endpoint of the company, else the environment's receiver)",
  )
  .addHelpText('after', `\n${list}`)
  .action(run);
