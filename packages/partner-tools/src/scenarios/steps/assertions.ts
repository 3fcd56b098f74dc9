import { isDeepStrictEqual } from 'node:util';
import { GetCredit } from '#functions/credits/get/contract.ts';
import { GetDispute } from '#functions/disputes/get/contract.ts';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import { GetScheduledPayment } from '#functions/scheduled-payments/get/contract.ts';
import { ListScheduledPayments } from '#functions/scheduled-payments/list/contract.ts';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import { ToolFailure } from '#partner-tools/failures.ts';
import { compareNotification } from '../compare-notification.ts';
import type { Step, Context } from '../context.ts';
import { centavosOf, readBalance, resourceOf } from '../context.ts';
import type { ReceivedNotification } from '../notification-receiver.ts';

/** Values by the dotted paths of their fields. */
type Expected = Readonly<Record<string, unknown>>;

/** Stands for the id of a resource that the scenario creates. */
export class IdOf {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Waits for a notification and checks its signatures, layout, bytes and fields. */
export function notified(event: string, about: string, expected: Expected = {}): Step {
  return async (context) => {
    const notification = await receive(context, event, about);
    showAttempts(context, notification);
    context.reporter.check(`${event} was received with valid signatures and layout, and matches the API`, true);
    compare(context, event, notification.body, expected);
  };
}

/** Waits for a notification and compares it with its record. */
export async function receive(context: Context, event: string, name: string): Promise<ReceivedNotification> {
  const about = resourceOf(context, name);
  const notification = await context.receiver.receive(event, about.id);
  await compareNotification(context, event, about, notification);
  return notification;
}

/** Prints the attempts where there were several. */
function showAttempts({ reporter }: Context, { attempts }: ReceivedNotification): void {
  const [first] = attempts;
  if (first === undefined || attempts.length === 1) return;
  for (const [index, { at, status }] of attempts.entries())
    reporter.fact(
      `attempt ${index + 1}`,
      `after ${((at - first.at) / 1000).toFixed(1)} s, ${status === null ? 'no response' : `response ${status}`}`,
    );
}

/** Compares fields of a record, as `GET` shows it. */
export function reads(name: string, expected: Expected): Step {
  return async (context) => {
    compare(context, name, await record(context, name), expected);
  };
}

/** Checks by how much the account's balance grew since the scenario began, to the centavo. */
export function balanceGrew(by: string): Step {
  return async (context) => {
    const { partner, accountId, balanceBefore, reporter } = context;
    const { available, reserved } = await readBalance(partner, accountId);
    const grown = { available: available - balanceBefore.available, reserved: reserved - balanceBefore.reserved };
    reporter.check(
      `the available balance grew by ${by}, and the reserved balance did not change`,
      isDeepStrictEqual(grown, { available: centavosOf(by), reserved: 0 }),
      grown,
    );
  };
}

/** Counts a subscription's scheduled payments, resends and new attempts included. */
export function hasPayments(subscription: string, count: number): Step {
  return async (context) => {
    const ask = { params: { id: resourceOf(context, subscription).id }, query: { limit: '100' } };
    const found = (await context.partner.call(ListScheduledPayments, ask)).body.data;
    const statuses = found.map(({ status }) => status);
    context.reporter.check(`${subscription} has ${count} payments`, found.length === count, statuses);
  };
}

/** Remembers the pay-in of a settled scheduled payment. */
export function settledAs(payment: string, name: string): Step {
  return async (context) => {
    const { orderId } = (await record(context, payment)) as { orderId?: string };
    if (orderId === undefined)
      throw new ToolFailure(`${payment} has not settled as a pay-in.`, 'A completed payment has an orderId.');
    const { id: charge, subscriptionId } = resourceOf(context, payment);
    context.resources.set(name, {
      kind: 'payIn',
      id: orderId,
      charge,
      ...(subscriptionId !== undefined && { subscriptionId }),
    });
  };
}

async function record(context: Context, name: string): Promise<unknown> {
  const { kind, id, subscriptionId = '' } = resourceOf(context, name);
  const { partner } = context;
  switch (kind) {
    case 'subscription':
      return (await partner.call(GetSubscription, { params: { id } })).body;
    case 'payment':
      return (await partner.call(GetScheduledPayment, { params: { id: subscriptionId, paymentId: id } })).body;
    case 'payIn':
      return (await partner.call(GetPayIn, { params: { id } })).body;
    case 'payout':
      return (await partner.call(GetPayout, { params: { id } })).body;
    case 'credit':
      return (await partner.call(GetCredit, { params: { id } })).body;
    case 'dispute':
      return (await partner.call(GetDispute, { params: { id } })).body;
    case 'key':
      throw new ToolFailure(`${name} is a PIX key: keys are read in their list.`, 'The scenario itself is wrong.');
  }
}

/** @throws ToolFailure with the first field that differs. */
function compare(context: Context, label: string, found: unknown, expected: Expected): void {
  for (const [path, value] of Object.entries(expected)) {
    const wanted = value instanceof IdOf ? resourceOf(context, value.name).id : value;
    const current = path
      .split('.')
      .reduce<unknown>((inner, key) => (inner as Readonly<Record<string, unknown>> | undefined)?.[key], found);
    context.reporter.check(`${label}: ${path} is ${String(wanted)}`, isDeepStrictEqual(current, wanted), current);
  }
}
