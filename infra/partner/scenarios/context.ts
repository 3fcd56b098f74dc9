import { GetBalance } from '#functions/accounts/balance/contract.ts';
import type { LocalDate } from '#shared/core/brasilia-time.ts';
import { plusDays, plusMonths } from '#shared/core/brasilia-time.ts';
import type { Party } from '#shared/core/party.ts';
import type { Partner } from '../api/client.ts';
import { ToolFailure } from '../command-line.ts';
import type { NotificationReceiver } from './notification-receiver.ts';
import type { Reporter } from './reporter.ts';

/** A resource that a scenario created. */
export type CreatedResource = {
  readonly kind: 'subscription' | 'payment' | 'payIn' | 'payout' | 'key';
  readonly id: string;
  /** Of a payment, and of a pay-in that came from one: the subscription. */
  readonly of?: string;
  /** Of a pay-in: the scheduled payment that settled as it. */
  readonly charge?: string;
  /** Of a pay-in without subscription: the expected payer. */
  readonly payer?: Party;
  /** Of a payout, the key that it pays; of a key, itself. */
  readonly pixKey?: string;
};

/** A run's company, receiver and clock, and the resources it created so far by the scenario's names. */
export type Context = {
  readonly partner: Partner;
  readonly accountId: string;
  readonly receiver: NotificationReceiver;
  readonly reporter: Reporter;
  /** The company's day when the scenario began. */
  readonly today: LocalDate;
  readonly balanceBefore: Balance;
  readonly resources: Map<string, CreatedResource>;
  /** Keeps a new webhook secret for the tools. */
  readonly keepSecret: (secret: string) => void;
};

/** Days from the beginning of a scenario until its subscriptions begin. */
const daysUntilStart = 10;

/** A day of a scenario: the due date of a monthly cycle, from 0, and days before or after it. */
export type Day = { readonly cycle: number; readonly days?: number };

export function dateOf({ today }: Context, { cycle, days = 0 }: Day): LocalDate {
  return plusDays(plusMonths(plusDays(today, daysUntilStart), cycle), days);
}

/** @throws ToolFailure when the scenario has created nothing of this name. */
export function resourceOf({ resources }: Context, name: string): CreatedResource {
  const found = resources.get(name);
  if (found === undefined)
    throw new ToolFailure(`The scenario has made no ${name} yet.`, `It has made: ${[...resources.keys()].join(', ')}.`);
  return found;
}

/** Does or compares one thing. @throws ToolFailure for a breach of the specification. */
export type Step = (context: Context) => Promise<void>;
/** Steps under one title. */
type Section = { readonly title: string; readonly steps: readonly Step[] };

/** A whole scenario between a partner, a payer, a bank and the service. */
export type Scenario = {
  readonly name: string;
  /** What it shows, one line. */
  readonly about: string;
  /** It sets the receiver's replies, which only the tool's own receiver allows. */
  readonly scriptsReceiver?: true;
  readonly sections: readonly Section[];
};

export function section(title: string, ...steps: readonly Step[]): Section {
  return { title, steps };
}

/** Integers of centavos. */
type Balance = { readonly available: number; readonly reserved: number };

export async function readBalance(partner: Partner, accountId: string): Promise<Balance> {
  const { available, reserved } = (await partner.call(GetBalance, { params: { accountId } })).body;
  return { available: centavosOf(available), reserved: centavosOf(reserved) };
}

/** Of a decimal with two places and perhaps a sign. */
export function centavosOf(decimal: string): number {
  return Number(decimal.replace('.', ''));
}
