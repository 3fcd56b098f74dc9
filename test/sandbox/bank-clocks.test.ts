import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { BankConnection } from '#shared/bank/connection.ts';
import { connectionPut } from '#shared/bank/connection.ts';
import { turnBankClock } from '#shared/sandbox/bank-tools.ts';
import { companyOne, noon, otherCompany, payInBody } from '#test/support/bank-world.ts';
import { clockWorld } from '#test/support/clock-world.ts';
import { memoryStore } from '#test/support/memory-store.ts';

const later = '2027-01-15T15:00:00.000Z';

/** The control surface of banks on this machine, and what each was asked. */
async function banks(): Promise<{ readonly url: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push(`${request.url ?? ''} ${body}`);
      response.end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function connection(place: number, url: string, more: Partial<BankConnection> = {}): BankConnection {
  return {
    id: `cccccccc-cccc-4ccc-8ccc-00000000000${place}`,
    companyId: companyOne,
    dialect: 'EFI',
    apiUrl: url,
    tokenUrl: `${url}/token`,
    clientId: `client-${place}`,
    secret: 'secret',
    callback: { tokenHash: `hash-${place}`, subject: 'CN=bank' },
    accounts: {},
    control: { url: `${url}/${place}`, client: `client-${place}` },
    createdAt: noon,
    ...more,
  };
}

test.each([0, 1, 2, 3])('the clock of each of %i banks on this machine is set, and of no other bank', async (count) => {
  const { url, asked } = await banks();
  const store = memoryStore();
  const { control: _, ...remote } = connection(4, url);
  const connections = [
    ...Array.from({ length: count }, (_, place) => connection(place, url)),
    remote,
    connection(5, url, { endedAt: noon }),
    connection(6, url, { companyId: otherCompany }),
  ];
  await store.write(connections.flatMap(connectionPut), 'given');
  await turnBankClock({ store, companyId: companyOne }, later);
  expect([...asked].sort()).toEqual(
    Array.from(
      { length: count },
      (_, place) => `/${place}/clock ${JSON.stringify({ client: `client-${place}`, now: later })}`,
    ),
  );
});

/** A company with a bank on this machine, whose clock is an hour ahead, and a charge at the simulated bank. */
async function connectedWorld(url: string) {
  const world = await clockWorld();
  await world.createPayIn({ companyId: companyOne, body: payInBody({ expiresInSeconds: 60 }), key: 'k' });
  await world.store.write(connectionPut(connection(1, url)), 'given');
  return world;
}

test('an advance runs no job of a company with a bank on this machine: the worker that calls that bank does', async () => {
  const { url, asked } = await banks();
  const world = await connectedWorld(url);
  expect(await world.turn({ advanceSeconds: 3600 })).toMatchObject({ jobsRun: 0, jobs: [], remaining: 1 });
  expect(asked).toHaveLength(1);
  expect(world.items('PAY_IN')).toMatchObject([{ status: 'PENDING' }]);
});

test('a reset changes no clock when a bank on this machine does not respond, and is carried out when it does', async () => {
  const { url } = await banks();
  const world = await connectedWorld(url);
  await world.turn({ advanceSeconds: 3600 });
  const ahead = { offsetSeconds: 3600 };
  await world.store.write(connectionPut(connection(2, 'http://127.0.0.1:9')), 'silent');
  expect(await world.reset()).toMatchObject({ status: 503 });
  expect((await world.shown()).body).toMatchObject(ahead);
  await world.store.write(
    connectionPut(connection(2, url)).map(({ put }) => ({ put })),
    'responds',
  );
  expect(await world.reset()).toMatchObject({ status: 200, body: { offsetSeconds: 0 } });
});
