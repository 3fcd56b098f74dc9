import type { BankClient } from './bank-client.ts';

/*
 * Every enumeration of a bank that decides what becomes of a resource, and the one rule for a value that it does not
 * have: the resource stays as it is, and `BankValuesUnknown` rings. The value is never taken as final, refused or
 * settled. Codes of reasons (`codigo`, `solicitante`) are no such enumeration: an unknown one changes no status. A
 * value that no longer decides, as a past status, is told and passed over.
 */

export type Enumeration<T> = { readonly field: string; readonly meanings: ReadonlyMap<string, T> };

export function enumeration<T>(field: string, meanings: Readonly<Record<string, T>>): Enumeration<T> {
  return { field, meanings: new Map(Object.entries(meanings)) };
}

/** Receives the values that no enumeration has. */
export type Teller = Pick<BankClient, 'notKnown'>;

/** A value that the dialect does not know: the response counts as not understood. */
export class UnknownValue extends Error {
  override readonly name = 'UnknownValue';
  readonly field: string;
  readonly value: string | undefined;

  constructor(field: string, value: string | undefined) {
    super('The bank response has an unknown status.');
    this.field = field;
    this.value = value;
  }
}

/** Returns the meaning of a value. @throws UnknownValue, after which the resource stays as it is */
export function known<T>({ field, meanings }: Enumeration<T>, value: string | undefined): T {
  const meaning = value === undefined ? undefined : meanings.get(value);
  if (meaning === undefined) throw new UnknownValue(field, value);
  return meaning;
}

/** Returns the meaning of a value that decides nothing else: an unknown one is told, and has none. */
export function knownOrTold<T>(one: Enumeration<T>, value: string | undefined, teller: Teller): T | undefined {
  const meaning = value === undefined ? undefined : one.meanings.get(value);
  if (meaning === undefined) tell(teller, new UnknownValue(one.field, value));
  return meaning;
}

/** Reports an unknown value. Its text is logged only if it has the form of one, as other texts may be personal. */
export function tell(teller: Teller, { field, value = '(none)' }: UnknownValue): void {
  teller.notKnown(field, /^(?:[A-Z\d_]{1,40}|[a-z\d_]{1,40})$/u.test(value) ? value : '(another text)');
}
