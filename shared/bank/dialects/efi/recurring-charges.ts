import { firstOf } from '#shared/core/visible.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { formatAmount } from '#shared/core/money.ts';
import type { CallContext, FoundCommand } from '#shared/bank/outcome.ts';
import type {
  ChargeInstruction,
  ChargeWithdrawal,
  RecurringChargeState,
  UncheckedRecurringCharges,
} from '#shared/bank/ports/recurring-charges.ts';
import type { Facts } from '#shared/bank/about.ts';
import { cobrFacts } from '#shared/bank/dialects/efi/facts.ts';
import { requireAbout } from '#shared/bank/about.ts';
import type { Connected } from '#shared/bank/connected.ts';
import { foundOf, outcomeOf, unlessNotConnected } from '#shared/bank/calls/outcomes.ts';
import { efiAccount } from './connecting.ts';
import { bankId } from './fields.ts';
import type { CobrBody as Cobr } from './shapes.ts';
import { CobrBody } from './shapes.ts';
import { recurringChargeState } from './states.ts';
import type { Teller } from '#shared/bank/calls/enumeration.ts';

type Named = Pick<ChargeInstruction, 'charge' | 'kind' | 'resend' | 'settlementDate'> &
  Partial<Pick<ChargeInstruction, 'recurrenceId' | 'amount' | 'adjustsToBusinessDay'>>;

/**
 * Cobrs: a first attempt creates a cobr; a new attempt after the due date is another day of the same cobr. Only the
 * bank resends a cobr after a settlement error.
 */
export function apiPixRecurringCharges(connected: Connected): UncheckedRecurringCharges {
  const { client } = connected;
  const pathOf = ({ charge }: Pick<ChargeInstruction, 'charge'>) => `/v2/cobr/${bankId(charge)}`;
  const stateOf =
    (order: Named, at: Instant, teller: Teller = client) =>
    (cobr: Cobr): RecurringChargeState => {
      requireAbout(client, askedOf(order), cobrFacts(cobr));
      return recurringChargeState(cobr, at, teller);
    };
  const read = async (
    order: Named,
    { at, signal }: CallContext,
    teller: Teller = client,
  ): Promise<FoundCommand<RecurringChargeState>> =>
    foundOf(
      client,
      await client.question({ method: 'GET', path: pathOf(order), signal }),
      CobrBody,
      stateOf(order, at, teller),
    );
  /**
   * Reads the cobr; `NEVER_SEEN` unless `isFound` accepts the order's attempt. Where a value was passed over, the
   * attempt may be the one that has it: then the cobr does not say that the attempt is not there.
   */
  const readAttempt = async (
    order: Named,
    context: CallContext,
    isFound: (attempt: RecurringChargeState['attempts'][number] | undefined) => boolean,
  ): Promise<FoundCommand<RecurringChargeState>> => {
    const passedOver: string[] = [];
    const notKnown: Teller['notKnown'] = (field, value) => {
      passedOver.push(field);
      client.notKnown(field, value);
    };
    const found = await read(order, context, { notKnown });
    if (found.outcome !== 'DONE') return found;
    const { kind, settlementDate, resend = 1 } = order;
    const own = found.state.attempts.filter(
      (attempt) => attempt.kind === kind && (kind === 'FIRST_ATTEMPT' || attempt.day === settlementDate),
    )[resend - 1];
    if (isFound(own)) return found;
    return own === undefined && passedOver.length > 0 ? { outcome: 'UNKNOWN' } : { outcome: 'NEVER_SEEN' };
  };
  return {
    schedule: {
      submit: (order, { at, signal }) =>
        unlessNotConnected(async () => {
          if (order.kind === 'RESEND_DUE_TO_SETTLEMENT_ERROR')
            return { outcome: 'NOT_NOW', cause: 'The bank retries the charge by itself.' };
          const request =
            order.kind === 'FIRST_ATTEMPT'
              ? ({ method: 'PUT', path: pathOf(order), body: bodyOf(connected, order) } as const)
              : ({ method: 'POST', path: `${pathOf(order)}/retentativa/${order.settlementDate}` } as const);
          const callOutcome = await client.command({ ...request, signal });
          return outcomeOf(client, callOutcome, CobrBody, stateOf(order, at));
        }),
      find: (order, context) =>
        order.kind === 'FIRST_ATTEMPT'
          ? read(order, context)
          : readAttempt(order, context, (attempt) => attempt !== undefined),
    },
    withdraw: {
      submit: async (order: ChargeWithdrawal, { at, signal }) => {
        const request = { method: 'PATCH', path: pathOf(order), body: { status: 'CANCELADA' }, signal } as const;
        return outcomeOf(client, await client.command(request), CobrBody, stateOf(order, at));
      },
      find: (order, context) =>
        readAttempt(order, context, (attempt) => attempt !== undefined && isFinalAttempt(attempt)),
    },
  };
}

/**
 * Returns the facts that a reply must match. A withdrawal knows only the `txid`. The day is compared only for a first
 * attempt, and only if the bank must not adjust it to a business day.
 */
function askedOf({ charge, kind, settlementDate, recurrenceId, amount, adjustsToBusinessDay }: Named): Facts {
  const isItsDay = kind === 'FIRST_ATTEMPT' && adjustsToBusinessDay === false;
  return {
    txid: bankId(charge),
    idRec: recurrenceId,
    valor: amount,
    dataDeVencimento: isItsDay ? settlementDate : undefined,
  };
}

function isFinalAttempt({ history }: RecurringChargeState['attempts'][number]): boolean {
  const last = history.at(-1)?.status;
  return last !== undefined && last !== 'REQUESTED' && last !== 'SCHEDULED';
}

function bodyOf(connected: Connected, order: ChargeInstruction): object {
  const { recurrenceId: idRec, settlementDate, amount, receiver, description, adjustsToBusinessDay } = order;
  const { agencia, conta, tipoConta } = efiAccount(connected, receiver);
  return {
    idRec,
    ...(description !== undefined && description !== '' && { infoAdicional: firstOf(description, 140) }),
    calendario: { dataDeVencimento: settlementDate },
    valor: { original: formatAmount(amount) },
    ajusteDiaUtil: adjustsToBusinessDay,
    recebedor: { agencia, conta, tipoConta },
  };
}
