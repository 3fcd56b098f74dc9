import type { Store } from '#shared/platform/table/store.ts';
import { world } from '../world/current.ts';

/**
 * `connectStore` for the service: the world's table, as the present invocation meets it. Each function has a store of
 * its own, as it has a process of its own: what it remembers by its store it has read itself.
 */
export function connectStore(): Store {
  return { ...world().table.store };
}
