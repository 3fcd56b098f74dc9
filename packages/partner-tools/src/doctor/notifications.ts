import type * as z from 'zod';
import { GetDelivery } from '#functions/webhooks/get-delivery/contract.ts';
import { GetWebhookSettings } from '#functions/webhooks/get/contract.ts';
import { ListEndpoints } from '#functions/webhooks/list-endpoints/contract.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import { TestWebhook } from '#functions/webhooks/send-test/contract.ts';
import type { AttemptError, DeliveryStatus } from '#shared/platform/outbox/delivery.ts';
import { webhookTypes } from '#shared/platform/outbox/delivery.ts';
import type { Partner } from '../api/client.ts';
import { jsonOf } from '../api/http.ts';
import { commandLine } from '../invocation.ts';
import { poll } from '../poll.ts';
import type { Finding } from './finding.ts';
import { advice, bad, good } from './finding.ts';

type Settings = z.output<(typeof GetWebhookSettings)['responses'][200]>;
type Delivery = z.output<(typeof GetDelivery)['responses'][200]>;
type Endpoint = Settings['events'][number];

/** Longest wait for the first attempt. The service itself waits 10 seconds for a response. */
const outcomeWithinMs = 15_000;
const testEvent = 'WEBHOOK.TEST';
/** Largest number of failed deliveries whose reasons are printed. */
const explained = 5;
const sendAgain = 'POST /order/v1/webhook/resends { "createdFrom": … } sends the failed deliveries again.';
const setEndpoint =
  'Register one with PUT /order/v1/webhook: the service then sends the notifications held in the last 7 days.';

const cures: Readonly<Record<AttemptError, string>> = {
  DNS: 'Its name does not resolve: check the host in the URL.',
  CONNECTION_REFUSED: 'No program listens there: start your receiver, or correct the port.',
  CONNECTION_RESET: 'It closes the connection: read its log, and check the proxies in front of it.',
  UNREACHABLE: 'The address is unreachable: check firewall and routes.',
  CONNECTION_FAILED: 'The connection fails: check firewall and port.',
  TIMEOUT: 'It does not respond within 10 seconds: respond first, and process afterwards.',
  TLS: 'Its certificate is not accepted: it must be valid for that name, with its whole chain.',
  FORBIDDEN_TARGET: 'Its address is not public: register a public https URL.',
  INVALID_RESPONSE: 'Its response is not HTTP: check which program listens on that port.',
  REDIRECT: 'It redirects, and the service does not follow redirects: register the URL of the redirect.',
  STATUS: 'It must respond 2xx: read its log.',
};
const signatureCure = `It refuses the signature or the caller: verify the raw bytes with the current secret. "${commandLine('check-receiver')}" checks this.`;

/** Sends a test notification to every active endpoint, and reports the types without one. */
export async function* examineEndpoints(partner: Partner): AsyncGenerator<Finding> {
  const { events } = (await partner.call(GetWebhookSettings)).body;
  for (const type of webhookTypes)
    yield await examineType(
      partner,
      type,
      events.find((event) => event.type === type),
    );
}

async function examineType(partner: Partner, type: Endpoint['type'], known: Endpoint | undefined): Promise<Finding> {
  if (known === undefined)
    return advice('endpoints', `${type} has no endpoint: its notifications are held.`, setEndpoint);
  const { endpoint, status, failingSince } = known;
  if (status === 'INACTIVE')
    return advice('endpoints', `${type} is INACTIVE at ${endpoint}: its notifications are held.`, setEndpoint);
  const received = await partner.answer(TestWebhook, { body: { type } });
  const sent = TestWebhook.responses[201].safeParse(jsonOf(received.text)).data;
  if (sent === undefined)
    return advice('endpoints', `${type} was not tested (${received.status}).`, 'Try again in a minute.');
  const outcome = await outcomeOf(partner, sent.id);
  const last = outcome.attempts.at(-1);
  if (outcome.status === 'HELD')
    return bad(
      'endpoints',
      `${type}: an operator holds notifications to ${endpoint}.`,
      'Ask the operator to release them.',
    );
  if (last?.outcome === 'DELIVERED') return good('endpoints', `${type} is delivered to ${endpoint}.`);
  const since = failingSince === undefined ? '' : `, failing since ${failingSince}`;
  const probed = 'The service probes it until it responds 2xx in time.';
  if (last === undefined || last.error === null)
    return bad('endpoints', `${type}: no attempt at ${endpoint} within ${outcomeWithinMs / 1000} s${since}.`, probed);
  return bad('endpoints', `${type} fails at ${endpoint}: ${reasonOf(last)}${since}.`, cureOf(last));
}

