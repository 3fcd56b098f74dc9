import type { Instant } from '../domain/brasilia-time.ts';
import { Refusal } from '../domain/refusal.ts';
import type { IdempotencyRecord } from '../persistence/commit.ts';
import { rememberedKey } from '../persistence/commit.ts';
import type { Key, Store } from '../persistence/store.ts';

/**
 * Decides about a request with an idempotency key. What forbids it may be the work of an equal request that came at the
 * same time (the money it reserved, the external id it took), so before a refusal goes out the key is read once more: if
 * it has been used by now, its record is what counts.
 */
export async function unlessReplayed<T>(
  { store, key, at }: { readonly store: Store; readonly key: Key; readonly at: Instant },
  decide: () => T | Promise<T>,
): Promise<{ readonly decided: T } | { readonly record: IdempotencyRecord }> {
  try {
    return { decided: await decide() };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const [item] = await store.read([key]);
    const record = rememberedKey(item, at);
    if (record === undefined) throw error;
    return { record };
  }
}
