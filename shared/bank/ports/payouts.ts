import * as z from 'zod';
import type { Centavos } from '#shared/core/money.ts';
import type { Counterpart } from '#shared/core/party.ts';
import type { CallContext, Command, RequestContext, UncheckedCommand } from '../outcome.ts';
import { checkedCommand, checkResponse } from '../outcome.ts';
import type { AccountAtBank } from './shapes.ts';
import { Code, EndToEndId, ReturnShape, Text, Time } from './shapes.ts';

/** An outgoing payment. */
export type PaymentOrder = {
  /** The id of the order, or of the payment in a batch: the same on every repetition. */
  readonly reference: string;
  /** The id that `prepare` gave. */
  readonly endToEndId?: string;
  /** Control number (NumCtrlSTR) of a TED. */
  readonly controlNumber?: string;
  readonly initiation: 'KEY' | 'STATIC_QRCODE' | 'DYNAMIC_QRCODE' | 'MANUAL';
  readonly amount: Centavos;
  readonly payer: AccountAtBank;
  readonly receiver: Counterpart;
  readonly description: string;
  readonly txid?: string;
  /** The whole text of the QR code that it pays. */
  readonly qrcodeData?: string;
};

const Known = { endToEndId: EndToEndId.exactOptional(), returns: z.array(ReturnShape).readonly().default([]) };

/**
 * A payment at the bank. `ACCEPTED` promises to try and is no settlement; `AWAITS_APPROVAL` waits for a person at the
 * bank. `returns`: what of a paid one came back.
 */
const PaymentStateShape = z.discriminatedUnion('status', [
  z.object({ status: z.enum(['ACCEPTED', 'AWAITS_APPROVAL']), ...Known }),
  z.object({ status: z.literal('PAID'), at: Time, controlNumber: z.string().min(1).max(20).exactOptional(), ...Known }),
  z.object({ status: z.literal('ERROR'), code: Code.exactOptional(), reason: Text, ...Known }),
  z.object({ status: z.literal('CANCELED'), ...Known }),
]);
export type PaymentState = z.output<typeof PaymentStateShape>;

export const PreparedShape = z.object({ endToEndId: EndToEndId.exactOptional() });
/** The bank's data of a payment before it is sent, committed with the payout. */
export type PreparedPayment = z.output<typeof PreparedShape>;

type Prepare<Context> = (order: Omit<PaymentOrder, 'endToEndId'>, context: Context) => Promise<PreparedPayment>;

export type Payouts = {
  /** A query. @throws BankUnavailable */
  readonly prepare: Prepare<RequestContext>;
  readonly send: Command<PaymentOrder, PaymentState>;
  /**
   * Stops a payment: a canceled one is never accepted later. The state of the payment is the answer: it is found when
   * it is final. Refused when it cannot be stopped any more.
   */
  readonly cancel: Command<PaymentOrder, PaymentState>;
};
export type UncheckedPayouts = {
  /** Absent where the bank gives no number before the payment. */
  readonly prepare?: Prepare<CallContext>;
  readonly send: UncheckedCommand<PaymentOrder>;
  readonly cancel: UncheckedCommand<PaymentOrder>;
};

export function checkedPayouts({ prepare, send, cancel }: UncheckedPayouts): Payouts {
  return {
    prepare: (order, context) =>
      prepare === undefined
        ? Promise.resolve({})
        : checkResponse(PreparedShape, context, (within) => prepare(order, within)),
    send: checkedCommand(PaymentStateShape, send),
    cancel: checkedCommand(PaymentStateShape, cancel),
  };
}
