import { GetBalance } from '#functions/accounts/balance/contract.ts';
import type { LocalDate } from '#shared/core/brasilia-time.ts';
import { plusDays, plusMonths } from '#shared/core/brasilia-time.ts';
import type { Party } from '#shared/core/party.ts';
import type { Partner } from '../api/client.ts';
import { ToolFailure } from '../command-line.ts';
import type { Hearing } from './notification-receiver.ts';
import type { Telling } from './reporter.ts';

/** What a story made, by the name that the story gives it. */
export type Thing = {
  readonly kind: 'subscription' | 'payment' | 'payIn' | 'payout' | 'key';
  readonly id: string;
  /** Of a payment, and of a pay-in that came from one: the subscription. */
  readonly of?: string;
  /** Of a pay-in: the scheduled payment that settled as it. */
  readonly charge?: string;
  /** Of a pay-in without subscription: who was expected to pay. */
  readonly payer?: Party;
  /** Of a payout, the key that it pays; of a key, itself. */
  readonly pixKey?: string;
};

/** Where a story plays: a company at an environment, its receiver, its clock, and what was made so far. */
export type World = {
  readonly partner: Partner;
  readonly accountId: string;
  readonly hearing: Hearing;
  readonly tell: Telling;
  /** The company's day when the story began. */
  readonly today: LocalDate;
  readonly balanceBefore: Balance;
  readonly things: Map<string, Thing>;
  /** Keeps a new webhook secret where the tools look for it. */
  readonly keepSecret: (secret: string) => void;
};

/** Days from the beginning of a story until its subscriptions begin. */
const daysUntilStart = 10;

/** A day of a story: the due date of a monthly cycle, from 0, and days before or after it. */
export type Day = { readonly cycle: number; readonly days?: number };

export function dateOf({ today }: World, { cycle, days = 0 }: Day): LocalDate {
  return plusDays(plusMonths(plusDays(today, daysUntilStart), cycle), days);
}

/** @throws ToolFailure when the story has made nothing of this name: the story itself is wrong. */
export function thing({ things }: World, name: string): Thing {
  const found = things.get(name);
  if (found === undefined)
    throw new ToolFailure(`The story has made no ${name} yet.`, `It has made: ${[...things.keys()].join(', ')}.`);
  return found;
}

/** One thing that happens, or that is looked at: it fails when something is not as the specification says. */
export type Act = (world: World) => Promise<void>;
/** A chapter of a story: its title, and what happens in it. */
type Step = { readonly title: string; readonly acts: readonly Act[] };

/** A whole story between a partner, a payer, a bank and the service: a list of steps. */
export type Story = {
  readonly name: string;
  /** What it shows, one line. */
  readonly about: string;
  /** It tells the receiver how to answer, which only the tool's own receiver can be told. */
  readonly scriptsReceiver?: true;
  readonly steps: readonly Step[];
};

export function step(title: string, ...acts: readonly Act[]): Step {
  return { title, acts };
}

/** Integers of centavos. */
export type Balance = { readonly available: number; readonly reserved: number };

export async function readBalance(partner: Partner, accountId: string): Promise<Balance> {
  const { available, reserved } = (await partner.call(GetBalance, { params: { accountId } })).body;
  return { available: centavosOf(available), reserved: centavosOf(reserved) };
}

/** Of a decimal with two places and perhaps a sign. */
export function centavosOf(decimal: string): number {
  return Number(decimal.replace('.', ''));
}
