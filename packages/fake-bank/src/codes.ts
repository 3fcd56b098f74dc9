import { amountText, cents } from './amounts.ts';

// BR Codes: data objects of EMV QRCPS-MPM, each an id of two digits, a length of two digits and a value (BCB, Manual de
// Padrões para Iniciação do Pix, 2.5 to 2.8). This module does not use pix-utils 2.8.2, which writes none of BCB's
// examples byte for byte (no object 01, names in upper case), refuses long names instead of cutting them, reads a key
// of another arrangement as the Pix key, finds no recurrence outside template 80, and depends on axios and qrcode.

/** Content of a BR Code. Locations are without a scheme. */
type Code =
  | { readonly kind: 'STATIC'; readonly chave: string; readonly valor?: string; readonly txid?: string }
  | { readonly kind: 'DYNAMIC'; readonly location: string; readonly recLocation?: string }
  | { readonly kind: 'RECURRENCE'; readonly recLocation: string };

type Receiver = { readonly nome: string; readonly cidade: string };
type Locations =
  | { readonly location: string; readonly recLocation?: string }
  | { readonly location?: never; readonly recLocation: string };

/** Identifies Pix among payment arrangements; in any letter case when read (note 10 of the manual). */
const gui = 'br.gov.bcb.pix';
const maxLength = 512;
const maxLocationLength = 77;
const noTxid = '***';

/**
 * Writes the code of a charge (2.7.2), of a recurrence (2.8.5.1), or of both (2.8.5.3), byte for byte as the manual's
 * examples.
 *
 * @throws RangeError for a location of more than 77 characters, or a receiver without any character of ASCII.
 */
export function writeCode({ nome, cidade }: Receiver, { location, recLocation }: Locations): string {
  const text = [
    object('00', '01'),
    ...(location === undefined ? [] : [object('01', '12')]),
    object('26', template(location)),
    object('52', '0000'),
    object('53', '986'),
    object('58', 'BR'),
    object('59', plain(nome, 25)),
    object('60', plain(cidade, 15)),
    object('62', object('05', noTxid)),
    ...(recLocation === undefined ? [] : [object('80', template(recLocation))]),
    '6304',
  ].join('');
  return `${text}${crc(text)}`;
}

function template(url: string | undefined): string {
  if (url !== undefined && url.length > maxLocationLength)
    throw new RangeError(`A location of a BR Code has at most ${maxLocationLength} characters: ${url}`);
  return `${object('00', gui)}${url === undefined ? '' : object('25', url)}`;
}

function object(id: string, value: string): string {
  return `${id}${String(value.length).padStart(2, '0')}${value}`;
}

/** Removes accents and characters outside EMV's set, and cuts the text. @throws RangeError if it is empty. */
function plain(text: string, most: number): string {
  const ascii = text
    .normalize('NFD')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[^ -~]/gu, '');
  const cut = ascii.trim().slice(0, most).trimEnd();
  if (cut === '') throw new RangeError(`${text} has no character that a BR Code can carry.`);
  return cut;
}

/** Reads a code. Returns undefined for a code that is damaged, not of Pix, for a cash withdrawal, or ambiguous. */
export function readCode(text: string): Code | undefined {
  const root = readRoot(text);
  const [pix, otherPix] = root === undefined ? [] : pixTemplates(root, 26, 51);
  const [offer, otherOffer] = root === undefined ? [] : pixTemplates(root, 80, 99);
  if (root === undefined || pix === undefined || otherPix !== undefined || otherOffer !== undefined) return undefined;
  const [chave, cash, location] = ['01', '03', '25'].map((id) => pix.get(id));
  if (cash !== undefined || (chave !== undefined && location !== undefined)) return undefined;
  if (chave !== undefined) return staticCode(root, chave);
  const recLocation = offer?.get('25');
  const recurrence = recLocation !== undefined && isLocation(recLocation) ? { recLocation } : undefined;
  if (location !== undefined) return isLocation(location) ? { kind: 'DYNAMIC', location, ...recurrence } : undefined;
  return recurrence && { kind: 'RECURRENCE', ...recurrence };
}

