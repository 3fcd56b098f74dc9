import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startLocalBank } from '#infra/local/bank/start.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { connectionPut } from '#shared/bank/connection.ts';
import type { Answer } from '../support/api.ts';
import { account, companyOne, payInBody } from '../support/bank-world.ts';
import type { ClockWorld } from '../support/clock-world.ts';
import { clockWorld } from '../support/clock-world.ts';

/** Whose bank has everything moves by what that bank says, and by nothing else. */

const connection: BankConnection = {
  ...{ companyId: companyOne, dialect: 'EFI', secret: 'banking-order/hml/bank/one' },
  apiUrl: 'https://pix-h.api.efipay.com.br',
  tokenUrl: 'https://pix-h.api.efipay.com.br/oauth/token',
  callback: { tokenHash: 'f'.repeat(64), subject: 'CN=bank' },
  accounts: {
    [account]: { chave: 'a@example.com', agencia: '0001', conta: '1', tipoConta: 'PAGAMENTO' },
  },
  createdAt: '2026-01-15T12:00:00.000Z',
};
const faultOf = ({ status, body }: Answer) => {
  const { details } = body as { readonly details: readonly { readonly field: string; readonly issue: string }[] };
  return [status, ...details.map(({ field, issue }) => `${field} ${issue}`)];
};

let world: ClockWorld;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  world = await clockWorld();
});
afterEach(() => {
  vi.useRealTimers();
});
/** What a process knew of the company, that it has no connection, is a minute old. */
const connect = async (more: Partial<BankConnection> = {}): Promise<void> => {
  await world.store.write(connectionPut({ ...connection, ...more }), world.ids.uuid());
  vi.setSystemTime(Date.now() + 60_000);
};

test('no tool and no clock moves what a bank of the company has', async () => {
  await connect();
  const before = world.items().length;
  const id = '0000beef-0000-4000-8000-000000000000';
  expect(faultOf(await world.forceOrder(id, 'PAID'))).toEqual([409, 'id INVALID_VALUE']);
  expect(faultOf(await world.force(id, 'ACCEPTED'))).toEqual([409, 'id INVALID_VALUE']);
  expect(faultOf(await world.forceSubscription(id, 'ACCEPTED'))).toEqual([409, 'id INVALID_VALUE']);
  expect(faultOf(await world.put({ advanceSeconds: 60 }))).toEqual([409, 'now INVALID_VALUE']);
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
  // The simulated bank had it: this one knows no such charge.
  expect((await world.forceOrder(id, 'PAID')).text).toMatch(/The bank says: .*no such charge/u);
  expect(faultOf(await world.forceOrder(id, 'ERROR'))).toEqual([409, 'status TRANSITION_NOT_ALLOWED']);
  await connect({ control: { ...control, url: 'http://127.0.0.1:1' } });
  expect(await world.forceOrder(id, 'PAID')).toMatchObject({ status: 503 });
});

test('a company that was connected meanwhile has the simulated bank for a minute at most', async () => {
  const asks = vi.spyOn(world.store, 'read');
  await world.bank.capabilities(companyOne);
  vi.setSystemTime(Date.now() + 59_000);
  expect(await world.bank.capabilities(companyOne)).toMatchObject({ whoMoves: 'simulation' });
  expect(asks).not.toHaveBeenCalled();
  await connect();
  expect(await world.bank.capabilities(companyOne)).toMatchObject({ whoMoves: 'bank' });
});
