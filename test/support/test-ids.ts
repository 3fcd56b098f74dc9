import { createHash } from 'node:crypto';
import type { Ids } from '#shared/core/identifiers.ts';

/** Identifiers that are unguessable enough for a test and the same in every run. */
export function testIds(seed = 'test'): Ids {
  let count = 0;
  const hex = (): string =>
    createHash('sha256')
      .update(`${seed}-${(count += 1)}`)
      .digest('hex');
  const uuid = (): string => {
    const h = hex();
    return [h.slice(0, 8), h.slice(8, 12), h.slice(12, 16), h.slice(16, 20), h.slice(20, 32)].join('-');
  };
  return {
    uuid,
    orderId: () => `${uuid().slice(0, -2)}00`,
    alphanumeric: (length) => hex().slice(0, length),
    digits: (length) =>
      Array.from(hex())
        .map((character) => String(Number.parseInt(character, 16) % 10))
        .join('')
        .slice(0, length),
  };
}

/** Segments of a path that are no id of an order: 404 for each. */
export const noIds = ['nothing', 'x'.repeat(65), 'x'.repeat(4000), 'a\u0000b', '#'] as const;
