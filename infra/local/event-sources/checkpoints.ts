import { DatabaseSync } from 'node:sqlite';

/** How far each mapping has come in each shard: the sequence number of the last record done with. */
export type Checkpoints = {
  /** As a start after a crash would find it. */
  readonly get: (shard: string) => string | undefined;
  readonly set: (shard: string, sequence: string) => void;
  /** The same for records that the mapping refuses: kept within a second, for to read them again does nothing. */
  readonly pass: (shard: string, sequence: string) => void;
  readonly close: () => void;
};

const passedKeptWithinMs = 1000;

/**
 * Checkpoints, kept after processing: a crash repeats the batch that was being processed, as on AWS, and nothing else.
 * A database and not a file, because every change of the table moves a checkpoint, and replacing a file takes a hundred
 * times as long.
 */
export function openCheckpoints(file: string): Checkpoints {
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
    get: (shard) => positions.get(shard),
    set,
    pass: (shard, sequence) => {
      passed.set(shard, sequence);
      timer ??= setTimeout(keepPassed, passedKeptWithinMs);
    },
    close: () => {
      keepPassed();
      database.close();
    },
  };
}