/** Reports every address that fails, also one of a subscription, and also after few calls. */
export async function* examineUnwell(partner: Partner): AsyncGenerator<Finding> {
  const { data } = (await partner.call(ListEndpoints, { query: { limit: '100' } })).body;
  for (const { endpoint, failingSince, reason = 'no response' } of data)
    if (failingSince !== undefined)
      yield bad(
        'endpoints',
        `${endpoint} has acknowledged nothing since ${failingSince}: ${reason}.`,
        `Read its log. Then ${sendAgain}`,
      );
}

type Attempt = Delivery['attempts'][number];

function reasonOf({ error, httpStatus }: Attempt): string {
  return httpStatus === null ? String(error) : `${String(error)} ${httpStatus}`;
}

function cureOf({ error, httpStatus }: Attempt): string {
  if (httpStatus === 401 || httpStatus === 403) return signatureCure;
  return error === null ? 'Read its log.' : cures[error];
}

/** Waits for the first attempt of a delivery, or until the delivery is held or paused. */
function outcomeOf(partner: Partner, id: string): Promise<Delivery> {
  const read = async (): Promise<Delivery> => (await partner.call(GetDelivery, { params: { id } })).body;
  const isOver = ({ status, attempts, pausedReason }: Delivery): boolean =>
    status !== 'PENDING' || attempts.length > 0 || pausedReason !== undefined;
  return poll(read, isOver, outcomeWithinMs);
}

/** Reports failed and held deliveries with their reasons. */
export async function* examineDeliveries(partner: Partner): AsyncGenerator<Finding> {
  const [failed, held] = await Promise.all([listed(partner, 'FAILED'), listed(partner, 'HELD')]);
  const reasons = new Map<string, string>();
  for (const { id } of failed.data.slice(0, explained)) {
    const { attempts, endpoint } = (await partner.call(GetDelivery, { params: { id } })).body;
    const last = attempts.at(-1);
    if (last !== undefined) reasons.set(`${reasonOf(last)} at ${endpoint ?? '?'}`, cureOf(last));
  }
  if (failed.data.length > 0) {
    const found = `${countOf(failed)} FAILED, the latest by ${[...reasons.keys()].join(', ')}.`;
    yield bad('deliveries', found, `${[...new Set(reasons.values())].join(' ')} Then ${sendAgain}`);
  }
  if (held.data.length > 0) {
    const events = [...new Set(held.data.map(({ event }) => event))].join(', ');
    const found = `${countOf(held)} HELD (${events}): no endpoint of the type is active, or an operator holds notifications.`;
    const cure =
      'Register an endpoint with PUT /order/v1/webhook: the service then sends the notifications held in the last 7 days.';
    yield bad('deliveries', found, cure);
  }
  if (failed.data.length + held.data.length === 0)
    yield good('deliveries', 'No delivery is held, and every failed delivery was delivered since.');
}

type Page = z.output<(typeof ListDeliveries)['responses'][200]>;

/** Lists the deliveries of a status that were not delivered later, without test notifications. */
async function listed(partner: Partner, status: DeliveryStatus): Promise<Page> {
  const { body } = await partner.call(ListDeliveries, { query: { status, open: 'true', limit: '100' } });
  return { ...body, data: body.data.filter(({ event }) => event !== testEvent) };
}

function countOf({ data, hasNext }: Page): string {
  return `${hasNext ? 'More than ' : ''}${data.length} ${data.length === 1 ? 'delivery is' : 'deliveries are'}`;
}
