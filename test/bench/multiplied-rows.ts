import { DatabaseSync } from 'node:sqlite';

/**
 * Many of what the service wrote once. The embedded engine takes minutes to be given a million items by its own
 * interface, so rows that it made are copied in its database while it is stopped, under ids of their own.
 */

type Row = Readonly<Record<string, string | number | null>>;
/** Rows by their table. */
type Sample = ReadonlyMap<string, readonly Row[]>;
/**
 * What is copied. Every id in it becomes another one, except those of `shared`; `own` are further texts that are
 * unique.
 */
export type Kind = { readonly sample: Sample; readonly shared: readonly string[]; readonly own?: readonly string[] };

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu;
const externalId = /"externalId":\{"S":"([^"]+)"\}/gu;
const endToEndId = /\bE\d{20}[A-Za-z0-9]{11}\b/gu;

/**
 * Remembers what a table and its indexes hold; called again, it gives the rows that came since.
 * @param without Rows with this text in a key are left out.
 */
export function watchRows(file: string, table: string, without?: string): () => Sample {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  const tables = tablesOf(database, table);
  const newest = new Map(tables.map((name) => [name, newestOf(database, name)]));
  return () => {
    const sample = tables.map((name): [string, readonly Row[]] => {
      const found = database.prepare(`SELECT * FROM "${name}" WHERE rowid > ?`).all(newest.get(name) ?? 0);
      return [name, (found as unknown as readonly Row[]).filter((row) => !isLeftOut(row, without))];
    });
    database.close();
    return new Map(sample);
  };
}

function isLeftOut({ pk, table_pk: tablePk }: Row, without: string | undefined): boolean {
  return without !== undefined && String(tablePk ?? pk).includes(without);
}

/** Writes copies of a sample, those with the numbers from `from` to below `to`. */
export function multiplyRows(
  file: string,
  { sample, shared, own: named = [] }: Kind,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  const database = new DatabaseSync(file);
  const texts = [...sample.values()]
    .flat()
    .flatMap((row) => Object.values(row).filter((value) => typeof value === 'string'));
  const ids = [...new Set(texts.flatMap((text) => text.match(uuid) ?? []))].filter((id) => !shared.includes(id));
  const others = new Set([
    ...named,
    ...texts.flatMap((text) => [...text.matchAll(externalId)].map(([, name = '']) => name)),
    ...texts.flatMap((text) => text.match(endToEndId) ?? []),
  ]);
  const own = [...ids, ...others];
  const inserts = [...sample].flatMap(([table, rows]) =>
    rows.map((row) => ({
      insert: insertInto(database, table, row),
      values: Object.values(row).map((value) => (typeof value === 'string' ? partsOf(value, own) : value)),
    })),
  );
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  for (let number = from; number < to; number += 1) {
    const digits = number.toString(16).padStart(8, '0');
    const varied = own.map((text) => (ids.includes(text) ? digits + text.slice(8) : text.slice(0, -8) + digits));
    const filled = (part: string | number): string => (typeof part === 'string' ? part : (varied[part] ?? ''));
    for (const { insert, values } of inserts)
      insert.run(...values.map((value) => (Array.isArray(value) ? value.map(filled).join('') : value)));
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

/** A text around what varies in it: its fixed parts, and the places in `own` of the others. */
function partsOf(text: string, own: readonly string[]): (string | number)[] {
  const pattern = new RegExp(`(${own.map((one) => RegExp.escape(one)).join('|')})`, 'u');
  return text.split(pattern).map((part) => {
    const place = own.indexOf(part);
    return place < 0 ? part : place;
  });
}

/** The table itself and its indexes, each a table of the engine's. */
function tablesOf(database: DatabaseSync, table: string): readonly string[] {
  const rows = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND (name = ? OR name LIKE ?)");
  return rows.all(table, `${table}::gsi::%`).map(({ name }) => String(name));
}

function newestOf(database: DatabaseSync, table: string): number {
  return Number(database.prepare(`SELECT MAX(rowid) AS newest FROM "${table}"`).get()?.['newest'] ?? 0);
}

/** What stands there already under the same key stays: the sample's part of something that is shared. */
function insertInto(database: DatabaseSync, table: string, row: Row) {
  const names = Object.keys(row);
  const places = names.map(() => '?').join(', ');
  return database.prepare(`INSERT OR IGNORE INTO "${table}" (${names.join(', ')}) VALUES (${places})`);
}
