import * as z from 'zod';
import type { Centavos } from '#shared/core/money.ts';
import type { Asking, CommandEnd, FoundCommand, Unchecked } from '../outcome.ts';
import { checkEnd, checkFound } from '../outcome.ts';

/** The return of a payment that was received: the `devolucao` of the BCB's Pix API. */
type RefundOrder = {
  /** Ours, the same on every repetition: the id of the refund. */
  readonly reference: string;
  /** The payment that is returned. */
  readonly endToEndId: string;
  readonly amount: Centavos;
  readonly description?: string;
};

const Taken = z.object({});
type TakenRefund = z.output<typeof Taken>;

export type Refunds = {
  /** Done: the bank has it, which is a promise to try. What comes of it is told later. */
  readonly request: (order: RefundOrder, asking: Asking) => Promise<CommandEnd<TakenRefund>>;
  readonly find: (reference: string, asking: Asking) => Promise<FoundCommand<TakenRefund>>;
};

export function checkedRefunds(refunds: Unchecked<Refunds>): Refunds {
  return {
    request: (order, asking) => checkEnd(Taken, () => refunds.request(order, asking)),
    find: (reference, asking) => checkFound(Taken, () => refunds.find(reference, asking)),
  };
}
