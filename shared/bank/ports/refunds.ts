import type { Centavos } from '#shared/core/money.ts';
import type { Acceptance, RequestContext, CommandOutcome, FoundCommand, UncheckedPort } from '../outcome.ts';
import { AcceptanceShape, checkOutcome, checkFound } from '../outcome.ts';

/** The return of a payment that was received: the `devolucao` of the BCB's Pix API. */
type RefundOrder = {
  /** Ours, the same on every repetition: the id of the refund. */
  readonly reference: string;
  /** The payment that is returned. */
  readonly endToEndId: string;
  readonly amount: Centavos;
  readonly description?: string;
};

export type Refunds = {
  /** Done: the bank has it, which is a promise to try. What becomes of it follows as a bank event. */
  readonly request: (order: RefundOrder, context: RequestContext) => Promise<CommandOutcome<Acceptance>>;
  readonly find: (reference: string, context: RequestContext) => Promise<FoundCommand<Acceptance>>;
};

export function checkedRefunds(refunds: UncheckedPort<Refunds>): Refunds {
  return {
    request: (order, context) => checkOutcome(AcceptanceShape, () => refunds.request(order, context)),
    find: (reference, context) => checkFound(AcceptanceShape, () => refunds.find(reference, context)),
  };
}
