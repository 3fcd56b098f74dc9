import * as z from 'zod';
import { Name } from '#shared/contract/text.ts';
import type { HolderDocument, HolderDocumentType } from '#shared/platform/ledger/account.ts';
import { holderDocumentTypes } from '#shared/platform/ledger/account.ts';
import { isValidDocument } from '#shared/core/document.ts';
import { isUuid } from '#shared/core/identifiers.ts';
import type { Centavos } from '#shared/core/money.ts';
import { parseAmount } from '#shared/core/money.ts';
import { overlapSeconds } from '#shared/webhooks/settings.ts';

/** The command line is wrong by itself: exit code 2, with the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The values of options as they were written, by the option's name without dashes. */
export type OptionValues = Readonly<Record<string, string | undefined>>;

/** A reader of one option's value. @throws UsageError that names the option. */
type Reader<T> = (text: string, option: string) => T;

export function required<T>(values: OptionValues, option: string, read: Reader<T>): T {
  const text = values[option];
  if (text === undefined) throw new UsageError(`--${option} is required.`);
  return read(text, option);
}

export function optional<T>(values: OptionValues, option: string, read: Reader<T>): T | undefined {
  const text = values[option];
  return text === undefined ? undefined : read(text, option);
}

/** Ids of companies and accounts are part of keys: only a UUID may be one, in one spelling. */
export const id: Reader<string> = (text, option) => {
  if (!isUuid(text)) throw new UsageError(`--${option} must be a UUID.`);
  return text.toLowerCase();
};

export const name: Reader<string> = (text, option) =>
  check(Name, text.normalize('NFC').trim(), option, 'must have 1 to 140 characters, all visible');

export const email: Reader<string> = (text, option) =>
  check(z.email().max(77), text, option, 'must be an e-mail address');

export const phone: Reader<string> = (text, option) =>
  matching(/^\+[1-9]\d{7,14}$/u, text, option, 'must be a number as +5511987654321 (E.164)');

export const ispb: Reader<string> = (text, option) =>
  matching(/^[0-9A-Z]{8}$/u, text, option, 'must have the 8 characters of an ISPB');

export const branch: Reader<string> = (text, option) => matching(/^\d{1,4}$/u, text, option, 'must have 1 to 4 digits');

export const accountNumber: Reader<string> = (text, option) =>
  matching(/^[0-9A-Z]{1,20}$/u, text, option, 'must have 1 to 20 digits, check digit included');

/** Client ids are chosen by the identity provider: any visible characters. */
export const clientId: Reader<string> = (text, option) =>
  matching(/^[\x21-\x7e]{1,256}$/u, text, option, 'must have 1 to 256 visible ASCII characters');

/** Letter by letter as it was registered. */
export const url: Reader<string> = (text, option) =>
  check(z.url({ protocol: /^https?$/u }).max(2048), text, option, 'must be a URL as it was registered');

/** API Gateway takes 20 to 128 characters. */
export const apiKeyValue: Reader<string> = (text, option) =>
  matching(/^[\x21-\x7e]{20,128}$/u, text, option, 'must have 20 to 128 visible ASCII characters');

export const idempotencyKey: Reader<string> = (text, option) =>
  matching(/^[\x21-\x7e]{1,64}$/u, text, option, 'must have 1 to 64 visible ASCII characters');

export const amount: Reader<Centavos> = (text, option) => {
  const centavos = parseAmount(text);
  if (centavos === undefined) throw new UsageError(`--${option} must be an amount above 0, as 1000.00.`);
  return centavos;
};

/** Whole seconds, from 0. */
export const overlap: Reader<number> = (text, option) => {
  const seconds = /^\d{1,6}$/u.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= overlapSeconds.longest))
    throw new UsageError(`--${option} must be whole seconds, at most ${overlapSeconds.longest}.`);
  return seconds;
};

/** Read units a second: 1 to 40000, the most that a table has unless AWS raised it. */
export const readUnits: Reader<number> = (text, option) => {
  const units = /^\d{1,5}$/u.test(text) ? Number(text) : 0;
  if (units < 1 || units > 40_000) throw new UsageError(`--${option} must be a whole number from 1 to 40000.`);
  return units;
};

export function oneOf<T extends string>(values: readonly T[]): Reader<T> {
  return (text, option) => {
    const value = values.find((one) => one === text);
    if (value === undefined) throw new UsageError(`--${option} must be one of ${values.join(', ')}.`);
    return value;
  };
}

/**
 * The holder's document. Without a type it is a CPF or CNPJ by its length; these may be written with their masks, and
 * their check digits must be right.
 */
export function document(values: OptionValues): HolderDocument {
  const written = required(values, 'document', (text) => text.trim());
  const bare = written.replaceAll(/[./\s-]/gu, '').toUpperCase();
  const type = optional(values, 'document-type', oneOf(holderDocumentTypes)) ?? brazilianType(bare);
  if (type === 'CPF' || type === 'CNPJ') {
    if (!isValidDocument(type, bare)) throw new UsageError(`--document is not a valid ${type}.`);
    return { type, number: bare };
  }
  return {
    type,
    number: matching(/^[\w./-]{1,40}$/u, written, 'document', 'must have 1 to 40 letters, digits, . / -'),
  };
}

function brazilianType(bare: string): HolderDocumentType {
  if (bare.length === 11) return 'CPF';
  if (bare.length === 14) return 'CNPJ';
  throw new UsageError('--document is neither a CPF nor a CNPJ: give --document-type.');
}

function matching(grammar: RegExp, text: string, option: string, demand: string): string {
  if (!grammar.test(text)) throw new UsageError(`--${option} ${demand}.`);
  return text;
}

function check(schema: z.ZodType<string>, text: string, option: string, demand: string): string {
  const result = schema.safeParse(text);
  if (!result.success) throw new UsageError(`--${option} ${demand}.`);
  return result.data;
}
