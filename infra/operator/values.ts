import { isLocalDate } from '#shared/core/brasilia-time.ts';
import * as z from 'zod';
import { Name } from '#shared/contract/text.ts';
import type { HolderDocument, HolderDocumentType } from '#shared/accounts/model.ts';
import { maxPayoutsAMinute } from '#shared/accounts/model.ts';
import { asciiText } from '#shared/core/ascii.ts';
import { isValidDocument } from '#shared/core/document.ts';
import { isUuid } from '#shared/core/identifiers.ts';
import { parseAmount } from '#shared/core/money.ts';
import { maxShards } from '#shared/platform/ledger/balance.ts';
import { isVisible } from '#shared/core/visible.ts';
import { recognisePixKey } from '#shared/core/pix-key.ts';
import { overlapSeconds } from '#shared/webhooks/settings.ts';

/** An invalid command line: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The kind of an option's value. The message of its schema follows the option's name. */
export type Kind<T> = {
  /** Placeholder in the usage. */
  readonly word: string;
  readonly schema: z.ZodType<T>;
  /** Beginning of the option's help. */
  readonly hint?: string;
};

function like(word: string, grammar: RegExp, demand: string): Kind<string> {
  return { word, schema: z.string().regex(grammar, demand) };
}

/** @param read Returns undefined for an invalid text. */
function reading<T>(word: string, demand: string, read: (text: string) => T | undefined): Kind<T> {
  const schema = z.string().transform((text, context) => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue(demand);
    return z.NEVER;
  });
  return { word, schema };
}

export function oneOf<const T extends readonly string[]>(word: string, values: T): Kind<T[number]> {
  const list = values.join(', ');
  return { word, schema: z.enum(values, `must be one of ${list}`), hint: `One of ${list}. ` };
}

function whole(least: number, most: number, of = ''): Kind<number> {
  const read = (text: string): number | undefined => {
    const value = /^\d{1,6}$/u.test(text) ? Number(text) : -1;
    return value >= least && value <= most ? value : undefined;
  };
  const range = `from ${least} to ${most}`;
  return { ...reading('N', `must be a whole number${of} ${range}`, read), hint: `A number ${range}. ` };
}

const notAnEmail = 'must be an e-mail address of at most 77 characters';
const notAUrl = 'must be an http or https URL of at most 2048 characters';
const { longest } = overlapSeconds;

