import type { Store } from '#shared/platform/table/store.ts';
import { world } from '../world/current.ts';

/** `connectStore` for the service: the world's table, as the present invocation meets it. */
export function connectStore(): Store {
  return world().table.store;
}
