import type { Store } from '#shared/platform/table/store.ts';
import { world } from '../world/current.ts';

/**
 * `connectStore` for the service: the world's table, as the current invocation gets it. Each function has a store of
 * its own, as it has a process of its own: a cache by store has only what its own function read.
 */
export function connectStore(): Store {
  return { ...world().table.store };
}
