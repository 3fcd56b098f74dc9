import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { verify, verifyBody } from '#docs/samples/typescript/verify.ts';

export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

type Request = { readonly raw: Buffer; readonly headers: IncomingHttpHeaders };
type Fields = Readonly<Record<string, unknown>>;
/** What a receiver answers, having seen these before. */
type Behaviour = (request: Request, earlier: readonly Request[]) => number | Promise<number>;

const fields = ({ raw }: Request): Fields => JSON.parse(raw.toString('utf8')) as Fields;
const isGenuine = ({ raw, headers }: Request): boolean => verify(raw, headers, secret).genuine;
const good: Behaviour = (request) => (isGenuine(request) ? 200 : 401);
/** Good, but for what it finds wrong with genuine notifications. */
const goodBut =
  (refuses: (request: Request, earlier: readonly Request[]) => boolean): Behaviour =>
  (request, earlier) =>
    isGenuine(request) ? (refuses(request, earlier) ? 409 : 200) : 401;

/** Receivers as partners build them, each with the checks that it must fail, and no others. */
export const receivers: Readonly<Record<string, { readonly behaves: Behaviour; readonly fails: readonly string[] }>> = {
  'verifies the webhook headers': { behaves: good, fails: [] },
  'verifies the body’s signature alone': {
    behaves: ({ raw, headers }) => (verifyBody(raw, headers, secret) ? 204 : 403),
    fails: [],
  },
  'works before it answers': {
    behaves: async (request) => {
      await sleep(400);
      return good(request, []);
    },
    fails: ['in time'],
  },
  'verifies JSON that it wrote itself': {
    behaves: (request, earlier) => good({ ...request, raw: Buffer.from(JSON.stringify(fields(request))) }, earlier),
    fails: ['exact bytes'],
  },
  'verifies nothing': { behaves: () => 200, fails: ['tampered', 'unsigned', 'wrong secret'] },
  'looks at the form of a signature': {
    behaves: ({ headers }) => (/^sha256=[0-9a-f]{64}$/u.test(String(headers['x-signature-sha256'])) ? 200 : 401),
    fails: ['tampered', 'wrong secret'],
  },
  'verifies what is signed': {
    behaves: (request) => (request.headers['webhook-signature'] === undefined || isGenuine(request) ? 200 : 401),
    fails: ['unsigned'],
  },
  'crashes at a wrong signature': {
    behaves: (request) => (isGenuine(request) ? 200 : 500),
    fails: ['tampered', 'unsigned', 'wrong secret'],
  },
  redirects: { behaves: () => 307, fails: ['in time'] },
  'refuses what it has already': {
    behaves: goodBut(({ headers }, earlier) =>
      earlier.some((one) => one.headers['webhook-id'] === headers['webhook-id']),
    ),
    fails: ['duplicate', 'duplicate by resend'],
  },
  'refuses what it has already when it is signed anew': {
    behaves: goodBut(({ headers }, earlier) =>
      earlier.some(
        (one) =>
          one.headers['webhook-id'] === headers['webhook-id'] &&
          one.headers['webhook-timestamp'] !== headers['webhook-timestamp'],
      ),
    ),
    fails: ['duplicate by resend'],
  },
  'refuses what is older than what it has': {
    behaves: goodBut((request, earlier) =>
      earlier.some((one) => {
        const [was, is] = [fields(one), fields(request)];
        const isAbout = was['id'] === is['id'];
        return isAbout && was['event'] === 'ORDER-PAYIN.REFUNDED' && is['event'] === 'ORDER-PAYIN.PAID';
      }),
    ),
    fails: ['reordered'],
  },
  'takes what was paid for kept': {
    behaves: goodBut((request) => fields(request)['event'] === 'DISPUTE.ACCEPTED'),
    fails: ['claimed back'],
  },
  'knows no refund of a part': {
    behaves: goodBut((request) => 'orderStatus' in fields(request)),
    fails: ['part refunded'],
  },
  'looks for the id of an order in every notification': {
    behaves: goodBut((request) => typeof fields(request)['id'] !== 'string'),
    fails: ['unexpected money', 'claimed back'],
  },
  'knows one signature': {
    behaves: ({ raw, headers }) =>
      headers['x-signature-sha256'] === `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}` ? 200 : 401,
    fails: ['rotation'],
  },
  'takes the two signatures for one': {
    behaves: (request) =>
      isGenuine(request) && !String(request.headers['webhook-signature']).includes(' ') ? 200 : 401,
    fails: ['rotation'],
  },
  'refuses fields that it does not know': {
    behaves: goodBut((request) => 'addedLater' in fields(request)),
    fails: ['unknown field'],
  },
  'refuses events that it does not know': {
    behaves: goodBut(
      (request) => !['ORDER-PAYIN.PAID', 'ORDER-PAYIN.REFUNDED'].includes(String(fields(request)['event'])),
    ),
    fails: ['unknown event', 'unexpected money', 'claimed back'],
  },
  'reads 16 KiB': { behaves: goodBut(({ raw }) => raw.length > 16 * 1024), fails: ['large body'] },
};

/** A receiver that behaves so, on a port of its own. */
export async function startReceiver(behaves: Behaviour) {
  const earlier: Request[] = [];
  const server = createServer((message, response) => {
    const take = async (): Promise<void> => {
      const chunks: Buffer[] = [];
      for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
      const request = { raw: Buffer.concat(chunks), headers: message.headers };
      const status = await behaves(request, [...earlier]);
      earlier.push(request);
      response.writeHead(status, status === 307 ? { location: '/elsewhere' } : {}).end();
    };
    void take();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/notifications`,
    received: earlier,
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
