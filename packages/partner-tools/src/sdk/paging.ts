/** A page of any list of the service. */
type Page<T> = { readonly data: readonly T[]; readonly nextCursor: string | null };
/** Query of the next page; empty for the first one. */
type Next = { readonly cursor?: string };

/** Yields every item of a list: `each((next) => service.listPayIns({ query: { ...next, limit: 100 } }))`. */
export async function* each<T>(read: (next: Next) => Promise<Page<T>>): AsyncGenerator<T, void> {
  for (let next: Next | undefined = {}; next !== undefined;) {
    const { data, nextCursor }: Page<T> = await read(next);
    yield* data;
    next = nextCursor === null ? undefined : { cursor: nextCursor };
  }
}
