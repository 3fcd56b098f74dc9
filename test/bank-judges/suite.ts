import { randomUUID } from 'node:crypto';
import type { LocalBank } from '@banking-order/fake-bank';
import { submitOnce } from '#shared/bank/bank.ts';
import type { Connected } from '#shared/bank/connected.ts';
import type { Command } from '#shared/bank/outcome.ts';
import { account, first, repeated } from '#test/bank/bank-orders.ts';
import { companyId } from '#test/bank/scripted-bank.ts';
import { control } from '#test/support/api-pix/client.ts';

type Outcome = 'DONE' | 'REFUSED' | 'UNKNOWN' | 'NOT_NOW';

/** What a run of the adapter's commands needs. */
export type Run = {
  readonly connected: Connected;
  /** What payers, other banks and bad luck do. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- documents of the bank, read as they are
  readonly at: (move: string, body?: object) => Promise<any>;
  /** Gives a command once, or as one that was given before. @throws Error for another outcome. */
  readonly give: <Order, State>(
    command: Command<Order, State>,
    order: Order,
    outcome: Outcome,
    isRepeated?: boolean,
  ) => Promise<State>;
  /** The same of a lookup that must find something. */
  readonly find: <Order, State>(command: Command<Order, State>, order: Order) => Promise<State>;
  readonly context: () => { readonly companyId: string; readonly connection: undefined; readonly at: string };
};

/** @param connected To the bank, perhaps by way of a judge. */
export function openRun(connected: Connected, bank: LocalBank): Run {
  const context = () => ({ companyId, connection: undefined, at: new Date().toISOString() });
  return {
    ...{ connected, context },
    at: (move, body = {}) => control(bank, move, body),
    give: async (command, order, outcome, isRepeated = false) => {
      const result = await submitOnce(command, order, context(), isRepeated ? repeated : first);
      if (result.outcome !== outcome)
        throw new Error(`Expected ${outcome}, got ${JSON.stringify(result)} for ${JSON.stringify(order)}`);
      return (result.outcome === 'DONE' ? result.state : undefined) as never;
    },
    find: async (command, order) => {
      const result = await command.find(order, context());
      if (result.outcome !== 'DONE')
        throw new Error(`Expected the state of a command, got ${result.outcome} for ${JSON.stringify(order)}`);
      return result.state;
    },
  };
}

/** @throws Error when it is not true. */
export function require(expectation: string, isSo: boolean): void {
  if (!isSo) throw new Error(`Not true: ${expectation}.`);
}

/** An id of ours, as orders have it. */
export const newReference = (): string => randomUUID();

/** As the bank has an id of ours. */
export const bankIdOf = (reference: string): string => reference.replaceAll('-', '');

export const receiver = account;
export const company = { name: 'Loja Ltda', document: { type: 'CNPJ', number: '11444777000161' } } as const;

/** The day so many days from today. */
export const inDays = (days: number): string =>
  new Date(Date.now() + (days * 24 - 3) * 3_600_000).toISOString().slice(0, 10);
