import type { Value } from '#shared/platform/table/store.ts';

/**
 * The change of an entity's items from one layout to the next, while the release that writes the new one serves
 * partners.
 */
export type Migration = {
  /** Of its state in the table; never used again. */
  readonly name: string;
  readonly entity: string;
  /** The layout that its items get; they have the one before. */
  readonly to: number;
  /** What `change` looks at: texts, numbers, booleans. An item is changed only while it still has them so. */
  readonly reads: readonly string[];
  readonly change: (read: Readonly<Record<string, Value | undefined>>) => {
    readonly set?: Readonly<Record<string, Value>>;
    readonly remove?: readonly string[];
  };
};

/** Those of this release. One goes with the release that no longer reads the layout before. */
export const migrations: readonly Migration[] = [];
