import { createHash } from 'node:crypto';
import type { CommandOutcome } from '../outcome.ts';
import type { KeyOrder, KeyState, UncheckedKeys } from '../ports/keys.ts';
import { reservedNewKeys } from './reserved.ts';

/**
 * Registers keys at once. It keeps no memory: a random key follows from our reference, and reserved keys are refused or
 * time out. A lookup finds the key that timed out: the bank had registered it, and its response was lost.
 */
export function simulatedKeys(): UncheckedKeys {
  return {
    register: {
      submit: (order) => Promise.resolve(outcomeOf(order)),
      find: (order) => Promise.resolve(order.key === reservedNewKeys.timeout ? registered(order) : neverSeen),
    },
    remove: {
      submit: () => Promise.resolve({ outcome: 'DONE', state: {} }),
      find: () => Promise.resolve(neverSeen),
    },
  };
}

const neverSeen = { outcome: 'NEVER_SEEN' } as const;

function outcomeOf(order: KeyOrder): CommandOutcome<KeyState> {
  switch (order.key) {
    case reservedNewKeys.ownedElsewhere:
      return { outcome: 'REFUSED', code: 'OWNED_ELSEWHERE', reason: 'An account at another bank has the key.' };
    case reservedNewKeys.tooMany:
      return { outcome: 'REFUSED', code: 'LIMIT_EXCEEDED', reason: 'The account has as many keys as it can have.' };
    case reservedNewKeys.timeout:
      return { outcome: 'UNKNOWN' };
    default:
      return registered(order);
  }
}

function registered({ reference, key = madeUp(reference) }: KeyOrder): CommandOutcome<KeyState> {
  return { outcome: 'DONE', state: { status: 'REGISTERED', key } };
}

/** A random key (EVP), a UUID of version 4, always the same one for a reference. */
function madeUp(reference: string): string {
  const hex = createHash('sha256').update(reference).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
