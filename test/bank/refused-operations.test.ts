import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readBankCalls } from '#shared/bank/calls/bank-calls.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { collectErrors } from '../support/logged.ts';
import type { ScriptedBank } from './scripted-bank.ts';
import { companyId, scriptedBank } from './scripted-bank.ts';
import { connectionId } from '../support/connected-items.ts';

const reference = '0123456789abcdef0123456789abcd00';
const send = { method: 'PUT', path: `/v3/gn/pix/${reference}`, body: {} } as const;
const charge = { method: 'PUT', path: `/v2/cob/${reference}`, body: {} } as const;
const forbidden = { status: 403, body: { type: 'https://pix.bcb.gov.br/api/v2/error/AcessoNegado', title: 'x' } };

let server: ScriptedBank;
let errors: ReturnType<typeof collectErrors>;
beforeEach(async () => {
  errors = collectErrors();
  server = await scriptedBank(({ path }) => (path.startsWith('/v3/') ? forbidden : { status: 200, body: {} }));
});
afterEach(() => {
  vi.restoreAllMocks();
  server.close();
});
const refusals = async () => (await readBankCalls(server.store, { companyId, id: connectionId }))?.refusals;
const countWrites = (store: Store) => vi.spyOn(store, 'writeOne');

test('a command that the bank refuses by 403 rings, and its operation is kept until its first success', async () => {
  const { client } = await server.process()();
  expect(await client.command(charge)).toMatchObject({ is: 'OK' });
  expect(await refusals()).toBeUndefined();
  expect(await client.command(send)).toMatchObject({ is: 'NOT_NOW' });
  expect(errors).toMatchObject([
    { message: 'Bank refused the access of a company', companyId, cause: 'status 403', operation: 'PUT /v3/gn/pix' },
  ]);
  const at = server.clock.now;
  const kept = { 'PUT /v3/gn/pix': { status: 403, code: 'AcessoNegado', since: at, last: at, count: 1 } };
  expect(await refusals()).toEqual(kept);
  // Neither another operation nor another process ends it.
  expect(await client.command(charge)).toMatchObject({ is: 'OK' });
  const { client: other } = await server.process()();
  expect(await other.command(charge)).toMatchObject({ is: 'OK' });
  expect(await refusals()).toEqual(kept);
  server.answers(() => ({ status: 200, body: {} }));
  expect(await other.command(send)).toMatchObject({ is: 'OK' });
  expect(await refusals()).toEqual({});
});

test('a refusal that goes on is written once a minute, with all that it met', async () => {
  const writes = countWrites(server.store);
  const { client } = await server.process()();
  for (let calls = 0; calls < 10; calls += 1) await client.command(send);
  expect(writes).toHaveBeenCalledTimes(1);
  server.clock.now = '2026-01-15T12:01:00.000Z';
  await client.command(send);
  expect(writes).toHaveBeenCalledTimes(2);
  const { since, last, count } = (await refusals())?.['PUT /v3/gn/pix'] ?? {};
  expect({ since, last, count }).toEqual({
    ...{ since: '2026-01-15T12:00:00.000Z', last: '2026-01-15T12:01:00.000Z', count: 11 },
  });
});

test('another status of the same operation is written at once; several operations are kept beside each other', async () => {
  const { client } = await server.process()();
  await client.command(send);
  server.answers(() => ({ status: 401 }));
  await client.command(send);
  await client.command(charge);
  expect(await refusals()).toMatchObject({ 'PUT /v3/gn/pix': { status: 401 }, 'PUT /v2/cob': { status: 401 } });
});

test('a table that fails costs no answer of the bank', async () => {
  const { client } = await server.process()();
  await client.command(charge);
  vi.spyOn(server.store, 'writeOne').mockRejectedValue(new Error('no table'));
  expect(await client.command(send)).toMatchObject({ is: 'NOT_NOW' });
  vi.restoreAllMocks();
  collectErrors();
  expect(await client.command(send)).toMatchObject({ is: 'NOT_NOW' });
  expect(Object.keys((await refusals()) ?? {})).toEqual(['PUT /v3/gn/pix']);
});

test('two processes at once keep what each met', async () => {
  server.answers(() => forbidden);
  const clients = await Promise.all([server.process()(), server.process()()]);
  await Promise.all([clients[0].client.command(send), clients[1].client.command(charge)]);
  for (const { client } of clients) await client.command(send);
  for (const { client } of clients) await client.command(charge);
  expect(Object.keys((await refusals()) ?? {}).toSorted()).toEqual(['PUT /v2/cob', 'PUT /v3/gn/pix']);
});
