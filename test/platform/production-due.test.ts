import { expect, test } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { bankWorld, companyOne, noon, payInBody, payoutBody } from '../support/bank-world.ts';
import { isDueEverywhere } from '../support/due.ts';
import { productionStore } from '../support/production-store.ts';

const later = plusSeconds(noon, 86_400);
let keys = 0;
const asked = (body: object) => ({ companyId: companyOne, body, key: `key-${(keys += 1)}` });

async function bankOf(): Promise<ReturnType<typeof bankWorld>> {
  const world = bankWorld({ wrap: productionStore });
  await world.openAccount(1_000_000);
  return world;
}

/** What is due of orders: where it stands across companies, and in its own. */
function due(world: ReturnType<typeof bankWorld>): readonly unknown[] {
  return world
    .items()
    .filter((item) => isDueEverywhere(item) && item['entity'] !== 'DELIVERY')
    .map((item) => [item['entity'], item['GSI2PK']]);
}

test('a payout that the bank left open is handed over again, without a place in its company', async () => {
  const world = await bankOf();
  world.bank.payouts.send.submit = () => Promise.reject(new Error('The line is dead.'));
  expect((await world.createPayout(asked(payoutBody()))).status).toBe(201);
  expect(due(world)).toEqual([['PAYOUT', undefined]]);
  world.clock.now = plusSeconds(noon, 180);
  expect(await world.submitPayouts()).toMatchObject({ failed: 1 });
  expect(due(world), 'it stays due').toEqual([['PAYOUT', undefined]]);
  world.bank.payouts.send.submit = world.simulated.payouts.send.submit;
  world.clock.now = later;
  expect(await world.submitPayouts()).toMatchObject({ submitted: 1, failed: 0 });
  expect(due(world)).toEqual([]);
  const [payout] = world.items('PAYOUT');
  expect((await world.force(payout?.['id'] as string, 'PAID')).status).toBe(200);
  expect(world.items('PAYOUT')).toMatchObject([{ status: 'PAID', GSI2PK: `C#${companyOne}#LIST#PAYOUT#PAID` }]);
});

test('a pay-in expires, and a refund is handed over again', async () => {
  const world = await bankOf();
  const [paid] = [await world.createPayIn(asked(payInBody())), await world.createPayIn(asked(payInBody()))];
  const { id } = paid.body as { id: string };
  await world.force(id, 'PAID');
  world.bank.refunds.submit = () => Promise.reject(new Error('The line is dead.'));
  expect((await world.refundPayIn({ ...asked({}), params: { id } })).status).toBe(201);
  expect(due(world)).toEqual([
    ['PAY_IN', undefined],
    ['REFUND', undefined],
  ]);
  world.bank.refunds.submit = world.simulated.refunds.submit;
  world.clock.now = later;
  expect(await world.submitCommands()).toEqual({ submitted: 1, failed: 0 });
  expect(await world.expirePayIns()).toMatchObject({ expired: 1, failed: 0 });
  expect(due(world)).toEqual([]);
});
