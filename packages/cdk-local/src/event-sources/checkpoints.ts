import { DatabaseSync } from 'node:sqlite';

export type Checkpoints = ReturnType<typeof openCheckpoints>;

const passedKeptWithinMs = 1000;

/**
 * Opens the checkpoints: the position of each mapping in each shard, written after a batch is processed. After a crash
 * only the current batch is repeated, as on AWS. They are in a database because every change of the table writes a
 * checkpoint, and replacing a file takes a hundred times as long.
 */
export function openCheckpoints(file: string) {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  database.exec('CREATE TABLE IF NOT EXISTS checkpoints (shard TEXT PRIMARY KEY, sequence TEXT NOT NULL)');
  const rows = database.prepare('SELECT shard, sequence FROM checkpoints').all();
  const positions = new Map(rows.map(({ shard, sequence }) => [String(shard), String(sequence)]));
  const write = database.prepare('INSERT OR REPLACE INTO checkpoints (shard, sequence) VALUES (?, ?)');
  const passed = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  const set = (shard: string, sequence: string): void => {
    passed.delete(shard);
    if (positions.get(shard) === sequence) return;
    positions.set(shard, sequence);
    write.run(shard, sequence);
  };
  const keepPassed = (): void => {
    clearTimeout(timer);
    timer = undefined;
    for (const [shard, sequence] of [...passed]) set(shard, sequence);
  };
  return {
    /** Sequence number of the last processed record, as a start after a crash would find it. */
    get: (shard: string): string | undefined => positions.get(shard),
    set,
    /** Sets the position after rejected records. It is written within a second: to read them again is harmless. */
    pass: (shard: string, sequence: string): void => {
      passed.set(shard, sequence);
      timer ??= setTimeout(keepPassed, passedKeptWithinMs);
    },
    close: (): void => {
      keepPassed();
      database.close();
    },
  };
}
