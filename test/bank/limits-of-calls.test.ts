import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { secondsToWait } from '#shared/bank/calls/response.ts';
import { operationOf, kindOf } from '#shared/bank/dialects/efi/operation.ts';
import { readBankCalls } from '#shared/bank/calls/bank-calls.ts';
import { collectErrors } from '../support/logged.ts';
import type { ScriptedBank } from './scripted-bank.ts';
import { companyId, scriptedBank } from './scripted-bank.ts';
import { connectionId } from '../support/connected-items.ts';

const at = '2026-01-15T12:00:00.000Z';
const command = { method: 'PUT', path: '/v3/gn/pix/0123456789abcdef0123456789abcd00', body: {} } as const;
const lookup = { method: 'POST', path: '/v2/gn/qrcodes/detalhar', body: {} } as const;
const list = { method: 'GET', path: `/v2/pix?inicio=${at}&fim=${at}` } as const;

let server: ScriptedBank;
let errors: ReturnType<typeof collectErrors>;
beforeEach(async () => {
  errors = collectErrors();
  server = await scriptedBank(() => ({ status: 200, body: {} }));
});
afterEach(() => {
  vi.restoreAllMocks();
  server.close();
});
const limit = (path: string, retryAfter: string): void => {
  server.answers((asked) =>
    asked.path.startsWith(path) ? { status: 429, headers: { 'retry-after': retryAfter } } : { status: 200, body: {} },
  );
};
const pauses = async () => (await readBankCalls(server.store, { companyId, id: connectionId }))?.pauses;

test.each([
  ['0', 0],
  ['7', 7],
  ['86400', 86_400],
  ['4000000', 86_400],
  ['Thu, 15 Jan 2026 12:00:30 GMT', 30],
  ['Thu, 15 Jan 2026 11:00:00 GMT', 0],
  ['Fri, 15 Jan 2027 12:00:00 GMT', 86_400],
  ['soon', undefined],
  ['-1', undefined],
  [undefined, undefined],
])('a Retry-After header of %j is a wait of %j seconds', (header, seconds) => {
  expect(secondsToWait(header, at)).toBe(seconds);
});

test('a date in Retry-After pauses until then, by the clock of the bank', async () => {
  server.answers(() => ({
    status: 429,
    headers: { date: 'Thu, 15 Jan 2026 18:00:00 GMT', 'retry-after': 'Thu, 15 Jan 2026 18:00:40 GMT' },
  }));
  const { client } = await server.process()();
  expect(await client.command(command)).toMatchObject({ is: 'NOT_NOW', retryAfterSeconds: 40 });
  expect((await server.connection())?.paused?.until).toBe('2026-01-15T12:00:40.000Z');
});

test('a whole connection waits a quarter of an hour at most, whatever the bank asks for', async () => {
  limit('/', '86400');
  const { client } = await server.process()();
  expect(await client.command(command)).toMatchObject({ is: 'NOT_NOW', retryAfterSeconds: 900 });
  expect((await server.connection())?.paused?.until).toBe('2026-01-15T12:15:00.000Z');
});

test.each([
  ['look-ups of QR codes', lookup, '/v2/gn/qrcodes', 'LOOKUP', '2026-01-16T12:00:00.000Z'],
  ['lists', list, '/v2/pix?', 'LIST', '2026-01-15T12:50:00.000Z'],
] as const)('a limit of %s pauses only them, for all processes', async (_what, request, path, kind, until) => {
  limit(path, '86400');
  const { client } = await server.process()();
  expect(await client.command(request)).toMatchObject({ is: 'NOT_NOW' });
  expect(await pauses()).toMatchObject({ [kind]: { until, cause: 'status 429' } });
  expect(errors).toMatchObject([{ message: 'Service paused its calls to a bank', calls: kind }]);
  expect((await server.connection())?.paused).toBeUndefined();
  for (const process of [server.process(), server.process()]) {
    const { client: other } = await process();
    expect(await other.command(request)).toMatchObject({ is: 'NOT_NOW' });
    expect(await other.command(command)).toMatchObject({ is: 'OK' });
  }
  expect(server.asked.filter((asked) => asked.path.startsWith(path))).toHaveLength(1);
  server.clock.now = until;
  server.answers(() => ({ status: 200, body: {} }));
  expect(await (await server.process()()).client.command(request)).toMatchObject({ is: 'OK' });
  expect(await pauses()).toEqual({});
});

