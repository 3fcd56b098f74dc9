import { DefendDispute } from '#functions/disputes/defend/contract.ts';
import { claimBack, decideClaim } from '#partner-tools/api/disputes.ts';
import type { Step } from '../context.ts';
import { centavosOf, readBalance, resourceOf } from '../context.ts';
import { brl } from './subscriptions.ts';

/** Has the payer of a paid pay-in claim the payment back, or a part of it. */
export function payerClaims(name: string, payIn: string, value?: string): Step {
  return async (context) => {
    const { partner, resources, reporter } = context;
    const claimed = value === undefined ? {} : { amount: brl(value) };
    const { id, description } = await claimBack(partner, { orderId: resourceOf(context, payIn).id, ...claimed });
    resources.set(name, { kind: 'dispute', id });
    reporter.say(description);
  };
}

/** Has the bank decide a dispute; `value` goes back, or all that is claimed. */
export function bankDecides(name: string, status: 'ACCEPTED' | 'REJECTED' | 'CANCELED', value?: string): Step {
  return async (context) => {
    const returned = value === undefined ? {} : { amount: brl(value) };
    const body = { id: resourceOf(context, name).id, status, ...returned };
    context.reporter.say((await decideClaim(context.partner, body)).description);
  };
}

/** Answers a claim with a text. */
export function defend(name: string, text: string): Step {
  return async (context) => {
    const params = { id: resourceOf(context, name).id };
    const { defenceId } = (await context.partner.call(DefendDispute, { params, body: { text } })).body;
    context.reporter.fact('defence', defenceId);
  };
}

/** Checks by how much the blocked balance grew since the scenario began, to the centavo. */
export function blockedGrew(by: string): Step {
  return async ({ partner, accountId, balanceBefore, reporter }) => {
    const grown = (await readBalance(partner, accountId)).blocked - balanceBefore.blocked;
    reporter.check(`the blocked balance grew by ${by}`, grown === centavosOf(by), grown);
  };
}
