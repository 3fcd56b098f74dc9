import * as z from 'zod';
import type { LocalDate } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import type { CallContext, Command, RequestContext, UncheckedCommand } from '../outcome.ts';
import { checkedCommand, checkResponse } from '../outcome.ts';
import type { PreparedPayment } from './payouts.ts';
import { PreparedShape } from './payouts.ts';
import type { AccountAtBank } from './shapes.ts';
import { Code, EndToEndId, Time } from './shapes.ts';

/** Kinds of an attempt of a cobr: `AGND`, `NTAG` and `RIFL` of API Pix. */
const attemptKinds = ['FIRST_ATTEMPT', 'NEW_ATTEMPT_AFTER_DUE_DATE', 'RESEND_DUE_TO_SETTLEMENT_ERROR'] as const;

/** One charge of a rec for a day: the `cobr` of the BCB's API Pix, or a further attempt of it. */
export type ChargeInstruction = {
  /**
   * Our reference, the same on every repetition: the `txid` of a first attempt. A further attempt has none at the bank.
   */
  readonly reference: string;
  readonly kind: (typeof attemptKinds)[number];
  /** Place of a resend among those of its day, from 1: they share the `txid`, their kind and the day. */
  readonly resend?: number;
  /**
   * The `txid` of the cobr, which is the reference of its first attempt. The bank finds a further attempt by this
   * `txid`, its kind and its day, and a resend by its place among those, too.
   */
  readonly charge: string;
  readonly recurrenceId: string;
  readonly receiver: AccountAtBank;
  /** The id that `prepare` returned. */
  readonly endToEndId?: string;
  readonly amount: Centavos;
  readonly settlementDate: LocalDate;
  /** `ajusteDiaUtil`: the bank moves a day that is no business day at the payer's place to the next business day. */
  readonly adjustsToBusinessDay: boolean;
  readonly description?: string;
};

/** A request to cancel an attempt before the payer's bank collects it. */
export type ChargeWithdrawal = Pick<
  ChargeInstruction,
  'reference' | 'kind' | 'resend' | 'charge' | 'settlementDate'
> & {
  readonly reason: string;
};

const AttemptShape = z.object({
  kind: z.enum(attemptKinds),
  day: z.iso.date(),
  endToEndId: EndToEndId,
  /** Code of a rejection, or of a canceled attempt (`FAIL`, `CCLD`, …). */
  code: Code.exactOptional(),
  /** The statuses of the attempt in their order (`atualizacao`). */
  history: z
    .array(
      z.object({ status: z.enum(['REQUESTED', 'SCHEDULED', 'PAID', 'REJECTED', 'EXPIRED', 'CANCELED']), at: Time }),
    )
    .readonly(),
});
export type ChargeAttempt = z.output<typeof AttemptShape>;

/** All attempts of a cobr, as far as the bank reports them. */
const RecurringChargeStateShape = z.object({ attempts: z.array(AttemptShape).readonly().default([]) });
export type RecurringChargeState = z.output<typeof RecurringChargeStateShape>;

type Prepare<Context> = (order: Omit<ChargeInstruction, 'endToEndId'>, context: Context) => Promise<PreparedPayment>;

export type RecurringCharges = {
  /** Queries the bank's data of a charge before its submission. @throws BankUnavailable */
  readonly prepare: Prepare<RequestContext>;
  readonly schedule: Command<ChargeInstruction, RecurringChargeState>;
  /**
   * Cancels an attempt. A lookup reads the cobr and finds the withdrawal when the bank has it or the attempt has ended.
   */
  readonly withdraw: Command<ChargeWithdrawal, RecurringChargeState>;
};
export type UncheckedRecurringCharges = {
  /** Absent if the bank issues no end-to-end id before the charge. */
  readonly prepare?: Prepare<CallContext>;
  readonly schedule: UncheckedCommand<ChargeInstruction>;
  readonly withdraw: UncheckedCommand<ChargeWithdrawal>;
};

export function checkedRecurringCharges({ prepare, schedule, withdraw }: UncheckedRecurringCharges): RecurringCharges {
  return {
    prepare: (order, context) =>
      prepare === undefined
        ? Promise.resolve({})
        : checkResponse(PreparedShape, context, (within) => prepare(order, within)),
    schedule: checkedCommand(RecurringChargeStateShape, schedule),
    withdraw: checkedCommand(RecurringChargeStateShape, withdraw),
  };
}
