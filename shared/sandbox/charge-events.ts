import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import { chargeRefusalCodes, settlementErrorCodes } from './pix-error-codes.ts';
import type { Resender } from '#shared/scheduled-payments/model.ts';
import type { ChargeEvent } from '#shared/scheduled-payments/states.ts';
import { requestedCode } from '#shared/bank/simulated/reserved.ts';

/** Events of the bank about a scheduled payment that a simulation tool can cause (specification, 4.9). */
export const simulatedChargeTriggers = [
  'ACCEPTED',
  'COMPLETED',
  'REJECTED',
  'CANCELED',
  'CANCELED_INSUFFICIENT_BALANCE',
  'ERROR',
  'CANCELED_SETTLEMENT_ERROR',
  'CANCELLATION_PENDING',
  'CANCELLATION_REJECTED',
] as const;

type EventSource = {
  readonly ids: Ids;
  readonly at: Instant;
  readonly whoResends: Resender;
  /** Of the payment: it may request a code. */
  readonly description?: string | undefined;
};

/**
 * What a bank's callback about a recurring charge would carry. Codes are those that the payment's description requests,
 * else drawn from the list that fits.
 */
export function simulatedChargeEvent(
  trigger: (typeof simulatedChargeTriggers)[number],
  { ids, at, whoResends, description }: EventSource,
): ChargeEvent {
  const codeOf = (codes: readonly [string, ...string[]]): string =>
    codes.find((code) => code === requestedCode(description)) ?? drawCode(codes, ids);
  if (trigger === 'REJECTED') return { trigger, at, errorCode: codeOf(chargeRefusalCodes) };
  if (trigger === 'ERROR') return { trigger, at, errorCode: codeOf(settlementErrorCodes) };
  return trigger === 'CANCELED_SETTLEMENT_ERROR' ? { trigger, at, resentBy: whoResends } : { trigger, at };
}

function drawCode(codes: readonly [string, ...string[]], ids: Ids): string {
  return codes[Number(ids.digits(4)) % codes.length] ?? codes[0];
}
