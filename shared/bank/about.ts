import { samePixKey } from '../core/pix-key.ts';

/*
 * The rule of all answers: what one names must be what was asked for. An answer that names another thing (a confused
 * proxy, a cache) is not understood: `UNKNOWN`, reported, and nothing of it is believed.
 */

/** Values by the bank's field names. Absent: not named or not known, so never a mismatch. */
export type Facts = Readonly<Record<string, string | number | undefined>>;

/** Takes the fields in which an answer named another thing. */
type Misled = { readonly misled: (fields: string) => void };

/** Ids of ours are 32 digits in lower case, and no two differ in case alone: a bank may write them in capitals. */
const ownIds: readonly string[] = ['idEnvio', 'txid', 'id'];

/** Whether two values of a field name the same thing. */
export function isSame(field: string, asked: string | number, named: string | number): boolean {
  if (typeof asked === 'number' || typeof named === 'number') return asked === named;
  if (ownIds.includes(field)) return asked.toLowerCase() === named.toLowerCase();
  return field === 'chave' ? samePixKey(asked, named) : asked === named;
}

/** The fields in which an answer names another thing than was asked for. */
export function otherFields(asked: Facts, named: Facts): readonly string[] {
  return Object.entries(asked).flatMap(([field, value]) => {
    const namedValue = named[field];
    return value === undefined || namedValue === undefined || isSame(field, value, namedValue) ? [] : [field];
  });
}

/** Whether an answer is about what was asked for; one that is not is reported by its fields: values may be personal. */
export function isAbout(client: Misled, asked: Facts, named: Facts): boolean {
  const fields = otherFields(asked, named);
  if (fields.length > 0) client.misled(fields.join(', '));
  return fields.length === 0;
}

/** The same within what reads an answer. @throws Error, which makes it one that is not understood */
export function requireAbout(client: Misled, asked: Facts, named: Facts): void {
  if (!isAbout(client, asked, named)) throw new Error('The response names another resource than the request.');
}
