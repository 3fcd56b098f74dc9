import { formatAmount, maxAmount } from '../money.ts';
import type { Centavos } from '../money.ts';
import { crc16, encodeObject } from './tlv.ts';
import { parseLocation, pixGui } from './location.ts';

/** The receiver as the code shows it; any text, brought to ASCII and cut to what the code can carry. */
type Merchant = { name: string; city: string };

type Layout = {
  singleUse: boolean;
  pix: string;
  amount?: string;
  merchant: Merchant;
  txid: string;
  recurrence?: string;
};

const maxName = 25;
const maxCity = 15;
const maxKey = 77;
const maxInfo = 72;
const noTxid = '***';
const staticTxid = /^[A-Za-z0-9]{1,25}$/;
const printableAscii = /^[\x20-\x7e]+$/;

/**
 * A static code: key, amount and text are in the code itself (BCB, Manual de Padrões para Iniciação do Pix, 2.6).
 * With `recurrenceUrl` the payer is offered a recurrence after paying (2.8.5.2).
 *
 * @throws RangeError naming what does not fit: key 1 to 77 characters, info 1 to 72, both together within the 99 of the
 * template; txid 1 to 25 letters and digits; amount above zero and at most ten digits of reais.
 */
export function buildStaticCode(of: {
  merchant: Merchant;
  pixKey: string;
  info?: string;
  amount?: Centavos;
  txid?: string;
  recurrenceUrl?: string;
}): string {
  if (of.pixKey.length > maxKey || !printableAscii.test(of.pixKey)) {
    throw new RangeError(`A Pix key has 1 to ${maxKey} ASCII characters`);
  }
  if (of.txid !== undefined && !staticTxid.test(of.txid)) {
    throw new RangeError('The txid of a static code has 1 to 25 letters and digits');
  }
  return assemble({
    singleUse: false,
    pix: encodeObject('01', of.pixKey) + (of.info === undefined ? '' : encodeObject('02', requireInfo(of.info))),
    merchant: of.merchant,
    txid: of.txid ?? noTxid,
    ...(of.amount !== undefined && { amount: requireAmount(of.amount) }),
    ...(of.recurrenceUrl !== undefined && { recurrence: recurrenceObject(of.recurrenceUrl) }),
  });
}

/** The code of a charge: it carries only the address of the charge's payload (2.7) and is used once. */
export function buildDynamicCode(of: { merchant: Merchant; url: string }): string {
  return assemble({ singleUse: true, pix: locationObject(of.url), merchant: of.merchant, txid: noTxid });
}

/** The code of journey 2: it authorizes a recurrence and charges nothing (2.8.5.1). */
export function buildRecurrenceCode(of: { merchant: Merchant; recurrenceUrl: string }): string {
  const recurrence = recurrenceObject(of.recurrenceUrl);
  return assemble({ singleUse: false, pix: '', merchant: of.merchant, txid: noTxid, recurrence });
}

/** The code of journey 3: it pays a charge and authorizes a recurrence (2.8.5.3). Both addresses share one host. */
export function buildCompositeCode(of: { merchant: Merchant; url: string; recurrenceUrl: string }): string {
  const pix = locationObject(of.url);
  const recurrence = recurrenceObject(of.recurrenceUrl);
  if (parseLocation(of.url)?.host !== parseLocation(of.recurrenceUrl)?.host) {
    throw new RangeError('Charge and recurrence of a composite code must have the same host');
  }
  return assemble({ singleUse: true, pix, merchant: of.merchant, txid: noTxid, recurrence });
}

/** The order of the BCB's own examples; the order is part of what the CRC covers. */
function assemble({ singleUse, pix, amount, merchant, txid, recurrence }: Layout): string {
  const body = [
    encodeObject('00', '01'),
    singleUse ? encodeObject('01', '12') : '',
    encodeObject('26', encodeObject('00', pixGui) + pix),
    encodeObject('52', '0000'),
    encodeObject('53', '986'),
    amount === undefined ? '' : encodeObject('54', amount),
    encodeObject('58', 'BR'),
    encodeObject('59', merchantText('name', merchant.name, maxName)),
    encodeObject('60', merchantText('city', merchant.city, maxCity)),
    encodeObject('62', encodeObject('05', txid)),
    recurrence === undefined ? '' : encodeObject('80', encodeObject('00', pixGui) + recurrence),
    '6304',
  ].join('');
  return body + crc16(body);
}

function locationObject(url: string): string {
  if (!parseLocation(url)) throw new RangeError(`Not an address of at most 77 characters without a scheme: ${url}`);
  return encodeObject('25', url);
}

function recurrenceObject(url: string): string {
  if (!parseLocation(url)?.path.includes('/rec/')) {
    throw new RangeError(`Not an address of at most 77 characters with a segment /rec/: ${url}`);
  }
  return encodeObject('25', url);
}

function requireAmount(amount: Centavos): string {
  if (amount <= 0 || amount > maxAmount) throw new RangeError(`A BR Code cannot ask for ${amount} centavos`);
  return formatAmount(amount);
}

/** The text for the payer is never cut: half a sentence could mean something else. */
function requireInfo(info: string): string {
  const text = toAscii(info);
  if (text.length > maxInfo) throw new RangeError(`The info of a static code has 1 to ${maxInfo} characters`);
  return text;
}

/** Cutting is harmless here: the payer's bank shows the name that the DICT has. */
function merchantText(what: 'name' | 'city', text: string, maxCharacters: number): string {
  const cut = toAscii(text).slice(0, maxCharacters).trimEnd();
  if (cut === '') throw new RangeError(`The merchant's ${what} has no character that a BR Code can carry`);
  return cut;
}

/** Accents and look-alikes become plain letters, whatever else is not printable ASCII is left out. */
function toAscii(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[‐-―−]/g, '-')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[^\x20-\x7e]/g, '')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}
