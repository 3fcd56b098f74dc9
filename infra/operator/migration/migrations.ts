import type { Value } from '#shared/platform/table/store.ts';

/**
 * Change of an entity's items from one layout to the next, while the service runs with the release that writes the next
 * layout.
 */
export type Migration = {
  /** Key of the migration's state in the table. No later migration may reuse it. */
  readonly name: string;
  readonly entity: string;
  /** The layout that items get. Only items of the layout before it are changed. */
  readonly to: number;
  /** Attributes that `change` reads: strings, numbers, booleans. An item is written only if they are unchanged. */
  readonly reads: readonly string[];
  readonly change: (read: Readonly<Record<string, Value | undefined>>) => {
    readonly set?: Readonly<Record<string, Value>>;
    readonly remove?: readonly string[];
  };
};

/** Migrations of this release. The release that no longer reads the previous layout removes its migration. */
export const migrations: readonly Migration[] = [];
