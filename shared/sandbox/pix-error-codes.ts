import type { SpiRefusal } from '../core/spi-codes.ts';

/**
 * Why the payer's institution refuses a recurring charge (BCB, API Pix, `rejeicao` of an attempt of a CobR; ISO 20022
 * pain.014 in the SPI). A code that a bank tells is kept as text, whether it is listed here or not.
 */
export const chargeRefusalCodes = [
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

/** Why a payment on its way was not settled (BCB, SPI, ISO 20022 pacs.002). */
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
] as const satisfies readonly SpiRefusal[];
