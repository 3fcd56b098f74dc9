export type FairPool<T> = {
  /** The maximum of concurrent jobs. */
  readonly width: number;
  /** The maximum of concurrent jobs of one group: a group that hangs leaves slots to the others. */
  readonly perGroup: number;
  /** The maximum of jobs of one group in a run: further ones are not begun. */
  readonly cap: number;
  readonly groupOf: (job: T) => string;
  /** Whether no more jobs may begin. Running ones are waited for. */
  readonly isTimeUp: () => boolean;
  readonly work: (job: T) => Promise<void>;
  /** Called for each job that fails; the others go on. */
  readonly failed: (job: T, error: unknown) => void;
};

/** Jobs in memory that have not begun; reading pauses above it. */
const readAhead = 20_000;

/**
 * A sliding pool with round robin between groups: a group with one job waits for at most one job of each other group,
 * and the slowest job occupies only its own slot. Reading continues while jobs run.
 * @throws what `source` throws, after the running jobs have ended
 */
export async function workFairly<T>(source: AsyncIterable<T>, pool: FairPool<T>): Promise<void> {
  const { width, groupOf, isTimeUp, work, failed } = pool;
  const queue = roundRobin<T>(pool);
  const running = new Set<Promise<void>>();
  const fill = (): void => {
    while (running.size < width && !isTimeUp()) {
      const job = queue.next();
      if (job === undefined) return;
      const done = Promise.try(work, job)
        .catch((error: unknown) => {
          failed(job, error);
        })
        .finally(() => {
          running.delete(done);
          queue.leave(groupOf(job));
          fill();
        });
      running.add(done);
    }
  };
  try {
    for await (const job of source) {
      if (isTimeUp()) break;
      queue.join(groupOf(job), job);
      fill();
      while (queue.length() >= readAhead && running.size > 0) await Promise.race(running);
    }
  } finally {
    while (running.size > 0) await Promise.race(running);
  }
}

/** Groups in turn, and of each its first job. */
function roundRobin<T>({ perGroup, cap }: Pick<FairPool<T>, 'perGroup' | 'cap'>) {
  const waiting = new Map<string, T[]>();
  const joined = new Map<string, number>();
  const running = new Map<string, number>();
  let length = 0;
  return {
    length: (): number => length,
    join: (group: string, job: T): void => {
      const count = joined.get(group) ?? 0;
      if (count >= cap) return;
      joined.set(group, count + 1);
      length += 1;
      const line = waiting.get(group);
      if (line === undefined) waiting.set(group, [job]);
      else line.push(job);
    },
    next: (): T | undefined => {
      for (const [group, line] of waiting) {
        const count = running.get(group) ?? 0;
        if (count >= perGroup) continue;
        const job = line.shift();
        // A group with more jobs is next after all other groups.
        waiting.delete(group);
        if (line.length > 0) waiting.set(group, line);
        running.set(group, count + 1);
        length -= 1;
        return job;
      }
      return undefined;
    },
    leave: (group: string): void => {
      running.set(group, (running.get(group) ?? 0) - 1);
    },
  };
}