test.each([
  ['a list', list],
  ['a look-up', lookup],
] as const)('the pause of a connection ends when the bank limits %s: it responds again', async (_what, request) => {
  server.answers(() => 'DROP');
  const { client } = await server.process()();
  for (let calls = 0; calls < 3; calls += 1) await client.command(command);
  const { until } = (await server.connection())?.paused ?? {};
  server.clock.now = until ?? '';
  limit(request.path, '60');
  expect(await client.command(request)).toMatchObject({ is: 'NOT_NOW', retryAfterSeconds: 60 });
  expect((await server.connection())?.paused).toBeUndefined();
  expect(await client.command(command)).toMatchObject({ is: 'OK' });
});

test('the end of the pause of lists leaves that of look-ups as it is', async () => {
  server.answers(() => ({ status: 429, body: {}, headers: { 'Retry-After': '86400' } }));
  const { client } = await server.process()();
  await client.command(lookup);
  await client.command(list);
  expect(Object.keys((await pauses()) ?? {}).toSorted()).toEqual(['LIST', 'LOOKUP']);
  server.clock.now = '2026-01-15T12:50:00.000Z';
  server.answers(() => ({ status: 200, body: {} }));
  expect(await client.command(list)).toMatchObject({ is: 'OK' });
  expect(Object.keys((await pauses()) ?? {})).toEqual(['LOOKUP']);
});

test('failing lists cause no pause, and failing look-ups pause look-ups alone', async () => {
  server.answers(({ path }) =>
    path.startsWith('/v2/pix?') ? 'DROP' : path === lookup.path ? { status: 500 } : { status: 200, body: {} },
  );
  const { client } = await server.process()();
  for (let calls = 0; calls < 4; calls += 1) expect(await client.command(list)).toEqual({ is: 'UNKNOWN' });
  expect(await pauses()).toBeUndefined();
  for (let calls = 0; calls < 4; calls += 1) await client.command(lookup);
  expect(server.asked.filter(({ path }) => path === lookup.path)).toHaveLength(3);
  expect((await server.connection())?.paused).toBeUndefined();
  expect(await client.command(command)).toMatchObject({ is: 'OK' });
});

test.each([
  ['PUT', '/v3/gn/pix/0123456789abcdef0123456789abcd00', 'PUT /v3/gn/pix', undefined],
  ['PUT', '/v2/gn/pix/0123456789abcdef0123456789abcd00/qrcode', 'PUT /v2/gn/pix/qrcode', undefined],
  ['PUT', '/v2/cob/0123456789abcdef0123456789abcd00', 'PUT /v2/cob', undefined],
  ['PUT', '/v2/pix/E090/devolucao/0a', 'PUT /v2/pix/devolucao', undefined],
  ['GET', '/v2/webhook/maria%40example.com', 'GET /v2/webhook', undefined],
  ['GET', '/v2/rec/RN09?txid=1', 'GET /v2/rec', undefined],
  ['GET', '/v2/gn/pix/enviados?inicio=a&fim=b', 'GET /v2/gn/pix/enviados', 'LIST'],
  ['POST', '/v2/gn/qrcodes/detalhar', 'POST /v2/gn/qrcodes/detalhar', 'LOOKUP'],
] as const)('%s %s is the operation %s', (method, path, operation, kind) => {
  expect(operationOf({ method, path })).toBe(operation);
  expect(kindOf({ method, path })).toBe(kind);
});
