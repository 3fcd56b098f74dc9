import { centavos, formatAmount, parseAmount } from '#shared/core/money.ts';
import type { Session } from './session.ts';

/** Centavos of an amount of the bank's documents, `10.00`. */
export function cents(valor: string): number {
  return parseAmount(valor.replace(/^0+(?=\d)/u, '')) ?? 0;
}

/** The amount of a balance, `-10.00` below zero. */
export function balanceText(balance: number): string {
  return `${balance < 0 ? '-' : ''}${formatAmount(centavos(Math.abs(balance)))}`;
}

/** Adds centavos to the client's balance, or takes them. */
export function moveBalance({ client, common }: Session, by: number): void {
  // Read again: a session may move twice.
  const now = common.find('client', client.id) ?? client;
  common.save('client', client.id, { ...now, balance: now.balance + by });
}