export const Text: Kind<string> = { word: 'TEXT', schema: z.string() };
/** A text that partners read. */
export const Reason = reading('TEXT', 'must have 1 to 140 visible characters', (text) =>
  text.trim() !== '' && text.length <= 140 && isVisible(text) ? text.trim() : undefined,
);
export const File: Kind<string> = { word: 'FILE', schema: z.string().min(1) };
/** A PIX key in the format of the DICT. */
export const PixKey = reading(
  'KEY',
  'must be a PIX key: CPF, CNPJ, e-mail, +phone or random key',
  (text) => recognisePixKey(text)?.key,
);
export const Convenio = like('TEXT', /^[\x20-\x7e]{1,60}$/u, 'must have 1 to 60 characters');
/** A UUID, changed to lower case because ids are part of the table's keys. */
export const Id = reading('ID', 'must be a UUID', (text) => (isUuid(text) ? text.toLowerCase() : undefined));
export const PartnerName = reading(
  'TEXT',
  'must have 1 to 140 visible characters',
  (text) => Name.safeParse(text.normalize('NFC').trim()).data,
);
/** Name of a holder. QR codes show it in ASCII. */
export const HolderName = reading(
  'TEXT',
  'must have 1 to 140 visible characters, at least one of them a Latin letter: QR codes show only those',
  (text) => {
    const name = PartnerName.schema.safeParse(text).data;
    return name !== undefined && /[A-Za-z]/u.test(asciiText(name)) ? name : undefined;
  },
);
export const Email: Kind<string> = { word: 'TEXT', schema: z.email(notAnEmail).max(77, notAnEmail) };
export const Phone = like(
  'TEXT',
  /^\+[1-9]\d{7,14}$/u,
  'must be a phone number such as +5511987654321, 8 to 15 digits (E.164)',
);
export const Ispb = like('TEXT', /^[0-9A-Z]{8}$/u, 'must have the 8 characters of an ISPB');
export const Branch = like('TEXT', /^\d{1,4}$/u, 'must have 1 to 4 digits');
export const AccountNumber = like('TEXT', /^[0-9A-Z]{1,20}$/u, 'must have 1 to 20 digits, check digit included');
export const Reference = like('ID', /^[0-9a-f-]{32,36}$/u, 'must be an id of the service, with or without hyphens');
export const EndToEndId = like(
  'ID',
  /^E[0-9A-Z]{8}\d{12}[0-9A-Za-z]{11}$/u,
  'must be an end-to-end id of 32 characters',
);
/** `rtrId` of a devolução (BCB, API Pix). */
export const ReturnId = like('ID', /^D[0-9A-Z]{8}\d{12}[0-9A-Za-z]{11}$/u, 'must be a return id of 32 characters, D…');
/** The identity provider chooses client ids: any visible characters. */
export const ClientId = like('ID', /^[\x21-\x7e]{1,256}$/u, 'must have 1 to 256 visible ASCII characters');
/** A URL, exactly as it was registered. */
export const Url: Kind<string> = {
  word: 'URL',
  schema: z.url({ protocol: /^https?$/u, error: notAUrl }).max(2048, notAUrl),
};
/** API Gateway takes 20 to 128 characters. */
export const ApiKeyValue = like('TEXT', /^[\x21-\x7e]{20,128}$/u, 'must have 20 to 128 visible ASCII characters');
/** An option without a value. */
export const Flag: Kind<string> = { word: '', schema: z.string() };
/** An object of S3, as outputs of stacks name it. */
export const S3Object = reading('S3-URI', 'must be the s3://BUCKET/KEY address of the output', (text) => {
  const [, bucket, key] = /^s3:\/\/([a-z0-9.-]{3,63})\/([\w./-]{1,512})$/u.exec(text) ?? [];
  return bucket === undefined || key === undefined ? undefined : { bucket, key };
});
export const Host = like('HOST', /^(?:[a-z0-9-]+\.)+[a-z]{2,}$/u, 'must be a host without https://');
export const IdempotencyKey = like('TEXT', /^[\x21-\x7e]{1,255}$/u, 'must have 1 to 255 visible ASCII characters');
export const Amount = reading('AMOUNT', 'must be an amount above 0, such as 1000.00', parseAmount);
/** A day in Brasilia. */
export const Day = reading('DAY', 'must be a day such as 2026-01-15', (text) => (isLocalDate(text) ? text : undefined));
export const Overlap = whole(0, longest, ' of seconds');
/** Read units a second: 40000 are the most that a table has unless AWS raised it. */
export const ReadUnits = whole(1, 40_000);

/** BCB's rules give the receiver some days. */
export const DaysToDefend = whole(1, 90);

const secondsOf = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
/** A length of time, such as `5m`; the value is in seconds. */
export const Age = reading('TIME', 'must be a time such as 30s, 5m, 2h or 1d', (text) => {
  const [, count, unit] = /^(\d{1,5})([smhd])$/u.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * secondsOf[unit as keyof typeof secondsOf];
});

/** Shards of a balance. */
export const Shards = whole(1, maxShards);
export const PayoutsAMinute = whole(0, maxPayoutsAMinute);
export const Count = whole(0, 999_999);
/** A table name that DynamoDB accepts. */
export const TableName = like('NAME', /^[\w.-]{3,255}$/u, 'must be the name of a table, 3 to 255 characters');

/**
 * Reads the holder's document. Without a type it is a CPF or CNPJ by its length, with or without mask.
 * @throws UsageError also for wrong check digits.
 */
export function holderDocument(text: string, typeGiven: HolderDocumentType | undefined): HolderDocument {
  const written = text.trim();
  const bare = written.replaceAll(/[./\s-]/gu, '').toUpperCase();
  const type = typeGiven ?? brazilianType(bare);
  if (type === 'CPF' || type === 'CNPJ') {
    if (!isValidDocument(type, bare)) throw new UsageError(`--document is not a valid ${type}.`);
    return { type, number: bare };
  }
  if (!/^[\w./-]{1,40}$/u.test(written))
    throw new UsageError('--document must have 1 to 40 characters: letters, digits, . / -.');
  return { type, number: written };
}

function brazilianType(bare: string): HolderDocumentType {
  if (bare.length === 11) return 'CPF';
  if (bare.length === 14) return 'CNPJ';
  throw new UsageError('--document is neither a CPF nor a CNPJ: give --document-type.');
}
