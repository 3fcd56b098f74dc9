import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Kinds } from './model.ts';

/** The documents of one client of the bank, by the bank's kinds of documents. */
export type Drawer<All extends object = Kinds> = {
  readonly find: <K extends keyof All & string>(kind: K, id: string) => All[K] | undefined;
  /** Lists documents in the order of their first versions. */
  readonly list: <K extends keyof All & string>(kind: K) => All[K][];
  readonly save: <K extends keyof All & string>(kind: K, id: string, document: All[K]) => void;
};

export type Archive<All extends object = Kinds> = ReturnType<typeof openArchive<All>>;

/** The drawer of documents that belong to no client: the clients themselves, tokens, and owners of locations. */
export const common = '';

const layout = `
  CREATE TABLE IF NOT EXISTS versions (
    number INTEGER PRIMARY KEY AUTOINCREMENT, drawer TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
    at INTEGER NOT NULL, body TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS newest ON versions (drawer, kind, id, number);
  CREATE TABLE IF NOT EXISTS callbacks (
    number INTEGER PRIMARY KEY AUTOINCREMENT, url TEXT NOT NULL, collection TEXT NOT NULL, item TEXT NOT NULL,
    due INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0);`;

/** File name of a database in memory (SQLite). */
const inMemory = ':memory:';

/** Age from which old versions are deleted at the next start: no simulated lag of reads is that long. */
const keepVersionsMs = 600_000;

/**
 * Opens the bank's data. Every change of a document appends a version. A `kill -9` of the process keeps all writes of a
 * transaction or none; a power failure may lose the last transactions.
 *
 * @param now Clock of the machine, epoch milliseconds; a client's own clock does not change it.
 */
export function openArchive<All extends object = Kinds>(file: string, now: () => number = Date.now) {
  // SQLite gives its other files the mode of this one.
  if (file !== inMemory) closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; ${layout}`);
  database
    .prepare(
      `DELETE FROM versions WHERE at < ? AND number NOT IN
         (SELECT MAX(number) FROM versions GROUP BY drawer, kind, id)`,
    )
    .run(now() - keepVersionsMs);
  const find = database.prepare(
    'SELECT body FROM versions WHERE drawer = ? AND kind = ? AND id = ? AND at <= ? ORDER BY number DESC LIMIT 1',
  );
  const list = database.prepare(
    `SELECT body FROM versions WHERE number IN
       (SELECT MAX(number) FROM versions WHERE drawer = ? AND kind = ? AND at <= ? GROUP BY id)
     ORDER BY (SELECT MIN(number) FROM versions AS first
       WHERE first.drawer = versions.drawer AND first.kind = versions.kind AND first.id = versions.id)`,
  );
  const save = database.prepare('INSERT INTO versions (drawer, kind, id, at, body) VALUES (?, ?, ?, ?, ?)');
  return {
    /** @param lagMs Age of the state that reads show. */
    drawer: (name: string, lagMs = 0): Drawer<All> => ({
      find: <K extends keyof All & string>(kind: K, id: string) => {
        const row = find.get(name, kind, id, now() - lagMs);
        return row && (JSON.parse(String(row['body'])) as All[K]);
      },
      list: <K extends keyof All & string>(kind: K) =>
        list.all(name, kind, now() - lagMs).map(({ body }) => JSON.parse(String(body)) as All[K]),
      save: (kind, id, document) => {
        save.run(name, kind, id, now(), JSON.stringify(document));
      },
    }),
    /** Runs `act` in a transaction: its writes are stored as a whole, or not at all when it throws. */
    transaction: <T>(act: () => T): T => {
      database.exec('BEGIN IMMEDIATE');
      try {
        const result = act();
        database.exec('COMMIT');
        return result;
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    },
    database,
    close: (): void => {
      database.close();
    },
  };
}
