import { randomUUID } from 'node:crypto';
import type * as z from 'zod';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { RefundPayIn } from '#functions/pay-ins/refund/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import { readError } from '#partner-tools/api/responses.ts';
import type { Step, Context } from '../context.ts';
import { resourceOf } from '../context.ts';
import { forceStatus } from './simulation.ts';
import { brl, maria } from './subscriptions.ts';

/** Key and owner of the receiver of all payouts in scenarios. Requests name the owner, because not every bank does. */
export const supplier = {
  key: 'supplier.11144477735@example.com',
  receiver: { name: 'Pedro Álvares', document: { type: 'CPF', number: '11144477735' } },
} as const;

/** Creates a pay-in. */
export function createPayIn(name: string, value: string): Step {
  return async ({ partner, accountId, resources, reporter }) => {
    const request = { externalId: `scenario-${randomUUID()}`, accountId, amount: brl(value), payer: maria };
    const { body } = await partner.call(CreatePayIn, { body: { ...request, description: 'Coffee beans' } });
    resources.set(name, { kind: 'payIn', id: body.id, payer: maria });
    reporter.fact(name, `BRL ${value}, order ${body.id}, ${body.status}`);
  };
}

/** Requests the refund of what is left of a pay-in. */
export function refund(name: string): Step {
  return async (context) => {
    await requestRefund(context, name);
  };
}

/** Requests the refund of a part of a pay-in, and has the bank settle it. */
export function refundPart(name: string, value: string): Step {
  return async (context) => {
    await forceStatus(context, ForceOrderStatus, await requestRefund(context, name, value), 'REFUNDED');
  };
}

async function requestRefund(context: Context, name: string, value?: string): Promise<string> {
  const params = { id: resourceOf(context, name).id };
  const body = value === undefined ? {} : { amount: brl(value) };
  const { refundId, amount, status } = (await context.partner.call(RefundPayIn, { params, body })).body;
  context.reporter.fact('refund', `BRL ${amount.value}, ${refundId}, ${status}`);
  return refundId;
}

/** Creates a payout by PIX to a key. */
export function payOut(name: string, value: string): Step {
  return async (context) => {
    const { body } = await context.partner.call(CreatePayout, payoutOf(context, value));
    context.resources.set(name, { kind: 'payout', id: body.id, pixKey: supplier.key });
    const parts = body.batch === undefined ? '' : `, in ${body.batch.transactionsCount} parts`;
    context.reporter.fact(name, `BRL ${value}, order ${body.id}, ${body.status}${parts}`);
  };
}

/** Loses the response to a payout and repeats the request with the same key. */
export function payOutWithLostReply(name: string, value: string): Step {
  return async (context) => {
    const { partner, reporter, resources } = context;
    const ask = payoutOf(context, value);
    const lost = readError(await partner.answer(CreatePayout, { ...ask, headers: { 'x-simulate': 'lost-reply' } }));
    reporter.check('the response is lost: 504', lost.status === 504, lost.status);
    const { body, received } = await partner.call(CreatePayout, ask);
    const replayed = received.headers['idempotent-replayed'] === 'true';
    reporter.check(
      'the same idempotency key returns the first response and does not pay again',
      replayed,
      received.headers,
    );
    resources.set(name, { kind: 'payout', id: body.id, pixKey: supplier.key });
    reporter.fact(name, `BRL ${value}, order ${body.id}, ${body.status}`);
  };
}

/** The bank pays all payments of a batch but the last, which it refuses. */
export function bankPaysAllButTheLastPart(name: string): Step {
  return async (context) => {
    const { batch } = (await context.partner.call(GetPayout, { params: { id: resourceOf(context, name).id } })).body;
    const parts = batch?.transactions ?? [];
    for (const [place, { id }] of parts.entries())
      await forceStatus(context, ForceOrderStatus, id, place < parts.length - 1 ? 'PAID' : 'ERROR');
  };
}

/** Creates a payout of a batch's unpaid payment, never of the whole batch again. */
export function payTheRest(name: string, payout: string): Step {
  return async (context) => {
    const { batch } = (await context.partner.call(GetPayout, { params: { id: resourceOf(context, payout).id } })).body;
    const unpaid = batch?.transactions.filter(({ status }) => status !== 'PAID').map(({ amount }) => amount) ?? [];
    await payOut(name, unpaid[0] ?? '')(context);
  };
}

function payoutOf({ accountId }: Context, value: string) {
  return {
    key: randomUUID(),
    body: {
      externalId: `scenario-${randomUUID()}`,
      accountId,
      paymentMethod: 'PIX',
      paymentData: { pixKey: supplier.key },
      receiver: supplier.receiver,
      amount: brl(value),
      description: 'Coffee beans',
    } satisfies z.input<(typeof CreatePayout)['body']>,
  };
}
