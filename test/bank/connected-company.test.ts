import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startLocalBank } from '@banking-order/fake-bank';
import type { BankConnection } from '#shared/bank/connection.ts';
import { account, companyOne, payInBody } from '../support/bank-world.ts';
import type { ClockWorld } from '../support/clock-world.ts';
import { clockWorld } from '../support/clock-world.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { connectedItems, connectionId } from '../support/connected-items.ts';
import { refused } from '../support/refusals.ts';

/** Whose bank has everything moves by what that bank says, and by nothing else. */

const connection: BankConnection = {
  ...{ companyId: companyOne, id: connectionId, clientId: 'id', dialect: 'EFI', secret: 'banking-order/hml/bank/one' },
  apiUrl: 'https://pix-h.api.efipay.com.br',
  tokenUrl: 'https://pix-h.api.efipay.com.br/oauth/token',
  callback: { tokenHash: 'f'.repeat(64), subject: 'CN=bank' },
  accounts: {
    [account]: { chave: 'a@example.com', agencia: '0001', conta: '1', tipoConta: 'PAGAMENTO' },
  },
  createdAt: '2026-01-15T12:00:00.000Z',
};

let world: ClockWorld;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  world = await clockWorld();
});
afterEach(() => {
  vi.useRealTimers();
});
const canNow = async () => world.bank.capabilities(companyOne, await world.bank.connectionOf(companyOne, account));
/** What a process knew of the company, that it has no connection, is a minute old. */
const connect = async (more: Partial<BankConnection> = {}): Promise<void> => {
  await world.store.write(connectedItems({ ...connection, ...more }), world.ids.uuid());
  vi.setSystemTime(Date.now() + 60_000);
};

/** A pay-in that was given to the connection. */
async function givenOrder(): Promise<string> {
  world.bank.connectionOf = () => Promise.resolve(undefined);
  const { body } = await world.createPayIn({ companyId: companyOne, key: crypto.randomUUID(), body: payInBody() });
  const { id } = body as { readonly id: string };
  const update = { update: keys.order(companyOne, id), set: { connection: connectionId } };
  await world.store.writeOne({ ...update, when: { is: 'present' } });
  return id;
}

test('no tool and no clock moves what a bank of the company has', async () => {
  const id = await givenOrder();
  await connect();
  const before = world.items().length;
  refused(await world.forceOrder(id, 'PAID'), 409, ['id:INVALID_VALUE']);
  refused(await world.put({ advanceSeconds: 60 }), 409, ['now:INVALID_VALUE']);
  expect(world.items()).toHaveLength(before);
});

test('tools and clock of a company whose bank runs on this machine move that bank; due work is left to the worker', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bank-tools-'));
  const bank = await startLocalBank({ dir: folder });
  onTestFinished(async () => {
    await bank.close();
    rmSync(folder, { recursive: true });
  });
  const body = payInBody({ expiresInSeconds: 600 });
  const { body: order } = await world.createPayIn({ companyId: companyOne, key: 'k', body });
  const { id } = order as { readonly id: string };
  const control = { url: bank.controlUrl, client: bank.client.id };
  await connect({ apiUrl: bank.apiUrl, control });
  const aheadOfUs = async (): Promise<number> => {
    const clock = await fetch(`${bank.controlUrl}/clock`, { method: 'POST', body: '{}' });
    return Date.parse(((await clock.json()) as { readonly now: string }).now) - Date.parse(world.clock.now);
  };
  expect(await world.turn({ advanceSeconds: 3600 })).toMatchObject({ jobsRun: 0, remaining: 1 });
  expect(Math.abs(await aheadOfUs())).toBeLessThan(60_000);
  expect((await world.reset()).status).toBe(200);
  expect(Math.abs(await aheadOfUs())).toBeLessThan(60_000);
  expect((await world.forceOrder(id, 'ERROR')).status).toBe(200);
  const given = await givenOrder();
  // This bank knows no such charge.
  expect((await world.forceOrder(given, 'PAID')).text).toMatch(/The bank says: .*no such charge/u);
  refused(await world.forceOrder(given, 'ERROR'), 409, ['status:TRANSITION_NOT_ALLOWED']);
  await connect({ control: { ...control, url: 'http://127.0.0.1:1' } });
  expect(await world.forceOrder(given, 'PAID')).toMatchObject({ status: 503 });
});

test('a company that was connected meanwhile has the simulated bank for a minute at most', async () => {
  const asks = vi.spyOn(world.store, 'read');
  await canNow();
  vi.setSystemTime(Date.now() + 59_000);
  expect(await canNow()).toMatchObject({ settlementDriver: 'simulation' });
  expect(asks).not.toHaveBeenCalled();
  await connect();
  expect(await canNow()).toMatchObject({ settlementDriver: 'bank' });
});
