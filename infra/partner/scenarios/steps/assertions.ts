import { isDeepStrictEqual } from 'node:util';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import { GetScheduledPayment } from '#functions/scheduled-payments/get/contract.ts';
import { ListScheduledPayments } from '#functions/scheduled-payments/list/contract.ts';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import { ToolFailure } from '#infra/partner/command-line.ts';
import { compareNotification } from '../compare-notification.ts';
import type { Act, World } from '../context.ts';
import { centavosOf, readBalance, thing } from '../context.ts';
import type { Heard } from '../notification-receiver.ts';

/** Fields that are looked at, by their dotted paths, each with the value that it must have. */
type Expected = Readonly<Record<string, unknown>>;

/** Stands in an expectation for the id of what a story made. */
export function idOf(name: string): { readonly idOf: string } {
  return { idOf: name };
}

/** The partner is told of an event by a notification whose signatures, layout, bytes and fields are right. */
export function told(event: string, about: string, expected: Expected = {}): Act {
  return async (world) => {
    const heard = await hear(world, event, about);
    showAttempts(world, heard);
    world.tell.check(`${event} was told, signed and in its layout, as the API shows it`, true);
    compare(world, event, heard.body, expected);
  };
}

/** A notification that is right in everything: every story hears by this. */
export async function hear(world: World, event: string, name: string): Promise<Heard> {
  const about = thing(world, name);
  const heard = await world.hearing.hear(event, about.id);
  await compareNotification(world, event, about, heard);
  return heard;
}

/** Says how often a notification was sent, where that was more than once. */
function showAttempts({ tell }: World, { attempts }: Heard): void {
  const [first] = attempts;
  if (first === undefined || attempts.length === 1) return;
  for (const [index, { at, status }] of attempts.entries())
    tell.fact(
      `attempt ${index + 1}`,
      `after ${((at - first.at) / 1000).toFixed(1)} s, ${status === null ? 'not answered' : `answered with ${status}`}`,
    );
}

/** What `GET` shows of something. */
export function reads(name: string, expected: Expected): Act {
  return async (world) => {
    compare(world, name, await record(world, name), expected);
  };
}

/** The account, compared with what it had when the story began: centavos are exact. */
export function balanceGrew(by: string): Act {
  return async (world) => {
    const { partner, accountId, balanceBefore, tell } = world;
    const { available, reserved } = await readBalance(partner, accountId);
    const grown = { available: available - balanceBefore.available, reserved: reserved - balanceBefore.reserved };
    tell.check(
      `the account has ${by} more than at first, and nothing is reserved for this`,
      isDeepStrictEqual(grown, { available: centavosOf(by), reserved: 0 }),
      grown,
    );
  };
}

/** How many scheduled payments a subscription has, resends and new attempts included. */
export function hasPayments(subscription: string, count: number): Act {
  return async (world) => {
    const ask = { params: { id: thing(world, subscription).id }, query: { limit: '100' } };
    const found = (await world.partner.call(ListScheduledPayments, ask)).body.data;
    const statuses = found.map(({ status }) => status);
    world.tell.check(`${subscription} has ${count} payments`, found.length === count, statuses);
  };
}

/** Remembers the pay-in as which a scheduled payment settled. */
export function settledAs(payment: string, name: string): Act {
  return async (world) => {
    const { orderId } = (await record(world, payment)) as { orderId?: string };
    if (orderId === undefined)
      throw new ToolFailure(`${payment} has not settled as a pay-in.`, 'A completed payment names its orderId.');
    const { id: charge, of } = thing(world, payment);
    world.things.set(name, { kind: 'payIn', id: orderId, charge, ...(of !== undefined && { of }) });
  };
}

async function record(world: World, name: string): Promise<unknown> {
  const { kind, id, of = '' } = thing(world, name);
  const { partner } = world;
  switch (kind) {
    case 'subscription':
      return (await partner.call(GetSubscription, { params: { id } })).body;
    case 'payment':
      return (await partner.call(GetScheduledPayment, { params: { id: of, paymentId: id } })).body;
    case 'payIn':
      return (await partner.call(GetPayIn, { params: { id } })).body;
    case 'payout':
      return (await partner.call(GetPayout, { params: { id } })).body;
    case 'key':
      throw new ToolFailure(`${name} is a key, which is read in its list.`, 'The story itself is wrong.');
  }
}

/** @throws ToolFailure naming the first field that differs. */
function compare(world: World, what: string, found: unknown, expected: Expected): void {
  for (const [path, value] of Object.entries(expected)) {
    const wanted = isIdOf(value) ? thing(world, value.idOf).id : value;
    const present = at(found, path);
    world.tell.check(`${what}: ${path} is ${String(wanted)}`, isDeepStrictEqual(present, wanted), present);
  }
}

function isIdOf(value: unknown): value is ReturnType<typeof idOf> {
  return typeof value === 'object' && value !== null && 'idOf' in value;
}

/** The value at a dotted path; undefined where there is none. */
function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
      value,
    );
}
