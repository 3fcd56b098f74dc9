import { samePixKey } from '../core/pix-key.ts';

/*
 * The rule of all responses of a bank: a response must be about the requested resource. A response about another one
 * (from a confused proxy or a cache) is not understood: it is `UNKNOWN`, is reported, and none of its values are used.
 */

/** Values by the bank's field names. An absent value was not sent or is not known: it is never a mismatch. */
export type Facts = Readonly<Record<string, string | number | undefined>>;

/** Receives the names of the fields in which a response differs from the request. */
type Misled = { readonly misled: (fields: string) => void };

/**
 * Fields with ids of the service, or of an account at the bank: hexadecimal digits in lower case. A bank may write them
 * in capitals; no two ids differ only in case.
 */
const ownIds: readonly string[] = ['idEnvio', 'txid', 'id', 'request_control_key', 'account_key'];

/** Whether two values of a field mean the same. */
export function isSame(field: string, asked: string | number, named: string | number): boolean {
  if (typeof asked === 'number' || typeof named === 'number') return asked === named;
  if (ownIds.includes(field)) return asked.toLowerCase() === named.toLowerCase();
  return field === 'chave' ? samePixKey(asked, named) : asked === named;
}

/** Returns the names of the fields in which a response differs from the request. */
export function otherFields(asked: Facts, named: Facts): readonly string[] {
  return Object.entries(asked).flatMap(([field, value]) => {
    const namedValue = named[field];
    return value === undefined || namedValue === undefined || isSame(field, value, namedValue) ? [] : [field];
  });
}

/**
 * Whether a response is about the requested resource. If not, reports the names of the fields that differ, without
 * their values, which may be personal.
 */
export function isAbout(client: Misled, asked: Facts, named: Facts): boolean {
  const fields = otherFields(asked, named);
  if (fields.length > 0) client.misled(fields.join(', '));
  return fields.length === 0;
}

/**
 * Requires that a response is about the requested resource.
 * @throws Error, after which the response counts as not understood
 */
export function requireAbout(client: Misled, asked: Facts, named: Facts): void {
  if (!isAbout(client, asked, named)) throw new Error('The response names another resource than the request.');
}
