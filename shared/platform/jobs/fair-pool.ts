/** How much is done at once, and for whom. */
type FairLimits = {
  /** Pieces at once. */
  readonly width: number;
  /** Pieces at once for one group: one that hangs leaves places to the others. */
  readonly perGroup: number;
  /** Pieces for one group in all: those that come later are left out. */
  readonly cap: number;
};

export type FairPool<T> = FairLimits & {
  readonly groupOf: (one: T) => string;
  /** Whether no more work may begin. What is under way is waited for. */
  readonly isTimeUp: () => boolean;
  readonly work: (one: T) => Promise<void>;
  /** Called for each piece that fails; the others go on. */
  readonly failed: (one: T, error: unknown) => void;
};

/** Pieces in memory that have not begun; reading pauses until there are fewer. */
const readAhead = 20_000;

/**
 * A sliding pool that is fair between groups: a free place goes to the next group in turn, so that a group with one
 * piece waits for at most one piece of each other group, and the slowest piece occupies only its own place. Reading
 * goes on while work is under way: a long group does not hide the groups behind it.
 *
 * @throws what `source` throws, after what is under way has ended
 */
export async function workFairly<T>(source: AsyncIterable<T>, pool: FairPool<T>): Promise<void> {
  const { groupOf, isTimeUp, work, failed } = pool;
  const line = fairLine<T>(pool);
  const underWay = new Set<Promise<void>>();
  const fill = (): void => {
    while (underWay.size < pool.width && !isTimeUp()) {
      const one = line.next();
      if (one === undefined) return;
      const done = Promise.try(work, one)
        .catch((error: unknown) => {
          failed(one, error);
        })
        .finally(() => {
          underWay.delete(done);
          line.leave(groupOf(one));
          fill();
        });
      underWay.add(done);
    }
  };
  try {
    for await (const one of source) {
      if (isTimeUp()) break;
      line.join(groupOf(one), one);
      fill();
      while (line.length() >= readAhead && underWay.size > 0) await Promise.race(underWay);
    }
  } finally {
    while (underWay.size > 0) await Promise.race(underWay);
  }
}

/** Who is next: groups in turn, and of each the piece that came first. */
function fairLine<T>({ perGroup, cap }: FairLimits) {
  const waiting = new Map<string, T[]>();
  const joined = new Map<string, number>();
  const running = new Map<string, number>();
  let length = 0;
  return {
    length: (): number => length,
    join: (group: string, one: T): void => {
      const count = joined.get(group) ?? 0;
      if (count >= cap) return;
      joined.set(group, count + 1);
      length += 1;
      const line = waiting.get(group);
      if (line === undefined) waiting.set(group, [one]);
      else line.push(one);
    },
    next: (): T | undefined => {
      for (const [group, line] of waiting) {
        const count = running.get(group) ?? 0;
        if (count >= perGroup) continue;
        const one = line.shift();
        // Behind all others, if it has anything left.
        waiting.delete(group);
        if (line.length > 0) waiting.set(group, line);
        running.set(group, count + 1);
        length -= 1;
        return one;
      }
      return undefined;
    },
    leave: (group: string): void => {
      const count = (running.get(group) ?? 0) - 1;
      if (count > 0) running.set(group, count);
      else running.delete(group);
    },
  };
}
