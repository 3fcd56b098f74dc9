import { parseAmount } from '../money.ts';
import type { Centavos } from '../money.ts';
import { crc16, decodeObjects } from './tlv.ts';
import { parseLocation, pixGui } from './location.ts';
import type { TlvFault, TlvObjects } from './tlv.ts';

export type BrCodeFault =
  /** More than 512 characters. */
  | 'TOO_LONG'
  /** A character outside printable ASCII: its length and its CRC would depend on the reader. */
  | 'NOT_ASCII'
  /** It does not begin with format 01 and end with a CRC object. */
  | 'NOT_A_BR_CODE'
  | 'WRONG_CRC'
  | TlvFault
  /** One of merchant category, currency, country, merchant name and city is not there. */
  | 'MISSING_OBJECT'
  /** Another currency than BRL (986), or another country than BR. */
  | 'NOT_BRAZILIAN'
  /** No template of the Pix arrangement, or one without key, charge and recurrence. */
  | 'NOT_PIX'
  /** Two templates of the Pix arrangement, or a key beside the address of a charge. */
  | 'AMBIGUOUS'
  | 'BAD_URL'
  | 'BAD_AMOUNT';

type StaticCode = {
  kind: 'STATIC';
  pixKey: string;
  amount?: Centavos;
  txid?: string;
  info?: string;
  recurrenceUrl?: string;
};
/** Amount, key and txid of a dynamic code are behind its address; what the code says of them does not count. */
type DynamicCode = { kind: 'DYNAMIC'; url: string; recurrenceUrl?: string };
/** Only the authorization of a recurrence: there is nothing to pay. */
type RecurrenceOnlyCode = { kind: 'RECURRENCE_ONLY'; recurrenceUrl: string };
type InvalidCode = { kind: 'INVALID'; reason: BrCodeFault };
type BrCode = StaticCode | DynamicCode | RecurrenceOnlyCode | InvalidCode;

type Objects = { root: TlvObjects; templates: ReadonlyMap<string, TlvObjects> };

const maxLength = 512;
const printableAscii = /^[\x20-\x7e]*$/;
const frame = /^000201.*6304[0-9A-Fa-f]{4}$/;
const mandatory = ['52', '53', '58', '59', '60'];

/**
 * Reads what a payer copied or scanned, strictly (EMV QRCPS-MPM; BCB, Manual de Padrões para Iniciação do Pix, 2.5 to
 * 2.8 and 3.3.2). Whether a code is static or dynamic follows from what its Pix template holds, never from object 01,
 * which is optional. A recurrence beside something payable is an offer: one that cannot be read is left out.
 * Never throws; surrounding blanks are ignored.
 */
export function parseBrCode(text: string): BrCode {
  const code = text.trim();
  const fault = frameFault(code);
  if (fault !== undefined) return invalid(fault);
  const objects = readObjects(code);
  return typeof objects === 'string' ? invalid(objects) : classify(objects);
}

function frameFault(code: string): BrCodeFault | undefined {
  if (code.length > maxLength) return 'TOO_LONG';
  if (!printableAscii.test(code)) return 'NOT_ASCII';
  if (!frame.test(code)) return 'NOT_A_BR_CODE';
  return crc16(code.slice(0, -4)) === code.slice(-4).toUpperCase() ? undefined : 'WRONG_CRC';
}

function readObjects(code: string): Objects | BrCodeFault {
  const root = decodeObjects(code);
  if (typeof root === 'string') return root;
  // The last eight characters may look like a CRC object and yet be the tail of another object's value.
  if ([...root.keys()].at(-1) !== '63') return 'BROKEN_TLV';
  if (mandatory.some((id) => !root.has(id))) return 'MISSING_OBJECT';
  if (root.get('53') !== '986' || root.get('58') !== 'BR') return 'NOT_BRAZILIAN';
  const templates = new Map<string, TlvObjects>();
  for (const [id, value] of root) {
    if (!isTemplate(id)) continue;
    const objects = decodeObjects(value);
    if (typeof objects === 'string') return objects;
    templates.set(id, objects);
  }
  return { root, templates };
}

function classify({ root, templates }: Objects): BrCode {
  const [pix, ...morePix] = pixTemplates(templates, isAccountTemplate);
  const [recurrence, ...moreRecurrences] = pixTemplates(templates, isUnreservedTemplate);
  if (!pix) return invalid('NOT_PIX');
  if (morePix.length > 0 || moreRecurrences.length > 0) return invalid('AMBIGUOUS');
  const pixKey = pix.get('01');
  const url = pix.get('25');
  const recurrenceUrl = recurrence?.get('25');
  if (pixKey !== undefined && url !== undefined) return invalid('AMBIGUOUS');
  if (pixKey === undefined && url === undefined) {
    if (recurrenceUrl === undefined) return invalid('NOT_PIX');
    return parseLocation(recurrenceUrl) ? { kind: 'RECURRENCE_ONLY', recurrenceUrl } : invalid('BAD_URL');
  }
  const offer = recurrenceUrl !== undefined && parseLocation(recurrenceUrl) ? { recurrenceUrl } : {};
  if (url !== undefined) return parseLocation(url) ? { kind: 'DYNAMIC', url, ...offer } : invalid('BAD_URL');
  return staticCode(pixKey ?? '', pix.get('02'), root.get('54'), templates.get('62')?.get('05'), offer);
}

function staticCode(
  pixKey: string,
  info: string | undefined,
  amountText: string | undefined,
  txid: string | undefined,
  offer: { recurrenceUrl?: string },
): StaticCode | InvalidCode {
  // The field may be filled with zeros in front, which an amount of the API may not.
  const amount = amountText === undefined ? undefined : parseAmount(amountText.replace(/^0+(?=[0-9])/, ''));
  if (amountText !== undefined && amount === undefined) return invalid('BAD_AMOUNT');
  return {
    kind: 'STATIC',
    pixKey,
    ...(amount !== undefined && { amount }),
    ...(txid !== undefined && txid !== '***' && { txid }),
    ...(info !== undefined && { info }),
    ...offer,
  };
}

function pixTemplates(templates: Objects['templates'], within: (id: string) => boolean): TlvObjects[] {
  return [...templates]
    .filter(([id, objects]) => within(id) && objects.get('00')?.toLowerCase() === pixGui)
    .map(([, objects]) => objects);
}

function isAccountTemplate(id: string): boolean {
  return id >= '26' && id <= '51';
}

function isUnreservedTemplate(id: string): boolean {
  return id >= '80' && id <= '99';
}

function isTemplate(id: string): boolean {
  return id === '62' || isAccountTemplate(id) || isUnreservedTemplate(id);
}

function invalid(reason: BrCodeFault): InvalidCode {
  return { kind: 'INVALID', reason };
}
