import * as z from 'zod';
import type { Centavos } from '#shared/core/money.ts';
import { pick } from '#shared/core/pick.ts';
import type { ReturnEvent } from '#shared/core/return-event.ts';
import type { Command, UncheckedCommand } from '../outcome.ts';
import { checkedCommand } from '../outcome.ts';
import { Code, ReturnId, Text, Time } from './shapes.ts';

/** A refund of a received payment: the return (`devolucao`) of the BCB's API Pix. */
export type RefundOrder = {
  /** The id of the refund, the same on every repetition. */
  readonly reference: string;
  /** End-to-end id of the received payment. The bank finds a refund by this id and `reference`. */
  readonly endToEndId: string;
  readonly amount: Centavos;
  readonly description?: string;
};

const RefundStateShape = z.discriminatedUnion('status', [
  z.object({ status: z.literal('PENDING'), returnId: ReturnId.exactOptional() }),
  z.object({ status: z.literal('SETTLED'), returnId: ReturnId, at: Time }),
  z.object({ status: z.literal('FAILED'), code: Code.exactOptional(), reason: Text }),
]);
export type RefundState = z.output<typeof RefundStateShape>;

export type Refunds = Command<RefundOrder, RefundState>;
export type UncheckedRefunds = UncheckedCommand<RefundOrder>;

export function checkedRefunds(refunds: UncheckedRefunds): Refunds {
  return checkedCommand(RefundStateShape, refunds);
}

/** Returns the event of a return's state; undefined while the bank has not decided. */
export function returnEventOf(state: RefundState): ReturnEvent | undefined {
  switch (state.status) {
    case 'PENDING':
      return undefined;
    case 'SETTLED':
      return { outcome: 'SETTLED', at: state.at, endToEndId: state.returnId };
    case 'FAILED':
      return { outcome: 'FAILED', ...pick(state, 'code', 'reason') };
  }
}
