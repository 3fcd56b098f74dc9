import type { BrCodeFault } from '#shared/core/br-code/parse.ts';
import { parseBrCode } from '#shared/core/br-code/parse.ts';
import { decodeObjects } from '#shared/core/br-code/tlv.ts';
import type { Centavos } from '#shared/core/money.ts';

/** What the app of a payer's bank shows of a BR Code before it asks anybody. */
export type PayerCode =
  | { readonly kind: 'INVALID'; readonly reason: string }
  | {
      readonly kind: 'STATIC' | 'DYNAMIC' | 'RECURRENCE_ONLY';
      readonly payee: string;
      readonly city: string;
      readonly amount?: Centavos;
      readonly pixKey?: string;
      readonly txid?: string;
      readonly info?: string;
      /** Where the charge is described. */
      readonly url?: string;
      readonly recurrenceUrl?: string;
    };

const faults: Readonly<Record<BrCodeFault, string>> = {
  TOO_LONG: 'It has more than 512 characters.',
  NOT_ASCII: 'It has characters outside printable ASCII.',
  NOT_A_BR_CODE: 'It does not begin with 000201 and end with a check value: this is no BR Code.',
  WRONG_CRC: 'Its check value is wrong: a character was changed or lost.',
  BROKEN_TLV: 'Its objects do not add up: a length is wrong.',
  DUPLICATE_OBJECT: 'It has an object twice.',
  MISSING_OBJECT: 'It lacks an object that every BR Code has.',
  NOT_BRAZILIAN: 'Its currency or country is not that of Brazil.',
  NOT_PIX: 'It is of another arrangement than PIX.',
  AMBIGUOUS: 'It says twice whom to pay.',
  BAD_URL: 'The address in it is none.',
  BAD_AMOUNT: 'The amount in it is none.',
};

/** Reads a code by the service's own codec. */
export function readPayerCode(text: string): PayerCode {
  const read = parseBrCode(text);
  if (read.kind === 'INVALID') return { kind: 'INVALID', reason: faults[read.reason] };
  const objects = decodeObjects(text.trim());
  const object = (id: string): string => (typeof objects === 'string' ? '' : (objects.get(id) ?? ''));
  return { ...read, payee: object('59'), city: object('60') };
}
