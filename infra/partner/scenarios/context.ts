import type { LocalDate } from '#shared/core/brasilia-time.ts';
import { plusDays, plusMonths } from '#shared/core/brasilia-time.ts';
import type { Party } from '#shared/core/party.ts';
import type { Partner } from '../api/client.ts';
import { ToolFailure } from '../command-line.ts';
import type { Telling } from './reporter.ts';
import type { Balance } from './balance.ts';
import type { Hearing } from './notification-receiver.ts';

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
