import type { Value } from '#shared/platform/table/store.ts';

/**
 * The change of an entity's items from one layout to the next, while the release that writes the new one serves
 * partners.
 */
export type Migration = {
  /** Key of its state in the table; never used again. */
  readonly name: string;
  readonly entity: string;
  /** The layout that its items get; they have the previous one. */
  readonly to: number;
  /** Attributes that `change` reads: strings, numbers, booleans. An item is written only if they are unchanged. */
  readonly reads: readonly string[];
  readonly change: (read: Readonly<Record<string, Value | undefined>>) => {
    readonly set?: Readonly<Record<string, Value>>;
    readonly remove?: readonly string[];
  };
};

/** Migrations of this release. One is removed with the release that no longer reads the previous layout. */
export const migrations: readonly Migration[] = [];
