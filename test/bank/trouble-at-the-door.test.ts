import { afterEach, expect, test, vi } from 'vitest';
import { certificate as foreignAuthority } from '../webhooks/receiver-certificate.ts';
import { collectErrors } from '../support/logged.ts';
import type { ScriptedBank, Script } from './scripted-bank.ts';
import { companyId, scriptedBank } from './scripted-bank.ts';

let server: ScriptedBank | undefined;
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  server?.close();
});

const command = { method: 'PUT', path: '/v3/gn/pix/0123456789abcdef0123456789abcd00', body: {} } as const;
const open = async (script: Script = () => ({ status: 200, body: {} })) => {
  server = await scriptedBank(script);
  return server;
};
const refusedMessage = 'Bank refused the access of a company';
const pausedMessage = 'Service paused its calls to a bank';

test.each<[string, (bank: ScriptedBank) => unknown, string, string]>([
  [
    'a refusal of the client with 400',
    (bank) => {
      bank.tokenAnswers(() => ({ status: 400, body: { error: 'invalid_client' } }));
    },
    'The bank issued no token (400 invalid_client).',
    refusedMessage,
  ],
  [
    'a refusal of the client with 401',
    (bank) => JSON.stringify({ ...bank.secret, clientSecret: 'another' }),
    'The bank issued no token (401).',
    refusedMessage,
  ],
  [
    'a page of maintenance instead of a token',
    (bank) => {
      bank.tokenAnswers(() => ({ status: 200, body: '<html>Em manutenção</html>' }));
    },
    'The bank issued no token (200, unreadable response).',
    refusedMessage,
  ],
  [
    'a certificate of another authority',
    (bank) => JSON.stringify({ ...bank.secret, authorities: foreignAuthority }),
    'Cannot connect to the bank: DEPTH_ZERO_SELF_SIGNED_CERT.',
    refusedMessage,
  ],
  ['a malformed secret', () => 'hush', 'The secret of the bank is malformed: (JSON).', refusedMessage],
  [
    'a token endpoint with errors',
    (bank) => {
      bank.tokenAnswers(() => ({ status: 500 }));
    },
    'The bank issued no token (500).',
    pausedMessage,
  ],
  [
    'a token endpoint without a response',
    (bank) => {
      bank.tokenAnswers(() => 'DROP');
    },
    'The bank issued no token (no response).',
    pausedMessage,
  ],
  [
    'a refused connection',
    (bank) => {
      bank.close();
    },
    'Cannot connect to the bank: ECONNREFUSED.',
    pausedMessage,
  ],
])(
  'a call that meets %s is NOT_NOW with its cause, and pauses the connection',
  async (_what, break_, cause, message) => {
    const errors = collectErrors();
    const bank = await open();
    const secret = break_(bank);
    const { client } = await bank.process(typeof secret === 'string' ? secret : undefined)();
    for (let calls = 0; calls < 3; calls += 1) {
      expect((await bank.connection())?.paused).toBeUndefined();
      expect(await client.command(command)).toMatchObject({ is: 'NOT_NOW', cause });
    }
    expect(bank.asked).toEqual([]);
    expect((await bank.connection())?.paused).toEqual({
      until: '2026-01-15T12:00:01.000Z',
      cause,
      failures: 1,
      since: '2026-01-15T12:00:00.000Z',
    });
    expect(await client.command(command)).toMatchObject({ is: 'NOT_NOW', cause: `The connection is paused: ${cause}` });
    expect(new Set(errors.map((line) => line['message']))).toEqual(new Set([message]));
    expect(errors.at(-1)).toMatchObject({ companyId, cause });

    // A probe that could not connect lengthens the pause.
    for (const [probe, seconds] of [2, 4, 8].entries()) {
      const until = (await bank.connection())?.paused?.until ?? '';
      bank.clock.now = until;
      expect(await client.command(command)).toMatchObject({ is: 'NOT_NOW', cause });
      const paused = (await bank.connection())?.paused;
      expect(paused).toMatchObject({ failures: probe + 2, since: '2026-01-15T12:00:00.000Z' });
      expect((Date.parse(paused?.until ?? '') - Date.parse(until)) / 1000).toBe(seconds);
    }
  },
);

test('a failed connection between two failures of the bank does not begin their count again', async () => {
  collectErrors();
  const bank = await open(() => ({ status: 503 }));
  const { client } = await bank.process()();
  await client.command(command);
  bank.tokenAnswers(() => ({ status: 500 }));
  bank.counts.tokens = 7;
  await client.command(command);
  bank.tokenAnswers(undefined);
  await client.command(command);
  expect((await bank.connection())?.paused).toMatchObject({ failures: 1 });
});

test('a token whose seconds are text is used until it ends', async () => {
  const bank = await open();
  bank.tokenAnswers(() => ({ status: 200, body: { access_token: 'token-1', expires_in: '3600', scope: null } }));
  const { client } = await bank.process()();
  for (let calls = 0; calls < 3; calls += 1) expect(await client.command(command)).toMatchObject({ is: 'OK' });
  expect(bank.counts.tokens).toBe(1);
});

test('a limit of the token endpoint pauses the connection at once, as long as it asks', async () => {
  collectErrors();
  const bank = await open();
  bank.tokenAnswers(() => ({ status: 429, headers: { 'retry-after': '30' } }));
  const { client } = await bank.process()();
  expect(await client.command(command)).toMatchObject({ is: 'NOT_NOW', retryAfterSeconds: 30 });
  expect((await bank.connection())?.paused).toMatchObject({ until: '2026-01-15T12:00:30.000Z' });
});

test.each([
  ['read again after a 401', 401, 2],
  ['not read again after a 403, which a new secret would not change', 403, 1],
] as const)('a secret is %s', async (_what, status, reads) => {
  collectErrors();
  const bank = await open();
  bank.answers(() => ({ status }));
  vi.useFakeTimers({ toFake: ['Date'] });
  let count = 0;
  const { client } = await bank.process(() => Promise.resolve(((count += 1), JSON.stringify(bank.secret))))();
  expect(await client.command(command)).toMatchObject({ is: 'NOT_NOW' });
  vi.setSystemTime(Date.now() + 11_000);
  expect(await client.command(command)).toMatchObject({ is: 'NOT_NOW' });
  expect(count).toBe(reads);
});

test('a secret that an operator replaced is read after the token endpoint refused the old one', async () => {
  collectErrors();
  const bank = await open();
  vi.useFakeTimers({ toFake: ['Date'] });
  let text = JSON.stringify({ ...bank.secret, clientSecret: 'the old one' });
  const { client } = await bank.process(() => Promise.resolve(text))();
  expect(await client.command(command)).toMatchObject({ is: 'NOT_NOW' });
  text = JSON.stringify(bank.secret);
  vi.setSystemTime(Date.now() + 11_000);
  expect(await client.command(command)).toMatchObject({ is: 'OK' });
});
