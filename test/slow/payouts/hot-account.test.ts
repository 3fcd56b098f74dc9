import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HttpResponse, Partner } from '@banking-order/partner-tools';
import { connectPartner, send } from '@banking-order/partner-tools';
import { GetBalance } from '#functions/accounts/balance/contract.ts';
import { ListEntries } from '#functions/accounts/list-entries/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { setShards } from '#infra/operator/accounts/accounts.ts';
import { connectTarget } from '#infra/operator/target.ts';
import { startContendedDatabase } from '#test/support/contended-database.ts';
import type { TestEngine } from '#test/support/engine.ts';
import { startEngine } from '#test/support/engine.ts';
import type { LocalProcess } from '#test/support/environment-local.ts';
import { startLocalProcess } from '#test/support/environment-local.ts';

/** Milliseconds for which a transaction holds its items: longer than on AWS, so that few payouts a second are many. */
const holdMs = 250;
const payouts = { hot: 36, other: 3 } as const;
const withinMs = 4000;

const folder = mkdtempSync(join(tmpdir(), 'hot-account-'));
let engine: TestEngine;
let database: Awaited<ReturnType<typeof startContendedDatabase>>;
let local: LocalProcess;
let hot: Partner;
let other: Partner;

beforeAll(async () => {
  engine = await startEngine();
  database = await startContendedDatabase(engine.endpoint, holdMs);
  local = await startLocalProcess({ folder, retryDelaysSeconds: '1', database: database.url });
  const [first, second] = local.sandbox.companies;
  hot = connectPartner(local.sandbox, first, send, 'CLOSED');
  other = connectPartner(local.sandbox, second, send, 'CLOSED');
});
afterAll(async () => {
  await local.stop();
  await database.stop();
  await engine.stop();
  rmSync(folder, { recursive: true });
});

const accountOf = ({ accounts }: Partner): string => accounts[0]!.id;

async function balanceOf(partner: Partner) {
  const { body } = await partner.call(GetBalance, { params: { accountId: accountOf(partner) } });
  return { available: Math.round(100 * Number(body.available)), reserved: Math.round(100 * Number(body.reserved)) };
}

/** Sends payouts of one real, evenly in time. @returns their responses */
async function payAll(partner: Partner, count: number, name: string): Promise<readonly HttpResponse[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, place) => {
      await sleep((place / count) * withinMs);
      const body = {
        ...{ externalId: `${name}-${place}`, accountId: accountOf(partner), paymentMethod: 'PIX', description: 'Hot' },
        ...{ amount: { currency: 'BRL', value: '1.00' }, paymentData: { pixKey: 'maria@example.com' } },
      };
      return partner.answer(CreatePayout, { body });
    }),
  );
}

const statusesOf = (responses: readonly HttpResponse[]) =>
  [...new Set(responses.map(({ status }) => status))].toSorted();

test('one busy account gets 429 and delays no other, and with shards all of its payouts pass', async () => {
  const before = await balanceOf(hot);
  const [crowded, beside] = await Promise.all([
    payAll(hot, payouts.hot, 'one-shard'),
    payAll(other, payouts.other, 'beside'),
  ]);
  expect(statusesOf(crowded)).toEqual([201, 429]);
  for (const { headers } of crowded.filter(({ status }) => status === 429)) expect(headers['retry-after']).toBe('1');
  expect(statusesOf(beside)).toEqual([201]);
  const met = database.conflicts();

  const operator = connectTarget({ localDir: folder }, {});
  await setShards(operator, { companyId: hot.companyId, accountId: accountOf(hot), shards: 32 });
  const spread = await payAll(hot, payouts.hot, 'shards');
  expect(statusesOf(spread)).toEqual([201]);
  expect(database.conflicts() - met).toBeLessThan(met / 4);

  const created = [...crowded, ...spread].filter(({ status }) => status === 201).length;
  const { available, reserved } = await balanceOf(hot);
  expect({ available, reserved }).toEqual({ available: before.available - 100 * created, reserved: 100 * created });
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: '100', ...(cursor !== undefined && { cursor }) };
    const { body } = await hot.call(ListEntries, { params: { accountId: accountOf(hot) }, query });
    ids.push(...body.data.flatMap(({ type, orderId = '' }) => (type === 'PAYOUT_RESERVED' ? [orderId] : [])));
    cursor = body.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(new Set(ids).size).toBe(created);
  expect(ids).toHaveLength(created);
});
