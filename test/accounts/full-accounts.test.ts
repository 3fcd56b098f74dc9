import { beforeEach, expect, test } from 'vitest';
import { maxBalancePart } from '#shared/platform/ledger/balance.ts';
import type { Answer } from '../support/api.ts';
import type { World } from '../support/bank-world.ts';
import { account, bankWorld, companyOne, payInBody, payoutBody } from '../support/bank-world.ts';
import { refused } from '../support/refusals.ts';

/** An account that holds all that an account can hold but 30 BRL, and one that pays. */
const payer = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
let world: World;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(maxBalancePart - 30_00);
  await world.openAccount(100_00, { id: payer, document: { type: 'CPF', number: '39053344705' } });
});

let keys = 0;
const asked = (body: object) => ({ companyId: companyOne, key: `k-${(keys += 1)}`, body });
const bodyOf = async (response: Promise<Answer>): Promise<{ id: string; qrcodeData: string }> =>
  (await response).body as { id: string; qrcodeData: string };
const charge = () => bodyOf(world.createPayIn(asked(payInBody())));
const shown = async (id: string) =>
  [
    (await world.getPayIn({ companyId: companyOne, params: { id } })).body,
    (await world.getPayout({ companyId: companyOne, params: { id } })).body,
  ].map((body) => (body as { status?: string }).status);
const money = async (accountId: string) =>
  (await world.getBalance({ companyId: companyOne, params: { accountId } })).body;

/** The tool is refused, and nothing has happened. */
async function refusedToTool(id: string): Promise<void> {
  const before = structuredClone(world.items());
  refused(await world.force(id, 'PAID'), 409, ['amount:LIMIT_EXCEEDED']);
  expect(world.items()).toEqual(before);
}

test('a pay-in that the account cannot hold is refused to the tool, and is paid when there is room', async () => {
  const [one, two] = [await charge(), await charge()];
  await world.force(one.id, 'PAID');
  await refusedToTool(two.id);
  expect(await money(account)).toMatchObject({ available: '44999999999995.00' });
  const { id } = await bodyOf(world.createPayout(asked(payoutBody())));
  await world.force(id, 'ERROR');
  await refusedToTool(two.id);
  await world.createPayout(asked(payoutBody({ amount: { currency: 'BRL', value: '20.00' } })));
  expect(await world.force(two.id, 'PAID')).toMatchObject({ status: 200 });
  expect(await money(account)).toMatchObject({ available: '45000000000000.00', reserved: '20.00' });
});

test.each(['a charge of the account', 'a key of the account'])(
  'a payout to %s is refused when the account is full',
  async (targetName) => {
    const { qrcodeData, id: payInId } = await charge();
    const target = targetName === 'a key of the account' ? { pixKey: '11444777000161' } : { qrcodeData };
    const amount = { currency: 'BRL', value: '25.00' };
    const { id } = await bodyOf(
      world.createPayout(asked(payoutBody({ accountId: payer, paymentData: target, amount }))),
    );
    await world.force((await charge()).id, 'PAID');
    await refusedToTool(id);
    expect([(await shown(payInId))[0], (await shown(id))[1]]).toEqual(['PENDING', 'PENDING']);
    expect(await world.force(id, 'ERROR')).toMatchObject({ status: 200 });
    expect(await money(payer)).toMatchObject({ available: '100.00', reserved: '0.00' });
  },
);
