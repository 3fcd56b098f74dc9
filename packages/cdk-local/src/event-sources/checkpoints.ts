import { DatabaseSync } from 'node:sqlite';

export type Checkpoints = ReturnType<typeof openCheckpoints>;

const passedKeptWithinMs = 1000;

/**
 * How far each mapping has come in each shard, kept after processing: a crash repeats the batch in hand, as on AWS, and
 * nothing else. A database and not a file: every change of the table moves a checkpoint, and replacing a file takes a
 * hundred times as long.
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
    /** The same for records that the filter rejects: kept within a second, for to read them again does nothing. */
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
