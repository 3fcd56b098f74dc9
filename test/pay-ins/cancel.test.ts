import { beforeEach, describe, expect, it } from 'vitest';
import type { ChargeState } from '#shared/bank/ports/charges.ts';
import { centavos } from '#shared/core/money.ts';
import type { Answer } from '#test/support/api.ts';
import type { World } from '#test/support/bank-world.ts';
import { bankWorld, companyOne, otherCompany, payInBody } from '#test/support/bank-world.ts';
import { refused } from '#test/support/refusals.ts';
import { noIds } from '#test/support/test-ids.ts';

let world: World;
let id: string;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(0);
  id = ((await world.createPayIn({ companyId: companyOne, key: 'k', body: payInBody() })).body as { id: string }).id;
});

const cancel = (payInId = id, companyId = companyOne): Promise<Answer> =>
  world.cancelPayIn({ companyId, params: { id: payInId } });
const statusOf = async (): Promise<unknown> =>
  ((await world.getPayIn({ companyId: companyOne, params: { id } })).body as { status: unknown }).status;

describe('a pay-in that its partner cancels', () => {
  it('is canceled with its notification, and leaves the due index', async () => {
    world.clock.now = '2026-01-15T15:10:00.000Z';
    const response = await cancel();
    expect(response).toMatchObject({ status: 200, body: { id, status: 'CANCELED', canceledAt: world.clock.now } });
    expect(world.notifications()).toMatchObject([{ event: 'ORDER-PAYIN.CANCELED', id, status: 'CANCELED' }]);
    world.clock.now = '2026-02-15T15:00:00.000Z';
    expect(await world.expirePayIns()).toEqual({ expired: 0, failed: 0 });
  });

  it('is canceled once, with one notification, when 20 cancels are concurrent or one is repeated', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => cancel()));
    responses.push(await cancel(id.toUpperCase()));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(world.notifications()).toHaveLength(1);
  });

  it.each([
    ['PAID', ['PAID']],
    ['REFUNDED', ['PAID', 'REFUNDED']],
    ['EXPIRED', ['EXPIRED']],
    ['ERROR', ['ERROR']],
  ])('is refused when it is %s', async (status, moves) => {
    for (const move of moves) await world.force(id, move);
    const notificationCount = world.notifications().length;
    const response = await cancel();
    refused(response, 409, ['status:TRANSITION_NOT_ALLOWED']);
    expect(await statusOf()).toBe(status);
    expect(world.notifications()).toHaveLength(notificationCount);
  });

  it('is not found when it is unknown, no id at all, or another company’s', async () => {
    for (const payInId of ['aaaaaaaa-0000-4000-8000-000000000000', ...noIds, id.slice(0, -2) + '01'])
      refused(await cancel(payInId), 404);
    refused(await cancel(id, otherCompany), 404);
    expect(await statusOf()).toBe('PENDING');
  });
});

const stateOf = (status: ChargeState['status'], payments: ChargeState['payments'] = []): ChargeState => {
  return { txid: id.replaceAll('-', ''), location: 'pix.example/x', status, payments };
};

describe('canceling a pay-in at its bank', () => {
  it('asks the bank before the pay-in is CANCELED, and not again when it is repeated', async () => {
    const asked: unknown[] = [];
    world.bank.charges.remove.submit = async (order, asking) => {
      asked.push([order.reference, await statusOf()]);
      return world.simulated.charges.remove.submit(order, asking);
    };
    await cancel();
    await cancel();
    expect(asked).toEqual([[id.replaceAll('-', ''), 'PENDING']]);
  });

  it('is refused with 409 when the bank reports the charge as PAID, and the payment can follow', async () => {
    world.bank.charges.remove.submit = () => Promise.resolve({ outcome: 'REFUSED', reason: 'It is paid.' });
    world.bank.charges.remove.find = () => Promise.resolve({ outcome: 'DONE', state: stateOf('PAID') });
    const response = await cancel();
    refused(response, 409, ['id:TRANSITION_NOT_ALLOWED']);
    expect((await world.force(id, 'PAID')).status).toBe(200);
  });

  it('is refused with 409 when the bank refuses the removal and knows of no earlier one', async () => {
    world.bank.charges.remove.submit = () => Promise.resolve({ outcome: 'REFUSED', reason: 'No.' });
    world.bank.charges.remove.find = () => Promise.resolve({ outcome: 'NEVER_SEEN' });
    refused(await cancel(), 409, ['id:TRANSITION_NOT_ALLOWED']);
    expect(await statusOf()).toBe('PENDING');
  });

  it('makes the pay-in PAID and is refused with 409 on status when the bank returns its payment', async () => {
    const payment = { endToEndId: 'E'.padEnd(32, '1'), amount: centavos(2500), at: world.clock.now, returns: [] };
    world.bank.charges.remove.submit = () => Promise.resolve({ outcome: 'DONE', state: stateOf('PAID', [payment]) });
    refused(await cancel(), 409, ['status:TRANSITION_NOT_ALLOWED']);
    expect(await statusOf()).toBe('PAID');
  });

  it('succeeds when the bank refuses a second removal but reports the charge as REMOVED', async () => {
    world.bank.charges.remove.submit = () =>
      Promise.resolve({ outcome: 'REFUSED', reason: 'There is no such charge.' });
    world.bank.charges.remove.find = () => Promise.resolve({ outcome: 'DONE', state: stateOf('REMOVED') });
    expect(await cancel()).toMatchObject({ status: 200, body: { status: 'CANCELED' } });
  });

  it('is 503 and changes no item when the outcome at the bank is unknown, and succeeds when repeated', async () => {
    world.bank.charges.remove.submit = () => Promise.resolve({ outcome: 'UNKNOWN' });
    world.bank.charges.remove.find = () => Promise.resolve({ outcome: 'UNKNOWN' });
    const before = world.items();
    refused(await cancel(), 503);
    expect(world.items()).toEqual(before);
    Object.assign(world.bank.charges, world.simulated.charges);
    expect((await cancel()).status).toBe(200);
  });
});
