import { GetBalance } from '#functions/accounts/balance/contract.ts';
import { GetClock } from '#functions/order-tools/get-clock/contract.ts';
import { ResetClock } from '#functions/order-tools/reset-clock/contract.ts';
import { GetWebhookSettings } from '#functions/webhooks/get/contract.ts';
import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import type { LocalDate } from '#shared/core/brasilia-time.ts';
import { brasiliaDate, plusDays, plusMonths } from '#shared/core/brasilia-time.ts';
import type { Party } from '#shared/core/party.ts';
import { webhookTypes } from '#shared/platform/outbox/delivery.ts';
import type { Capabilities } from '../api/capabilities.ts';
import type { Partner } from '../api/client.ts';
import { ToolFailure } from '../failures.ts';
import type { NotificationReceiver } from './notification-receiver.ts';
import type { Reporter } from './reporter.ts';

/** A resource that a scenario created. */
export type CreatedResource = {
  readonly kind: 'subscription' | 'payment' | 'payIn' | 'payout' | 'credit' | 'dispute' | 'key';
  readonly id: string;
  /** Subscription of a payment, or of a pay-in that came from one. */
  readonly subscriptionId?: string;
  /** Scheduled payment that settled as this pay-in. */
  readonly charge?: string;
  /** Expected payer of a pay-in without subscription. */
  readonly payer?: Party;
  /** Key that a payout pays, or the key itself. */
  readonly pixKey?: string;
};

/** State of a run: company, account, receiver, day, and the resources created so far by their names in the scenario. */
export type Context = {
  readonly partner: Partner;
  readonly accountId: string;
  readonly receiver: NotificationReceiver;
  readonly reporter: Reporter;
  /** The company's day when the scenario began. */
  readonly today: LocalDate;
  readonly balanceBefore: Balance;
  readonly resources: Map<string, CreatedResource>;
  /** Stores a new webhook secret in the sandbox file, for the other tools. */
  readonly keepSecret: (secret: string) => void;
};

/** Days from the beginning of a scenario until its subscriptions begin. */
const daysUntilStart = 10;

/**
 * A day of a scenario: `days` after the due date of a monthly cycle (before it if negative). Cycles are counted from 0.
 */
export type Day = { readonly cycle: number; readonly days?: number };

export function dateOf({ today }: Context, { cycle, days = 0 }: Day): LocalDate {
  return plusDays(plusMonths(plusDays(today, daysUntilStart), cycle), days);
}

/** Returns the resource of a name. @throws ToolFailure when the scenario has created nothing of this name. */
export function resourceOf({ resources }: Context, name: string): CreatedResource {
  const found = resources.get(name);
  if (found === undefined)
    throw new ToolFailure(
      `The scenario has created no ${name} yet.`,
      `It has created: ${[...resources.keys()].join(', ')}.`,
    );
  return found;
}

/** Does or compares one thing. @throws ToolFailure for a breach of the specification. */
export type Step = (context: Context) => Promise<void>;
/** Steps under one title. */
type Section = { readonly title: string; readonly steps: readonly Step[] };

/** Something that a scenario uses, and whether the bank of the account can do it. */
type Need = { readonly what: string; readonly isMet: (can: Capabilities) => boolean };

/** A whole scenario between a partner, a payer, a bank and the service. */
export type Scenario = {
  readonly name: string;
  /** One-line summary. */
  readonly about: string;
  /** The scenario sets the receiver's replies, which is possible only at the tool's own receiver. */
  readonly scriptsReceiver?: true;
  /** What not every bank can do. */
  readonly needs?: readonly Need[];
  readonly sections: readonly Section[];
};

export function section(title: string, ...steps: readonly Step[]): Section {
  return { title, steps };
}

/** Integers of centavos. */
type Balance = { readonly available: number; readonly reserved: number; readonly blocked: number };

export async function readBalance(partner: Partner, accountId: string): Promise<Balance> {
  const { available, reserved, blocked } = (await partner.call(GetBalance, { params: { accountId } })).body;
  return { available: centavosOf(available), reserved: centavosOf(reserved), blocked: centavosOf(blocked) };
}

/** Converts a decimal with two places, perhaps signed, to centavos. */
export function centavosOf(decimal: string): number {
  return Number(decimal.replace('.', ''));
}

/**
 * Runs a scenario, then restores the endpoints, and the clock if it showed real time. Created resources stay.
 * @throws ToolFailure for a breach of the specification or an unexpected notification.
 */
export async function runScenario(
  { sections }: Scenario,
  given: Pick<Context, 'partner' | 'accountId' | 'receiver' | 'reporter' | 'keepSecret'>,
): Promise<void> {
  const { partner, accountId, receiver, reporter } = given;
  const { now, offsetSeconds } = (await partner.call(GetClock)).body;
  const balanceBefore = await readBalance(partner, accountId);
  const registered = (await partner.call(GetWebhookSettings)).body.events;
  reporter.section('Register a webhook receiver');
  const events = webhookTypes.map((type) => ({ type, endpoint: receiver.url }));
  await partner.call(ReplaceWebhookSettings, { body: { events } });
  reporter.fact('receiver', receiver.url);
  const context: Context = { ...given, today: brasiliaDate(now), balanceBefore, resources: new Map() };
  try {
    for (const { title, steps } of sections) {
      reporter.section(title);
      for (const step of steps) await step(context);
    }
    reporter.section('Check for unexpected notifications');
    const unexpected = await receiver.unexpected([...context.resources.values()].map(({ id }) => id));
    reporter.check('each notification was received once, and no other one', unexpected.length === 0, unexpected);
  } finally {
    const before = registered.map(({ type, endpoint, status }) => ({ type, endpoint, status }));
    await partner.call(ReplaceWebhookSettings, { body: { events: before } });
    if (offsetSeconds === 0) await partner.call(ResetClock);
  }
}
