import { parseAmount } from '../money.ts';
import type { Centavos } from '../money.ts';
import { isVisible } from '../visible.ts';
import { crc16, decodeObjects } from './tlv.ts';
import { parseLocation, pixGui } from './location.ts';
import type { LengthUnit, TlvError, TlvObjects } from './tlv.ts';

export type BrCodeError =
  /** More than 512 characters. */
  | 'TOO_LONG'
  /** A control character, an invisible character or a lone surrogate. */
  | 'UNREADABLE'
  /** A key or a txid outside printable ASCII. */
  | 'NOT_ASCII'
  /** No format 01 at the beginning or no CRC object at the end. */
  | 'NOT_A_BR_CODE'
  | 'WRONG_CRC'
  | TlvError
  /** No merchant category, currency, country, merchant name or city. */
  | 'MISSING_OBJECT'
  /** Not BRL (986), or not BR. */
  | 'NOT_BRAZILIAN'
  /** No Pix template, or one without key, charge and rec. */
  | 'NOT_PIX'
  /**
   * Two Pix templates, both a key and a location, or two payments depending on whether lengths count characters or
   * bytes.
   */
  | 'AMBIGUOUS'
  /** Pix Saque or Pix Troco: it names the facilitator that hands out the cash. */
  | 'CASH_OUT'
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
/** The payload at `url` has amount, key and txid. Amount and txid in the code itself are ignored. */
type DynamicCode = { kind: 'DYNAMIC'; url: string; recurrenceUrl?: string };
/** Authorizes a rec; nothing is paid. */
type RecurrenceOnlyCode = { kind: 'RECURRENCE_ONLY'; recurrenceUrl: string };
type InvalidCode = { kind: 'INVALID'; reason: BrCodeError };
type BrCode = StaticCode | DynamicCode | RecurrenceOnlyCode | InvalidCode;

type Objects = { root: TlvObjects; templates: ReadonlyMap<string, TlvObjects> };

const maxLength = 512;
const printableAscii = /^[\x20-\x7e]*$/;
const frame = /^000201.*6304[0-9A-Fa-f]{4}$/;
const mandatory = ['52', '53', '58', '59', '60'];

/**
 * Reads a BR Code strictly (EMV QRCPS-MPM; BCB, MPI, 2.5 to 2.8 and 3.3.2). The Pix template decides between static and
 * dynamic, never the optional object 01. A rec in a payable code is only an offer: a rec with an invalid location is
 * left out. Names and messages may be in UTF-8, with lengths in characters or in bytes. Never throws. Outer blanks are
 * ignored, and a code with line breaks is joined.
 */
export function parseBrCode(text: string): BrCode {
  const code = brCodeText(text);
  const error = frameError(code);
  if (error !== undefined) return invalid(error);
  const byCharacters = read(code, 'CHARACTERS');
  const byBytes = printableAscii.test(code) ? byCharacters : read(code, 'BYTES');
  if (typeof byCharacters === 'string') return typeof byBytes === 'string' ? invalid(byCharacters) : byBytes;
  return typeof byBytes === 'string' || paysTheSame(byCharacters, byBytes) ? byCharacters : invalid('AMBIGUOUS');
}

/**
 * Returns the code without outer blanks. Line breaks inside are removed if the checksum then holds. This text is the
 * one that is checked, stored, shown and sent.
 */
export function brCodeText(text: string): string {
  const code = text.trim();
  if (!/[\r\n]/u.test(code)) return code;
  // A blank at the end of a line belongs to the code, or to the program that wrapped it.
  const joined = [/[\r\n]+/gu, /[ \t]*[\r\n]+[ \t]*/gu].map((breaks) => code.replaceAll(breaks, ''));
  return joined.find((candidate) => frameError(candidate) === undefined) ?? code;
}

function frameError(code: string): BrCodeError | undefined {
  if (code.length > maxLength) return 'TOO_LONG';
  if (!isVisible(code)) return 'UNREADABLE';
  if (!frame.test(code)) return 'NOT_A_BR_CODE';
  return crc16(code.slice(0, -4)) === code.slice(-4).toUpperCase() ? undefined : 'WRONG_CRC';
}

/** Parses the code with its lengths in one unit; returns an error if that is impossible. */
function read(code: string, unit: LengthUnit): BrCode | BrCodeError {
  const objects = readObjects(code, unit);
  return typeof objects === 'string' ? objects : classify(objects);
}

/** Whether two readings are the same payment. Fields that are only shown are not compared. */
function paysTheSame(a: BrCode, b: BrCode): boolean {
  return JSON.stringify(paidBy(a)) === JSON.stringify(paidBy(b));
}

function paidBy(code: BrCode): readonly unknown[] {
  switch (code.kind) {
    case 'STATIC':
      return [code.kind, code.pixKey, code.amount, code.txid];
    case 'DYNAMIC':
      return [code.kind, code.url];
    case 'RECURRENCE_ONLY':
      return [code.kind, code.recurrenceUrl];
    case 'INVALID':
      return [code.kind, code.reason];
  }
}

function readObjects(code: string, unit: LengthUnit): Objects | BrCodeError {
  const root = decodeObjects(code, unit);
  if (typeof root === 'string') return root;
  // The CRC object must be the last: the last eight characters may also be the tail of another object.
  if ([...root.keys()].at(-1) !== '63') return 'BROKEN_TLV';
  if (mandatory.some((id) => !root.has(id))) return 'MISSING_OBJECT';
  if (root.get('53') !== '986' || root.get('58') !== 'BR') return 'NOT_BRAZILIAN';
  const templates = new Map<string, TlvObjects>();
  for (const [id, value] of root) {
    if (!isTemplate(id)) continue;
    const objects = decodeObjects(value, unit);
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
  // `fss`, the ISPB of the facilitator (BCB, MPI, 2.6). Dynamic codes have it in the payload at their location.
  if (pix.has('03')) return invalid('CASH_OUT');
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
  const [info, amountText, txid] = [pix.get('02'), root.get('54'), templates.get('62')?.get('05')];
  // Key and txid are sent to the bank.
  if (![pixKey, txid].every((text) => printableAscii.test(text ?? ''))) return invalid('NOT_ASCII');
  const amount = amountText === undefined ? undefined : parseAmount(apiAmount(amountText));
  if (amountText !== undefined && amount === undefined) return invalid('BAD_AMOUNT');
  return {
    kind: 'STATIC',
    pixKey: pixKey ?? '',
    ...(amount !== undefined && { amount }),
    ...(txid !== undefined && txid !== '***' && { txid }),
    ...(info !== undefined && { info }),
    ...offer,
  };
}

/** Returns the amount in the form of the API. EMV allows leading zeros and a trailing point, the API does not. */
function apiAmount(text: string): string {
  return text.replace(/^0+(?=[0-9])/, '').replace(/(?<=[0-9])\.$/, '');
}

function pixTemplates(templates: Objects['templates'], within: (id: string) => boolean): TlvObjects[] {
  return [...templates]
    .filter(([id, objects]) => within(id) && objects.get('00')?.toLowerCase() === pixGui)
    .map(([, objects]) => objects);
}

const isAccountTemplate = (id: string): boolean => id >= '26' && id <= '51';
const isUnreservedTemplate = (id: string): boolean => id >= '80';
const isTemplate = (id: string): boolean => id === '62' || isAccountTemplate(id) || isUnreservedTemplate(id);

function invalid(reason: BrCodeError): InvalidCode {
  return { kind: 'INVALID', reason };
}
