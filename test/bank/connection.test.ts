import { expect, test } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import {
  callbackTokenHash,
  connectionOfCallback,
  connectionPut,
  connectionUpdate,
  countUnknownKey,
  readBanks,
  servedDelete,
  servedPut,
  unknownKeysWait,
  writePause,
} from '#shared/bank/connection.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { knownConnections } from '#shared/bank/known-connections.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import { connectedItems, connectionId, onlyConnection } from '../support/connected-items.ts';

const connection: BankConnection = {
  id: connectionId,
  clientId: 'client',
  companyId: '11111111-1111-4111-8111-111111111111',
  dialect: 'EFI',
  apiUrl: 'https://pix.example',
  tokenUrl: 'https://pix.example/oauth/token',
  secret: 'banking-order/Hml/bank/11111111-1111-4111-8111-111111111111',
  callback: { tokenHash: callbackTokenHash('one'), subject: 'CN=bank' },
  accounts: { a: { chave: 'caixa@example.com', agencia: '0001', conta: '123456', tipoConta: 'PAGAMENTO' } },
  capabilities: { recurrences: false, payouts: { byKey: true } },
  paused: { until: '2030-01-01T00:00:00.000Z', cause: '429', failures: 2 },
  createdAt: '2029-01-01T00:00:00.000Z',
};

test('a connection is read as it was written, and leads from the token of a callback to its company', async () => {
  const store = memoryStore();
  expect(await onlyConnection(store, connection.companyId)).toBeUndefined();
  expect(await store.write(connectionPut(connection), 'connect')).toEqual({ ok: true });
  expect(await onlyConnection(store, connection.companyId)).toEqual(connection);
  expect(await connectionOfCallback(store, 'one')).toEqual(connection);
  expect(await connectionOfCallback(store, 'two')).toBeUndefined();
});

test.each([true, false])(
  'a connection is found by its id as soon as it was added, with a simulated bank (%s) for companies without one',
  async (hasSimulatedBank) => {
    const store = memoryStore();
    const known = knownConnections(store, hasSimulatedBank);
    expect(await known.find(connection.companyId, connection.id)).toBeUndefined();
    await store.write(connectionPut(connection), 'connect');
    expect((await known.list(connection.companyId)).connections).toEqual([]);
    expect(await known.find(connection.companyId, connection.id)).toEqual(connection);
  },
);

test('a callback token that was replaced finds no connection, and no token becomes another company’s', async () => {
  const store = memoryStore();
  await store.write(connectionPut(connection), 'connect');
  const next = { ...connection, callback: { ...connection.callback, tokenHash: callbackTokenHash('two') } };
  await store.write(connectedItems(next), 'replace');
  expect(await connectionOfCallback(store, 'one')).toBeUndefined();
  expect(await connectionOfCallback(store, 'two')).toEqual(next);
  const stranger = { ...connection, companyId: '22222222-2222-4222-8222-222222222222' };
  expect((await store.write(connectionPut(stranger), 'steal')).ok).toBe(false);
  expect(await onlyConnection(store, stranger.companyId)).toBeUndefined();
});

test('payouts to unknown keys are all counted, also by workers with a stale connection, for one hour', async () => {
  const store = memoryStore();
  await store.write(connectedItems(connection), 'connect');
  const read = async () => (await onlyConnection(store, connection.companyId))!;
  const at = '2029-02-01T12:00:00.000Z';
  const count = (known: BankConnection, seconds: number) => countUnknownKey(store, known, plusSeconds(at, seconds));
  await Promise.all(Array.from({ length: 20 }, (_, place) => count(connection, place)));
  expect(await read()).toMatchObject({ unknownKeys: 20, unknownKeysSince: at });
  expect(unknownKeysWait(await read(), plusSeconds(at, 60))).toBeUndefined();
  await count(connection, 60);
  expect(unknownKeysWait(await read(), plusSeconds(at, 60))).toBe(3540);
  expect(unknownKeysWait(await read(), plusSeconds(at, 3599))).toBe(1);
  expect(unknownKeysWait(await read(), plusSeconds(at, 3600))).toBeUndefined();
  const known = await read();
  await Promise.all([count(known, 3600), count(known, 3600)]);
  expect(await read()).toMatchObject({ unknownKeys: 2, unknownKeysSince: plusSeconds(at, 3600) });
  const { callback, accounts, capabilities } = connection;
  expect(await read()).toMatchObject({ callback, accounts, capabilities });
});

test('a pause is written only over the one that was read, and is removed as a whole', async () => {
  const store = memoryStore();
  await store.write(connectedItems(connection), 'connect');
  const seen = connection.paused!;
  const next = { until: '2030-01-01T00:01:00.000Z', cause: '503', failures: 3 };
  const write = (...[to, from]: [typeof seen | undefined, typeof seen | undefined]) =>
    writePause(store, connection, to, from);
  expect(await write(next, undefined)).toBe(false);
  expect(await write(next, next)).toBe(false);
  expect(await write(next, seen)).toBe(true);
  expect(await write(undefined, seen)).toBe(false);
  expect((await onlyConnection(store, connection.companyId))?.paused).toEqual(next);
  expect(await write(undefined, next)).toBe(true);
  expect((await onlyConnection(store, connection.companyId))?.paused).toBeUndefined();
  expect(await write(seen, undefined)).toBe(true);
});

test('a connection that has ended does not change, and only the one that serves an account leaves it', async () => {
  const store = memoryStore();
  await store.write([...connectionPut(connection), servedPut(connection, 'a')], 'connect');
  const other = { ...connection, id: 'dddddddd-dddd-4ddd-8ddd-dddddddddddd' };
  expect((await store.write([servedDelete(other, 'a')], 'another')).ok).toBe(false);
  expect((await store.write([connectionUpdate(connection, { endedAt: connection.createdAt })], 'end')).ok).toBe(true);
  expect((await store.write([connectionUpdate(connection, { accounts: {} })], 'after')).ok).toBe(false);
  expect((await readBanks(store, connection.companyId)).serving).toEqual(new Map([['a', connection.id]]));
  expect((await store.write([servedDelete(connection, 'a')], 'own')).ok).toBe(true);
});

test('the connections of a company are read oldest first, whatever their ids are', async () => {
  const store = memoryStore();
  const createdConnections = [
    ['eeeeeeee-eeee-4eee-8eee-eeeeeeeeeeee', '2029-01-01T00:00:00.000Z'],
    ['dddddddd-dddd-4ddd-8ddd-dddddddddddd', '2029-01-02T00:00:00.000Z'],
    ['ffffffff-ffff-4fff-8fff-ffffffffffff', '2029-01-03T00:00:00.000Z'],
  ] as const;
  for (const [id, createdAt] of createdConnections) {
    const callback = { ...connection.callback, tokenHash: callbackTokenHash(id) };
    await store.write(connectionPut({ ...connection, id, createdAt, callback }), id);
  }
  const { connections } = await readBanks(store, connection.companyId);
  expect(connections.map(({ id }) => id)).toEqual(createdConnections.map(([id]) => id));
});
