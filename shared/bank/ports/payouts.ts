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
  /** The id that `prepare` returned. */
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
 * State of a payment at the bank. `ACCEPTED`: the bank will try to pay; it is not settled. `AWAITS_APPROVAL`: a person
 * at the bank must approve it. `returns`: money of a paid payment that came back. `cameBack`: the bank says it also of
 * a payment that was paid before, of which all money came back.
 */
const PaymentStateShape = z.discriminatedUnion('status', [
  z.object({ status: z.enum(['ACCEPTED', 'AWAITS_APPROVAL']), ...Known }),
  z.object({ status: z.literal('PAID'), at: Time, controlNumber: z.string().min(1).max(20).exactOptional(), ...Known }),
  z.object({
    status: z.literal('ERROR'),
    code: Code.exactOptional(),
    reason: Text,
    cameBack: z.literal(true).exactOptional(),
    ...Known,
  }),
  z.object({ status: z.literal('CANCELED'), ...Known }),
]);
export type PaymentState = z.output<typeof PaymentStateShape>;

export const PreparedShape = z.object({ endToEndId: EndToEndId.exactOptional() });
/** The bank's data of a payment before it is sent, committed with the payout. */
export type PreparedPayment = z.output<typeof PreparedShape>;

type Prepare<Context> = (order: Omit<PaymentOrder, 'endToEndId'>, context: Context) => Promise<PreparedPayment>;

export type Payouts = {
  /** Queries the bank's data of a payment before its submission. @throws BankUnavailable */
  readonly prepare: Prepare<RequestContext>;
  readonly send: Command<PaymentOrder, PaymentState>;
  /**
   * Cancels a payment: the bank never accepts it later, and refuses when it cannot stop it any more. A lookup reads the
   * payment: the cancellation is `NEVER_SEEN` while the payment is not final.
   */
  readonly cancel: Command<PaymentOrder, PaymentState>;
};
export type UncheckedPayouts = {
  /** Absent if the bank issues no end-to-end id before the payment. */
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
