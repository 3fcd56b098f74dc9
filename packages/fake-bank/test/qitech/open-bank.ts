import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { openArchive } from '#fake-bank/archive.ts';
import { openQiBank } from '#fake-bank/qitech/bank.ts';
import { controlsOf } from '#fake-bank/qitech/control/controls.ts';
import type { Kinds } from '#fake-bank/qitech/model.ts';
import { replyTo } from '#fake-bank/qitech/reply.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- bodies are whatever the bank says
type Body = any;
type Webhook = { readonly url: string; readonly body: Body; readonly text: string; readonly headers: Headers };
type Headers = Readonly<Record<string, string>>;

/** The token of a request, as a client makes it with Node alone. */
export function tokenOf(
  key: ReturnType<typeof generateKeyPairSync>['privateKey'],
  { method, uri, body }: { method: string; uri: string; body: string },
  at = Date.now(),
): string {
  const digest = createHash('md5').update(body).digest('hex');
  const claims = { payload_md5: digest, timestamp: new Date(at).toISOString(), method, uri };
  const parts = [{ alg: 'ES512', typ: 'JWT' }, claims];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${sign('sha512', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** A client's call, signed; and the bank without sockets, whose webhooks are kept. */
export function openTestBank({ balance = 1_000_000, at = Date.parse('2026-03-02T15:00:00.000Z') } = {}) {
  const [own, client] = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve: 'secp521r1' }));
  let now = at;
  const archive = openArchive<Kinds>(':memory:');
  const webhooks: Webhook[] = [];
  let heard: number | undefined = 200;
  const bank = openQiBank(archive, own!.privateKey, () => now, {
    send: (url, text, _caller, more) => {
      webhooks.push({ url, text, body: JSON.parse(text), headers: more?.headers ?? {} });
      return Promise.resolve(heard);
    },
  });
  const controls = controlsOf({ bank, archive });
  const control = async (name: string, body: object = {}): Promise<Body> => {
    const result = await controls[name]!(body);
    bank.callbacks.wake();
    return result;
  };
  const address = 'https://service.example/webhooks/qi?token=1';
  const publicKey = client!.publicKey.export({ type: 'spki', format: 'pem' });
  const access = controls['clients']!({ public_key: publicKey, balance, webhook_url: address }) as Body;
  const call = async (method: string, target: string, body?: unknown, headers?: Headers) => {
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const token = tokenOf(client!.privateKey, { method, uri: target, body: text === '' ? '{}' : text }, now);
    const { pathname: path } = new URL(target, 'https://bank.example');
    const signed = headers ?? { authorization: token, 'api-client-key': access.apiClientKey };
    return replyTo(bank, { method, target, path, headers: signed, body: text });
  };
  return {
    bank,
    webhooks,
    control,
    call,
    apiClientKey: access.apiClientKey as string,
    account: access.accounts[0].account_key as string,
    pixKey: access.accounts[0].pix_keys[0] as string,
    publicKey: own!.publicKey,
    clientKey: client!.privateKey,
    address,
    now: () => now,
    advance: (ms: number): void => {
      now += ms;
    },
    /** Sets the status that webhooks get; undefined: none. */
    answerWebhooks: (status: number | undefined): void => {
      heard = status;
    },
    /** A call that gets a response with JSON; a text is sent as it is. */
    api: async (method: string, target: string, body?: unknown): Promise<{ status: number; body: Body }> => {
      const reply = await call(method, target, body);
      if (reply.is !== 'ANSWER') throw new Error(`The bank answered ${reply.is}.`);
      const { status, body: text } = reply.response;
      return { status, body: typeof text === 'string' ? JSON.parse(text) : text };
    },
  };
}
