import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startLocalBank } from '@banking-order/fake-bank';
import { bankReader } from '#shared/bank/dialects/efi/reader.ts';
import { apiPixRecurrences } from '#shared/bank/dialects/efi/recurrences.ts';
import { submitOnce } from '#shared/bank/bank.ts';
import { connections } from '#shared/bank/connections.ts';
import { knownConnections } from '#shared/bank/known-connections.ts';
import { checkedRecurrences } from '#shared/bank/ports/recurrences.ts';
import { brasiliaDate, plusDays } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import type { BankEventContext } from '#shared/bank-events/context.ts';
import { endUnclaimed } from '#shared/bank-events/unclaimed-recurrences.ts';
import { first, payer } from '../bank/bank-orders.ts';
import { accountId, companyId } from '../bank/scripted-bank.ts';
import { memoryStore } from '../support/memory-store.ts';
import { connectedItems, connectionId } from '../support/connected-items.ts';

test('an unclaimed rec whose response was lost is canceled at the local bank, and that of a late repetition is kept', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'unclaimed-'));
  const bank = await startLocalBank({ dir });
  onTestFinished(async () => {
    await bank.close();
    rmSync(dir, { recursive: true });
  });
  const controlBank = async (name: string, body: object): Promise<unknown> =>
    (await fetch(`${bank.controlUrl}/${name}`, { method: 'POST', body: JSON.stringify(body) })).json();
  let nowMs = Date.now();
  const now = (): string => new Date(nowMs).toISOString();
  const read = (file: string): string => readFileSync(file, 'utf8');
  const { client, apiUrl, tokenUrl } = bank;
  const secret = JSON.stringify({
    ...{ clientId: client.id, clientSecret: client.secret, authorities: read(bank.caFile) },
    ...{ certificate: read(client.certFile), key: read(client.keyFile) },
  });
  const connection = {
    ...({ id: connectionId, clientId: client.id } as const),
    ...({ companyId, dialect: 'EFI', apiUrl, tokenUrl, secret: 'name', createdAt: now() } as const),
    callback: { tokenHash: 'f'.repeat(64), subject: 'CN=bank' },
    accounts: { [accountId]: client.accounts[0]! },
  };
  const store = memoryStore();
  await store.write(connectedItems(connection), 'connect');
  const fetchSecret = () => Promise.resolve(secret);
  const known = knownConnections(store, false);
  const connected = (await connections({ store, known, now, fetchSecret, allowLocal: true, report: () => undefined })(
    companyId,
    connectionId,
  ))!;
  const recurrences = checkedRecurrences(apiPixRecurrences(connected));
  // The part of it that ends unclaimed recurrences.
  const context = {
    ...{ store, companyId, now, connection, bank: { recurrences } },
    reader: bankReader(connected.client, now),
  } as unknown as BankEventContext;
  const open = async (reference: string) => {
    const order = {
      ...{ reference, externalId: reference, frequencyType: 'MONTHLY', allowChargeAfterDueDate: false },
      ...{ startDate: plusDays(brasiliaDate(now()), 20), fixedAmount: centavos(2990), accountId },
      ...{ receiver: payer, debtor: payer },
    };
    return submitOnce(recurrences.open, order, { companyId, connection: connectionId, at: now() }, first);
  };
  const statuses = async () =>
    ((await controlBank('state', {})) as { readonly recs: readonly { readonly status: string }[] }).recs.map(
      ({ status }) => status,
    );
  await controlBank('fault', { fault: 'LOSE_ANSWER', method: 'POST', path: '^/v2/rec$', times: 1 });
  await controlBank('fault', { fault: 'LOSE_REQUEST', method: 'GET', path: '^/v2/locrec', times: 1 });
  expect(await open('1'.repeat(32))).toMatchObject({ outcome: 'UNKNOWN' });
  expect(await statuses()).toEqual(['CRIADA']);
  nowMs += 3_600_000;
  expect(await endUnclaimed(context)).toMatchObject({ unclaimed: 0, failed: 0 });
  // A repetition that late opens another.
  expect(await open('1'.repeat(32))).toMatchObject({ outcome: 'DONE' });
  nowMs += 600_000;
  expect(await endUnclaimed(context)).toMatchObject({ unclaimed: 1, failed: 0 });
  expect((await statuses()).toSorted()).toEqual(['CANCELADA', 'CRIADA']);
});
