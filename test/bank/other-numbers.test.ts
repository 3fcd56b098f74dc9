import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { applyPaymentStates } from '#shared/payouts/apply-state.ts';
import { readPayout } from '#shared/payouts/store.ts';
import { applyRefundState } from '#shared/refunds/apply-state.ts';
import type { World } from '../support/bank-world.ts';
import { bankWorld, companyOne, noon, payInBody, payoutBody } from '../support/bank-world.ts';
import { collectErrors } from '../support/logged.ts';

const returnId = 'D60701190202601151500abcdefghijk';
const asked = { companyId: companyOne, key: 'k' };

let world: World;
let errors: ReturnType<typeof collectErrors>;
beforeEach(async () => {
  errors = collectErrors();
  world = bankWorld();
  await world.openAccount(100_000_00);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const expectCreated = async (response: Promise<{ status: number; body: unknown }>) => {
  const { status, body } = await response;
  expect(status).toBe(201);
  return body as { readonly id: string; readonly endToEndId?: string };
};

describe('an outcome at the bank', () => {
  it('for a PAID payout is reported and ignored when it has another end-to-end id', async () => {
    const order = await expectCreated(world.createPayout({ ...asked, body: payoutBody() }));
    await world.force(order.id, 'PAID');
    const found = await readPayout(world.store, companyOne, order.id);
    const context = { store: world.store, ids: world.ids, companyId: companyOne, requestId: 'r', at: noon };
    const state = { status: 'PAID', returns: [], at: noon } as const;
    const hear = (number: string) =>
      applyPaymentStates({ ...context, realNow: () => noon }, found!, [{ state: { ...state, endToEndId: number } }]);
    await hear(order.endToEndId ?? '');
    expect(errors).toEqual([]);
    await hear('E60701190202601151500zzzzzzzzzzz');
    expect(errors.map(({ message }) => message)).toEqual(['Bank event contradicts a final status']);
    expect(world.items('PAYOUT')).toMatchObject([{ status: 'PAID', endToEndId: order.endToEndId }]);
  });

  it('for a SETTLED refund is reported and ignored when it has another return id', async () => {
    const order = await expectCreated(world.createPayIn({ ...asked, body: payInBody() }));
    await world.force(order.id, 'PAID');
    await world.refundPayIn({ companyId: companyOne, params: { id: order.id }, body: {}, key: 'r' });
    const { id } = world.items('REFUND')[0] as Record<string, string>;
    const settledBy = returnId.replace('D6', 'D7');
    const context = { store: world.store, ids: world.ids, companyId: companyOne, requestId: 'r', at: noon };
    const hear = (number: string) =>
      applyRefundState(
        { ...context, realNow: () => noon },
        { id: id!, orderId: order.id },
        {
          ...{ status: 'SETTLED', at: noon, returnId: number },
        },
      );
    await hear(settledBy);
    await hear(settledBy);
    expect(errors).toEqual([]);
    await hear(returnId);
    expect(errors.map(({ message }) => message)).toEqual(['Bank event contradicts a final status']);
    expect(world.items('REFUND')).toMatchObject([{ status: 'SETTLED', endToEndId: settledBy }]);
  });
});
