import { AssignCredit } from '#functions/credits/assign/contract.ts';
import { ReturnCredit } from '#functions/credits/return/contract.ts';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { receiveCredit } from '#partner-tools/api/credits.ts';
import type { Step } from '../context.ts';
import { resourceOf } from '../context.ts';
import { forceStatus } from './simulation.ts';
import { brl, maria } from './subscriptions.ts';

/** Has the payer pay to the account's key; with `payIn`, to the QR code of that pay-in, which does not expect it. */
export function receiveUnexpected(name: string, value: string, { payIn }: { readonly payIn?: string } = {}): Step {
  return async (context) => {
    const { partner, accountId, resources, reporter } = context;
    const named = payIn === undefined ? {} : { orderId: resourceOf(context, payIn).id };
    const id = await receiveCredit(partner, { accountId, amount: brl(value), payer: maria, ...named });
    resources.set(name, { kind: 'credit', id });
    reporter.fact(name, `BRL ${value}, credit ${id}`);
  };
}

/** Requests the return of a credit, without `value` of all that is left, and has the bank settle it. */
export function returnToPayer(name: string, value?: string): Step {
  return async (context) => {
    const params = { id: resourceOf(context, name).id };
    const body = value === undefined ? {} : { amount: brl(value) };
    const { returnId, amount, status } = (await context.partner.call(ReturnCredit, { params, body })).body;
    context.reporter.fact('return', `BRL ${amount.value}, ${returnId}, ${status}`);
    await forceStatus(context, ForceOrderStatus, returnId, 'REFUNDED');
  };
}

/** Assigns a credit to a pending pay-in of the same amount, which it pays. */
export function assign(name: string, payIn: string): Step {
  return async (context) => {
    const params = { id: resourceOf(context, name).id };
    const body = { orderId: resourceOf(context, payIn).id };
    const { status } = (await context.partner.call(AssignCredit, { params, body })).body;
    context.reporter.fact(name, `${status} to ${payIn}`);
  };
}
