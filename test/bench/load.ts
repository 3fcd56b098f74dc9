/** Calls `ask` with the places 0 to `count` - 1. Each caller asks again once it has its answer. */
export async function inParallel(
  callers: number,
  count: number,
  ask: (place: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const callOn = async (): Promise<void> => {
    while (next < count) await ask(next++);
  };
  await Promise.all(Array.from({ length: callers }, callOn));
}
