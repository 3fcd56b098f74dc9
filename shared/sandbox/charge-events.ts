import type { Instant } from '../core/brasilia-time.ts';
import type { Ids } from '../core/identifiers.ts';
import type { Resender } from '../scheduled-payments/model.ts';
import type { ChargeEvent } from '../scheduled-payments/states.ts';
import { requestedCode } from '../bank/simulated/reserved.ts';
import type { SpiRejection } from '../core/spi-codes.ts';

/** Bank events of a scheduled payment that a simulation tool can cause (specification, 4.9). */
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
  readonly resentBy: Resender;
  /** The payment's description: it may request a code. */
  readonly description?: string | undefined;
};

/**
 * Returns the event of a bank's callback about a cobr. Its code is the one that the payment's description requests,
 * else a random one of the list.
 */
export function simulatedChargeEvent(
  trigger: (typeof simulatedChargeTriggers)[number],
  { ids, at, resentBy, description }: EventSource,
): ChargeEvent {
  const codeOf = (codes: readonly [string, ...string[]]): string =>
    codes.find((code) => code === requestedCode(description)) ?? drawCode(codes, ids);
  if (trigger === 'REJECTED') return { trigger, at, errorCode: codeOf(chargeRejectionCodes) };
  if (trigger === 'ERROR') return { trigger, at, errorCode: codeOf(settlementErrorCodes) };
  return trigger === 'CANCELED_SETTLEMENT_ERROR' ? { trigger, at, resentBy } : { trigger, at };
}

function drawCode(codes: readonly [string, ...string[]], ids: Ids): string {
  return codes[Number(ids.digits(4)) % codes.length] ?? codes[0];
}

/**
 * Why the payer's bank rejects a cobr (BCB, API Pix, `rejeicao` of an attempt; ISO 20022 pain.014 in the SPI). Other
 * codes of a bank are kept as text.
 */
export const chargeRejectionCodes = [
  'AB10',
  'AC05',
  'AC06',
  'AM02',
  'AM09',
  'DENC',
  'DS27',
  'DTED',
  'DTNT',
  'FBRD',
  'IRNT',
  'MIDI',
  'MSUC',
  'NIEC',
  'NIPA',
  'NITX',
  'QUNT',
  'RC09',
  'UDEI',
] as const;

/** Settlement errors (BCB, SPI, ISO 20022 pacs.002). */
export const settlementErrorCodes = [
  'AB03',
  'AB09',
  'AC03',
  'AC06',
  'AC07',
  'AG03',
  'BE01',
  'DS04',
  'FRAD',
] as const satisfies readonly SpiRejection[];
