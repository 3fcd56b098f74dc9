import { randomInt, randomUUID } from 'node:crypto';
import type { Ids } from '../core/identifiers.ts';

const digits = '0123456789';
const alphanumerics = `${digits}ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz`;

/** Identifiers from the operating system's random source. */
export const randomIds: Ids = {
  uuid: () => randomUUID(),
  orderId: () => `${randomUUID().slice(0, -2)}00`,
  alphanumeric: (length) => pick(alphanumerics, length),
  digits: (length) => pick(digits, length),
};

/** `randomInt` draws without the bias that a remainder of random bytes has. */
function pick(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}
