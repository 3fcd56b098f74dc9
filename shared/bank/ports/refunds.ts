import type { Centavos } from '#shared/core/money.ts';
import type { Acceptance, RequestContext, CommandOutcome, FoundCommand, UncheckedPort } from '../outcome.ts';
import { AcceptanceShape, checkOutcome, checkFound } from '../outcome.ts';

/** The return of a pay-in: the `devolucao` of the BCB's API Pix. */
type RefundOrder = {
  /** The id of the refund, the same on every repetition. */
  readonly reference: string;
  readonly endToEndId: string;
  readonly amount: Centavos;
  readonly description?: string;
};

export type Refunds = {
  /** Done: the bank has it and promises to try. A bank event tells the result. */
  readonly request: (order: RefundOrder, context: RequestContext) => Promise<CommandOutcome<Acceptance>>;
  readonly find: (reference: string, context: RequestContext) => Promise<FoundCommand<Acceptance>>;
};

export function checkedRefunds(refunds: UncheckedPort<Refunds>): Refunds {
  return {
    request: (order, context) => checkOutcome(AcceptanceShape, () => refunds.request(order, context)),
    find: (reference, context) => checkFound(AcceptanceShape, () => refunds.find(reference, context)),
  };
}
