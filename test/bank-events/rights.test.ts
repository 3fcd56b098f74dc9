import { expect, test } from 'vitest';
import { workers } from '#functions/workers.ts';
import { callbackTokenHash, connectionOfCallback } from '#shared/bank/connection.ts';
import { takeCalls } from '#shared/platform/rate-limit.ts';
import { memoryStore } from '../support/memory-store.ts';
import { rightsOf, storeFor } from '../support/rights.ts';
import { connectedItems, connectionId } from '../support/connected-items.ts';

/*
 * The workers that the simulated world does not run: receive-callbacks here; apply-callbacks and read-bank-lists in the
 * other tests of this folder, whose stores refuse what these workers may not do (bank-events-world.ts).
 */

const companyId = '00000000-0000-4000-8000-000000000001';
const now = '2026-01-15T15:00:00.000Z';

test('the receiver of callbacks finds its callee and counts its calls with the rights that it has', async () => {
  const store = memoryStore();
  const connection = {
    ...{ id: connectionId, clientId: 'id', companyId, apiUrl: 'https://bank.example' },
    tokenUrl: 'https://bank.example/token',
    dialect: 'EFI',
    ...{ secret: 'banking-order/test/bank/one', accounts: {}, createdAt: now },
    callback: { tokenHash: callbackTokenHash('token'), subject: 'CN=bank.example' },
  } as const;
  await store.write(connectedItems(connection), 'connect');
  const limited = storeFor(workers['receive-callbacks'].access, store);
  expect(await connectionOfCallback(limited, 'token')).toMatchObject({ companyId });
  expect(await takeCalls({ store: limited, now: () => now, random: () => 0.5 }, companyId, 3, 50_000)).toBe(true);
  expect(rightsOf(workers['receive-callbacks'].access)).toContain('callbackQueues: sends');
});

test('the workers apply-callbacks and read-bank-lists may read the secrets of the banks', () => {
  for (const name of ['apply-callbacks', 'read-bank-lists'] as const)
    expect(rightsOf(workers[name].access), name).toContain('bank');
  expect(rightsOf(workers['apply-callbacks'].access)).toContain('callbackQueues: receives');
});