/** Returns the objects of a complete Brazilian code with a correct CRC. */
function readRoot(text: string): Objects | undefined {
  if (text.length > maxLength || !/^000201.*6304[0-9A-F]{4}$/isu.test(text)) return undefined;
  const root = readObjects(text);
  const [lastId, checksum] = [...(root ?? [])].at(-1) ?? [];
  if (root === undefined || lastId !== '63' || checksum?.toUpperCase() !== crc(text.slice(0, -4))) return undefined;
  const isComplete = ['52', '59', '60'].every((id) => root.has(id));
  const isOfBrazil = root.get('53') === '986' && root.get('58') === 'BR';
  const templates = [...root].filter(([id]) => isBetween(id, 26, 51) || id === '62' || isBetween(id, 80, 99));
  const isWhole = templates.every(([, value]) => readObjects(value) !== undefined);
  return isComplete && isOfBrazil && isWhole ? root : undefined;
}

/** Reads a static code with its amount and `txid`. A dynamic code has both at its location (2.7). */
function staticCode(root: Objects, chave: string): Code | undefined {
  const amount = root.get('54');
  const valor = amount === undefined ? undefined : readAmount(amount);
  if (amount !== undefined && valor === undefined) return undefined;
  const txid = readObjects(root.get('62') ?? '')?.get('05');
  return {
    kind: 'STATIC',
    chave,
    ...(valor !== undefined && { valor }),
    ...(txid !== undefined && txid !== noTxid && { txid }),
  };
}

/** Reads an amount above zero, with or without decimals: `98.73`, `98.`, `98` (EMV QRCPS-MPM, transaction amount). */
function readAmount(text: string): string | undefined {
  if (!/^\d{1,10}(?:\.\d{0,2})?$/u.test(text)) return undefined;
  const [reais = '', decimals = ''] = text.split('.');
  const centavos = cents(`${reais}.${decimals.padEnd(2, '0')}`);
  return centavos > 0 ? amountText(centavos) : undefined;
}

/** Returns the templates of Pix in a range of ids: 26 to 51 for a payment, 80 to 99 for a recurrence (2.8.3). */
function pixTemplates(root: Objects, first: number, last: number): readonly Objects[] {
  return [...root]
    .filter(([id]) => isBetween(id, first, last))
    .map(([, value]) => readObjects(value))
    .filter((candidate): candidate is Objects => candidate?.get('00')?.toLowerCase() === gui);
}

function isBetween(id: string, first: number, last: number): boolean {
  return Number(id) >= first && Number(id) <= last;
}

/** A host and a path, without a scheme (2.5.2). */
function isLocation(url: string): boolean {
  return url.length <= maxLocationLength && /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:\/[\w.~-]+)+$/iu.test(url);
}

type Objects = ReadonlyMap<string, string>;

/** Returns objects by id; undefined if a length does not fit or an id repeats. Lengths count characters, not bytes. */
function readObjects(text: string): Objects | undefined {
  const characters = Array.from(text);
  const objects = new Map<string, string>();
  for (let at = 0; at < characters.length;) {
    const head = characters.slice(at, at + 4).join('');
    const end = at + 4 + Number(head.slice(2));
    if (!/^\d{4}$/u.test(head) || end > characters.length || objects.has(head.slice(0, 2))) return undefined;
    objects.set(head.slice(0, 2), characters.slice(at + 4, end).join(''));
    at = end;
  }
  return objects;
}

/** CRC-16/CCITT-FALSE of the text in UTF-8: polynomial 0x1021, initial value 0xFFFF (EMV QRCPS-MPM, CRC). */
function crc(text: string): string {
  let rest = 0xffff;
  for (const byte of Buffer.from(text)) {
    rest ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) rest = ((rest << 1) ^ (rest & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return rest.toString(16).toUpperCase().padStart(4, '0');
}
