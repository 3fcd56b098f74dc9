import { beforeEach, describe, expect, it } from 'vitest';
import { plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import type { Answer } from '#test/support/api.ts';
import type { World } from '#test/support/bank-world.ts';
import { account, bankWorld, companyOne, noon, otherCompany, payInBody, payoutBody } from '#test/support/bank-world.ts';
import { refused } from '#test/support/refusals.ts';

let world: World;
let id: string;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(0);
  id = await paid('first');
});

async function paid(key: string): Promise<string> {
  const created = (await world.createPayIn({ companyId: companyOne, key, body: payInBody() })).body as { id: string };
  await world.force(created.id, 'PAID');
  return created.id;
}

function refund(key = 'r', more: { id?: string; body?: unknown; companyId?: string } = {}): Promise<Answer> {
  return world.refundPayIn({
    companyId: more.companyId ?? companyOne,
    key,
    params: { id: more.id ?? id },
    body: more.body ?? {},
  });
}

async function balance(): Promise<unknown> {
  return (await world.getBalance({ companyId: companyOne, params: { accountId: account } })).body;
}

describe('a refund', () => {
  it('reserves the whole amount', async () => {
    const response = await refund();
    expect(response).toMatchObject({ status: 201 });
    expect(response.body).toEqual({
      refundId: expect.stringMatching(/^[0-9a-f]{32}$/),
      orderId: id,
      amount: { currency: 'BRL', value: '25.00' },
      status: 'PENDING',
      createdAt: world.clock.now,
    });
    expect(await balance()).toMatchObject({ available: '0.00', reserved: '25.00' });
    const read = await world.getPayIn({ companyId: companyOne, params: { id } });
    expect(read.body, 'the order is paid until the refund settles').toMatchObject({ status: 'PAID' });
  });

  it('is polled at times counted from its own creation, however old its pay-in is, when the bank accepted it', async () => {
    world.setCapabilities({ isPolled: true });
    const open = { outcome: 'DONE', state: { status: 'PENDING' } } as const;
    const asked: number[] = [];
    const begin = plusSeconds(noon, 20 * 86_400);
    world.bank.refunds = {
      submit: () => Promise.resolve(open),
      find: () => {
        asked.push(secondsBetween(begin, world.clock.now) / 60);
        return Promise.resolve(open);
      },
    };
    world.clock.now = begin;
    await refund();
    for (let minute = 0; minute <= 95; minute += 1) {
      world.clock.now = plusSeconds(begin, minute * 60);
      expect(await world.poll()).toBe(0);
    }
    expect(asked).toEqual([2, 4, 8, 15, 30, 90]);
  });

  it('settles by the tool, under its own id', async () => {
    const { refundId } = (await refund()).body as { refundId: string };
    await world.force(id, 'REFUNDED');
    expect(await balance()).toMatchObject({ available: '0.00', reserved: '0.00' });
    expect(world.items('REFUND')).toMatchObject([{ id: refundId, status: 'SETTLED' }]);
    const bodies = world.notifications();
    expect(bodies.at(-1)).toMatchObject({ event: 'ORDER-PAYIN.REFUNDED', refundId, status: 'REFUNDED' });
  });

  it('is made by the tool itself when none was asked for, if the account can pay it', async () => {
    await world.createPayout({ companyId: companyOne, key: 'p', body: payoutBody() });
    refused(await world.force(id, 'REFUNDED'), 409, ['amount:INSUFFICIENT_BALANCE']);
    await paid('second');
    expect(await world.force(id, 'REFUNDED')).toMatchObject({ status: 200 });
    expect(await balance()).toMatchObject({ available: '15.00', reserved: '10.00' });
  });

  it('is refused when the account cannot pay it', async () => {
    await world.createPayout({ companyId: companyOne, key: 'p', body: payoutBody() });
    const before = world.items();
    const response = await refund();
    refused(response, 409, ['amount:INSUFFICIENT_BALANCE']);
    expect(world.items()).toEqual(before);
  });

  it('a refund of all leaves no money for another one while it is open, and the pay-in takes none once it is settled', async () => {
    await paid('second');
    await refund('r1');
    refused(await refund('r2'), 409, ['amount:LIMIT_EXCEEDED']);
    await world.force(id, 'REFUNDED');
    const again = await refund('r3');
    refused(again, 409, ['status:TRANSITION_NOT_ALLOWED']);
  });

  it('is one when many ask at the same time with different keys', async () => {
    for (const key of ['a', 'b', 'c', 'd', 'e']) await paid(key);
    const responses = await Promise.all(Array.from({ length: 10 }, (_, index) => refund(`r-${index}`)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await balance()).toMatchObject({ reserved: '25.00' });
  });

  it('is not made of a pay-in that is not paid, and not after 90 days', async () => {
    const pending = (await world.createPayIn({ companyId: companyOne, key: 'n', body: payInBody() })).body as {
      id: string;
    };
    refused(await refund('r', { id: pending.id }), 409, ['status:TRANSITION_NOT_ALLOWED']);
    world.clock.now = '2026-04-15T15:00:00.001Z';
    const late = await refund();
    refused(late, 409, ['id:EXPIRED']);
  });

  it('is not found for what is no pay-in of the company', async () => {
    const payout = (await world.createPayout({ companyId: companyOne, key: 'p', body: payoutBody() })).body as {
      id: string;
    };
    const child = `${id.slice(0, -2)}01`;
    for (const wanted of [payout.id, child, 'x', '99999999-9999-4999-8999-999999999900'])
      refused(await refund('r', { id: wanted }), 404, undefined, wanted);
    refused(await refund('r', { companyId: otherCompany }), 404);
  });
});

describe('a refund request with a key that was used', () => {
  it('gets the first response again, byte for byte, also after the refund settled and ten years later', async () => {
    const first = await refund('r', { body: { description: 'Returned' } });
    const again = async (): Promise<void> => {
      const response = await refund('r', { body: { description: 'Returned' } });
      expect(response).toMatchObject({ status: 201, text: first.text, headers: { 'idempotent-replayed': 'true' } });
    };
    await again();
    await world.force(id, 'REFUNDED');
    await again();
    await world.setAccountStatus('ACTIVE', 'CLOSED');
    world.clock.now = '2036-01-15T15:00:00.000Z';
    await again();
    expect(world.items('REFUND')).toHaveLength(1);
  });

  it('is refused with 422 for another description or another pay-in', async () => {
    const other = await paid('second');
    await refund('r');
    for (const response of [await refund('r', { body: { description: 'x' } }), await refund('r', { id: other })])
      refused(response, 422, ['idempotency-key:IDEMPOTENCY_KEY_REUSED']);
  });

  it('makes one refund when 20 come at once', async () => {
    await paid('second');
    const responses = await Promise.all(Array.from({ length: 20 }, () => refund()));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(await balance()).toMatchObject({ available: '25.00', reserved: '25.00' });
  });

  it('needs the header', async () => {
    const response = await world.refundPayIn({ companyId: companyOne, params: { id }, body: {} });
    refused(response, 400, ['idempotency-key:REQUIRED']);
  });
});
