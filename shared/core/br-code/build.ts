import { asciiText } from '../ascii.ts';
import { crc16, encodeObject } from './tlv.ts';
import { parseLocation, pixGui } from './location.ts';

/** The receiver in the code: any text, made ASCII and cut to fit. */
type Merchant = { name: string; city: string };

type Layout = { singleUse: boolean; pix: string; merchant: Merchant; recurrence?: string };

/** Builds the code of a cob: only its location (2.7), for a single use. */
export function buildDynamicCode(fields: { merchant: Merchant; url: string }): string {
  return assemble({ singleUse: true, pix: locationObject(fields.url), merchant: fields.merchant });
}

/** The code of journey 2: authorizes a rec and charges nothing (2.8.5.1). */
export function buildRecurrenceCode(fields: { merchant: Merchant; recurrenceUrl: string }): string {
  const recurrence = recurrenceObject(fields.recurrenceUrl);
  return assemble({ singleUse: false, pix: '', merchant: fields.merchant, recurrence });
}

/** Builds the code of journey 3, which pays a cob and authorizes a rec (2.8.5.3). Both must be at one host. */
export function buildCompositeCode(fields: { merchant: Merchant; url: string; recurrenceUrl: string }): string {
  const pix = locationObject(fields.url);
  const recurrence = recurrenceObject(fields.recurrenceUrl);
  if (parseLocation(fields.url)?.host !== parseLocation(fields.recurrenceUrl)?.host)
    throw new RangeError('Charge and recurrence of a composite code must have the same host');
  return assemble({ singleUse: true, pix, merchant: fields.merchant, recurrence });
}

/** Builds a code with its objects in the order of the BCB's examples. The CRC depends on the order. */
function assemble({ singleUse, pix, merchant, recurrence }: Layout): string {
  const body = [
    encodeObject('00', '01'),
    singleUse ? encodeObject('01', '12') : '',
    encodeObject('26', encodeObject('00', pixGui) + pix),
    encodeObject('52', '0000'),
    encodeObject('53', '986'),
    encodeObject('58', 'BR'),
    encodeObject('59', merchantText('name', merchant.name, 25)),
    encodeObject('60', merchantText('city', merchant.city, 15)),
    encodeObject('62', encodeObject('05', '***')),
    recurrence === undefined ? '' : encodeObject('80', encodeObject('00', pixGui) + recurrence),
    '6304',
  ].join('');
  return body + crc16(body);
}

function locationObject(url: string): string {
  if (!parseLocation(url)) throw new RangeError(`Invalid location (at most 77 characters, no scheme): ${url}`);
  return encodeObject('25', url);
}

function recurrenceObject(url: string): string {
  if (!parseLocation(url)?.path.includes('/rec/'))
    throw new RangeError(`Invalid recurrence location (at most 77 characters, with a segment /rec/): ${url}`);
  return encodeObject('25', url);
}

/**
 * Returns a name or city in ASCII, cut to the maximum. The cut is harmless: the payer's bank shows the name from the
 * DICT.
 */
function merchantText(field: 'name' | 'city', text: string, maxCharacters: number): string {
  const cut = asciiText(text).slice(0, maxCharacters).trimEnd();
  if (cut === '') throw new RangeError(`The merchant's ${field} has no character that a BR Code can carry`);
  return cut;
}
