/**
 * Does the work of each item, at most so many at the same time.
 * @returns the results, in the order of the items
 * @throws the first error; no further work begins after it
 */
export async function concurrently<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  most: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const waiting = (async function* () {
    yield* items;
  })();
  const results: Result[] = [];
  let begun = 0;
  const next = async (): Promise<void> => {
    for await (const item of waiting) {
      const place = begun;
      begun += 1;
      results[place] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: most }, next));
  return results;
}
