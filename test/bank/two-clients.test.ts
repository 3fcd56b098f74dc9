import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectionUpdate } from '#shared/bank/connection.ts';
import { connections } from '#shared/bank/connections.ts';
import { knownConnections } from '#shared/bank/known-connections.ts';
import { connectedItems, connectionId } from '../support/connected-items.ts';
import { collectErrors } from '../support/logged.ts';
import type { ScriptedBank } from './scripted-bank.ts';
import { companyId, scriptedBank } from './scripted-bank.ts';

/** Two connections of one company in one process: each has its own bank, token, secret and pause. */

const second = 'cccccccc-cccc-4ccc-8ccc-000000000002';
const request = { method: 'GET', path: '/v2/cob/1' } as const;

let one: ScriptedBank;
let two: ScriptedBank;
let secrets: string[];
beforeEach(async () => {
  collectErrors();
  secrets = [];
  one = await scriptedBank(() => ({ status: 200, body: {} }));
  two = await scriptedBank(() => ({ status: 200, body: {} }));
  const own = await one.connection();
  if (own === undefined) throw new Error('The company is not connected.');
  const callback = { tokenHash: 'e'.repeat(64), subject: 'CN=bank' };
  const { apiUrl } = two;
  const other = { ...own, id: second, apiUrl, tokenUrl: `${apiUrl}/oauth/token`, secret: 'the-second', callback };
  await one.store.write(connectedItems(other), 'connect-second');
});
afterEach(() => {
  one.close();
  two.close();
});
const process = () =>
  connections({
    ...{ store: one.store, known: knownConnections(one.store, false), now: () => one.clock.now },
    fetchSecret: (name) => {
      secrets.push(name);
      return Promise.resolve(JSON.stringify(one.secret));
    },
    ...{ allowLocal: true, report: () => undefined },
  });

test('each is called at its own bank, by its own secret and token', async () => {
  const connect = process();
  for (const id of [connectionId, second, connectionId])
    expect(await (await connect(companyId, id))?.client.command(request)).toMatchObject({ is: 'OK' });
  expect([one.asked.length, two.asked.length]).toEqual([2, 1]);
  expect([one.counts.tokens, two.counts.tokens]).toEqual([1, 1]);
  expect(secrets).toEqual(['the-name-of-the-secret', 'the-second']);
});

test('the pause of one does not stop the other', async () => {
  const connect = process();
  one.answers(() => ({ status: 429, headers: { 'retry-after': '60' } }));
  expect(await (await connect(companyId, connectionId))?.client.command(request)).toMatchObject({ is: 'NOT_NOW' });
  expect((await one.connection())?.paused).toBeDefined();
  expect(await (await connect(companyId, second))?.client.command(request)).toMatchObject({ is: 'OK' });
});

test('one that has ended has no bank, and the other goes on', async () => {
  const own = await one.connection();
  if (own !== undefined) await one.store.write([connectionUpdate(own, { endedAt: one.clock.now })], 'end');
  const connect = process();
  expect(await connect(companyId, connectionId)).toBeUndefined();
  expect(await (await connect(companyId, second))?.client.command(request)).toMatchObject({ is: 'OK' });
});
