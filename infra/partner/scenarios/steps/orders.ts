import { randomUUID } from 'node:crypto';
import type * as z from 'zod';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { RefundPayIn } from '#functions/pay-ins/refund/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import { readError } from '#infra/partner/api/responses.ts';
import type { Step, Context } from '../context.ts';
import { resourceOf } from '../context.ts';
import { brl } from './subscriptions.ts';

/** The key that the payouts of these scenarios pay. */
const pixKey = 'supplier@example.com';

/** A pay-in with its QR code. */
export function createPayIn(name: string, value: string): Step {
  return async ({ partner, accountId, resources, reporter }) => {
    const payer = { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } } as const;
    const externalId = `scenario-${randomUUID()}`;
    const asked = { externalId, accountId, amount: brl(value), description: 'Coffee beans', payer };
    const { body } = await partner.call(CreatePayIn, { body: asked });
    resources.set(name, { kind: 'payIn', id: body.id, payer });
    reporter.fact(name, `BRL ${value}, order ${body.id}, ${body.status}`);
  };
}

/** The bank moves an order, or every open payment of a batch. */
export function bankMovesOrder(name: string, status: z.input<(typeof ForceOrderStatus)['body']>['status']): Step {
  return (context) => moveOrder(context, resourceOf(context, name).id, status);
}

/** Asks for the return of a pay-in. */
export function refund(name: string): Step {
  return async (context) => {
    const { body } = await context.partner.call(RefundPayIn, {
      params: { id: resourceOf(context, name).id },
      body: {},
    });
    context.reporter.fact('refund', `${body.refundId}, ${body.status}`);
  };
}

/** A payout by PIX to a key. */
export function payOut(name: string, value: string): Step {
  return async (context) => {
    const { body } = await context.partner.call(CreatePayout, payoutOf(context, value));
    context.resources.set(name, { kind: 'payout', id: body.id, pixKey });
    const parts = body.batch === undefined ? '' : `, in ${body.batch.transactionsCount} parts`;
    context.reporter.fact(name, `BRL ${value}, order ${body.id}, ${body.status}${parts}`);
  };
}

/** A payout whose reply is lost, repeated with the same key as a careful client does. */
export function payOutWithLostReply(name: string, value: string): Step {
  return async (context) => {
    const { partner, reporter, resources } = context;
    const ask = payoutOf(context, value);
    const lost = readError(await partner.answer(CreatePayout, { ...ask, headers: { 'x-simulate': 'lost-reply' } }));
    reporter.check('the reply is lost: 504', lost.status === 504, lost.status);
    const { body, received } = await partner.call(CreatePayout, ask);
    const replayed = received.headers['idempotent-replayed'] === 'true';
    reporter.check('the same key gives the first answer, it does not pay again', replayed, received.headers);
    resources.set(name, { kind: 'payout', id: body.id, pixKey });
    reporter.fact(name, `BRL ${value}, order ${body.id}, ${body.status}`);
  };
}

/** The bank pays every part of a batch but the last, which it refuses. */
export function bankPaysAllButTheLastPart(name: string): Step {
  return async (context) => {
    const { batch } = (await context.partner.call(GetPayout, { params: { id: resourceOf(context, name).id } })).body;
    const parts = batch?.transactions ?? [];
    for (const { id } of parts.slice(0, -1)) await moveOrder(context, id, 'PAID');
    for (const { id } of parts.slice(-1)) await moveOrder(context, id, 'ERROR');
  };
}

/** Pays the unpaid rest of a batch, never the whole again. */
export function payTheRest(name: string, of: string): Step {
  return async (context) => {
    const { batch } = (await context.partner.call(GetPayout, { params: { id: resourceOf(context, of).id } })).body;
    const unpaid = batch?.transactions.filter(({ status }) => status !== 'PAID').map(({ amount }) => amount) ?? [];
    await payOut(name, unpaid[0] ?? '')(context);
  };
}

async function moveOrder(
  { partner, reporter }: Context,
  id: string,
  status: z.input<(typeof ForceOrderStatus)['body']>['status'],
): Promise<void> {
  reporter.say((await partner.call(ForceOrderStatus, { body: { id, status } })).body.description);
}

function payoutOf({ accountId }: Context, value: string) {
  return {
    key: randomUUID(),
    body: {
      externalId: `scenario-${randomUUID()}`,
      accountId,
      paymentMethod: 'PIX',
      paymentData: { pixKey },
      amount: brl(value),
      description: 'Coffee beans',
    } satisfies z.input<(typeof CreatePayout)['body']>,
  };
}
