import { crc16, encodeObject } from '#shared/core/br-code/tlv.ts';
import type { Centavos } from '#shared/core/money.ts';
import { formatAmount } from '#shared/core/money.ts';

type StaticCode = {
  readonly merchant: { readonly name: string; readonly city: string };
  readonly pixKey: string;
  readonly info?: string;
  /** ISPB of the facilitator of Pix Saque or Troco. */
  readonly facilitator?: string;
  readonly amount?: Centavos;
  readonly txid?: string;
  readonly recurrenceUrl?: string;
};

/** A static code, as others write them: this service reads them alone (BCB, MPI, 2.6; with a recurrence 2.8.5.2). */
export function buildStaticCode({ merchant, pixKey, info, ...more }: StaticCode): string {
  const { facilitator, amount, txid = '***', recurrenceUrl } = more;
  const gui = encodeObject('00', 'br.gov.bcb.pix');
  const optional = (id: string, value: string | undefined) => (value === undefined ? '' : encodeObject(id, value));
  const body = [
    '000201',
    encodeObject('26', gui + encodeObject('01', pixKey) + optional('02', info) + optional('03', facilitator)),
    '52040000',
    '5303986',
    optional('54', amount && formatAmount(amount)),
    '5802BR',
    encodeObject('59', ascii(merchant.name, 25)),
    encodeObject('60', ascii(merchant.city, 15)),
    encodeObject('62', encodeObject('05', txid)),
    recurrenceUrl === undefined ? '' : encodeObject('80', gui + encodeObject('25', recurrenceUrl)),
    '6304',
  ].join('');
  return body + crc16(body);
}

function ascii(text: string, most: number): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '').slice(0, most);
}
