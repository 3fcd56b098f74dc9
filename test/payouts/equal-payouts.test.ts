import { beforeEach, describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { setEqualPayouts } from '#infra/operator/accounts/equal-payouts.ts';
import { companyItem } from '#shared/platform/company.ts';
import { newCursorKey } from '#shared/platform/table/cursor.ts';
import type { World } from '#test/support/bank-world.ts';
import { bankWorld, companyOne, noon, payoutBody, receiver } from '#test/support/bank-world.ts';
import { buildStaticCode } from '#test/support/static-code.ts';

type Detail = { readonly field: string; readonly issue: string; readonly description: string };
type Created = { readonly id: string; readonly details: readonly Detail[] };

let world: World;
let keyCount = 0;

beforeEach(async () => {
  world = bankWorld();
  const company = { companyId: companyOne, organizationId: 'o', name: 'n', createdAt: noon };
  await world.store.writeOne({ put: companyItem({ ...company, cursorKey: newCursorKey() }) });
  await world.openAccount(1_000_000_00);
});

const policy = (wanted: 'refuse' | 'allow') =>
  setEqualPayouts({ store: world.store }, { companyId: companyOne, policy: wanted });
const create = async (more: object = {}, key?: string) => {
  keyCount += 1;
  const { status, body } = await world.createPayout({
    companyId: companyOne,
    body: payoutBody({ ...more }),
    key: key ?? `key-${keyCount}`,
  });
  return { ...(body as Created), code: status };
};
const later = (seconds: number): void => {
  world.clock.now = plusSeconds(noon, seconds);
};
const merchant = { name: 'Fulano de Tal', city: 'BRASILIA' };
const dynamicCode =
  '00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4';
const bankAccount = { ispb: '60701190', accountType: 'CHECKING_ACCOUNT', branchNumber: '1', accountNumber: '2' };

describe('a payout with the account, receiver and amount of another one', () => {
  it('is created when the company does not refuse such payouts, and after it was allowed again', async () => {
    await create();
    expect((await create()).code).toBe(201);
    expect(world.items('EQUAL_PAYOUT')).toEqual([]);
    await policy('refuse');
    await create();
    await policy('allow');
    expect((await create()).code).toBe(201);
  });

  it('is 409 on paymentData within ten minutes, names the other one, and keeps nothing of itself', async () => {
    await policy('refuse');
    const first = await create();
    later(599);
    const before = world.items().length;
    const refused = await create();
    expect(refused).toMatchObject({ code: 409, details: [{ field: 'paymentData', issue: 'ALREADY_EXISTS' }] });
    expect(refused.details[0]?.description).toContain(first.id);
    expect(world.items()).toHaveLength(before);
    later(600);
    expect((await create()).code).toBe(201);
  });

  it('is created with allowDuplicate under the key that was refused, and is then the one that others equal', async () => {
    await policy('refuse');
    await create();
    const body = { externalId: 'order-1' };
    expect((await create(body, 'mine')).code).toBe(409);
    later(400);
    const second = await create({ ...body, allowDuplicate: true }, 'mine');
    expect(second.code).toBe(201);
    expect((await create({ ...body, allowDuplicate: true }, 'mine')).id).toBe(second.id);
    later(900);
    expect((await create()).details[0]?.description).toContain(second.id);
  });

  it.each(['ERROR', 'CANCELED'])('is created when the other one ended %s', async (status) => {
    await policy('refuse');
    const first = await create();
    await world.force(first.id, status);
    expect((await create()).code).toBe(201);
  });

  it('is 409 when the other one was paid', async () => {
    await policy('refuse');
    const first = await create();
    await world.force(first.id, 'PAID');
    expect((await create()).code).toBe(409);
  });

  it('is the first response again when it is a repetition', async () => {
    await policy('refuse');
    const body = { externalId: 'order-1' };
    const first = await create(body, 'mine');
    expect(await create(body, 'mine')).toEqual(first);
  });

  it('is created once when both are asked for at the same time', async () => {
    await policy('refuse');
    const both = await Promise.all([create(), create(), create()]);
    expect(both.map(({ code }) => code).toSorted()).toEqual([201, 409, 409]);
  });

  it.each([
    ['a key', { pixKey: '52998224725' }, { qrcodeData: buildStaticCode({ merchant, pixKey: '52998224725' }) }],
    ['an account by TED', { bankAccount }, { bankAccount: { ...bankAccount, accountType: 'SAVINGS_ACCOUNT' } }],
    ['a dynamic code', { qrcodeData: dynamicCode }, { qrcodeData: ` ${dynamicCode}` }],
  ])('is 409 for %s, however the request names it', async (_name, first, second) => {
    await policy('refuse');
    const named = 'bankAccount' in first ? { receiver } : {};
    expect((await create({ paymentData: first, ...named })).code).toBe(201);
    expect((await create({ paymentData: second, ...named })).code).toBe(409);
  });

  it.each([
    ['another amount', { amount: { currency: 'BRL', value: '10.01' } }],
    ['another receiver', { paymentData: { bankAccount }, receiver }],
  ])('is no equal one with %s', async (_name, other) => {
    await policy('refuse');
    await create();
    expect((await create(other)).code).toBe(201);
  });
});
