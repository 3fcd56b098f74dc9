import * as z from 'zod';
import type { Archive } from '../archive.ts';

/** Settings for all callbacks from now on. */
const CallbackPolicy = z.strictObject({
  /** Sends no callbacks: changes during this setting never get one. */
  none: z.boolean().default(false),
  delayMs: z.int().min(0).default(0),
  /** How many times each callback is sent. */
  copies: z.int().min(1).max(100).default(1),
  /** Maximum additional random wait of each callback, so that later callbacks may overtake it. */
  shuffleMs: z.int().min(0).default(0),
  /** Maximum number of items in one call. */
  bundle: z.int().min(1).max(10_000).default(10),
  /** Waits before each repetition of a callback that the client did not accept (2xx). */
  retryMs: z.array(z.int().min(0)).max(10),
});

type Policy = z.output<typeof CallbackPolicy>;

type Row = { number: number; url: string; collection: string; item: string; attempts: number };

/** Maximum number of due callbacks that are read together. */
const batch = 10_000;

/** Opens the queue of the callbacks that were not accepted yet, in the archive. */
function openQueue({ database }: Pick<Archive, 'database'>) {
  const insert = database.prepare('INSERT INTO callbacks (url, collection, item, due) VALUES (?, ?, ?, ?)');
  const due = database.prepare(
    'SELECT number, url, collection, item, attempts FROM callbacks WHERE due <= ? ORDER BY due, number LIMIT ?',
  );
  const next = database.prepare('SELECT MIN(due) AS due FROM callbacks');
  const count = database.prepare('SELECT COUNT(*) AS count FROM callbacks');
  const remove = database.prepare('DELETE FROM callbacks WHERE number = ?');
  const postpone = database.prepare('UPDATE callbacks SET due = ?, attempts = attempts + 1 WHERE number = ?');
  const move = database.prepare('UPDATE callbacks SET url = ?, due = 0 WHERE url = ?');
  return {
    add: (url: string, collection: string, item: object, at: number): void => {
      insert.run(url, collection, JSON.stringify(item), at);
    },
    due: (): readonly Row[] => due.all(Date.now(), batch) as unknown as Row[],
    /** Returns when the next callback is due. */
    next: (): number | undefined => {
      const at = next.get()?.['due'];
      return typeof at === 'number' ? at : undefined;
    },
    /** Removes callbacks that were accepted or had their last attempt; postpones the others. */
    settle: (rows: readonly Row[], isTaken: boolean, retryMs: Policy['retryMs']): void => {
      // One time for all items of a call: they are sent together again.
      const now = Date.now();
      for (const { number, attempts } of rows) {
        const wait = retryMs[attempts];
        if (isTaken || wait === undefined) remove.run(number);
        else postpone.run(now + wait, number);
      }
    },
    hurry: (): void => {
      database.exec('UPDATE callbacks SET due = 0');
    },
    move: (from: string, to: string): void => {
      move.run(to, from);
    },
    waiting: (): number => Number(count.get()?.['count']),
  };
}

/** How a bank calls. */
type Way = {
  /** Calls an address with items of one collection. @returns The status; undefined without a response. */
  readonly send: (url: string, collection: string, items: readonly unknown[]) => Promise<number | undefined>;
  /** Waits of the bank before each repetition. */
  readonly retryMs: readonly number[];
  /** Maximum number of items in one call, whatever the policy says. */
  readonly mostItems?: number;
};

/** Opens the callbacks to the clients' webhooks. Callbacks that were not accepted yet continue after a restart. */
export function openCallbacks(
  archive: Pick<Archive, 'database'>,
  { send, retryMs: ownRetryMs, mostItems = Infinity }: Way,
) {
  const queue = openQueue(archive);
  const parsePolicy = (body: unknown): Policy =>
    CallbackPolicy.parse({ retryMs: ownRetryMs, ...z.looseObject({}).parse(body) });
  let policy = parsePolicy({});
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isClosed = false;
  const call = async (rows: readonly Row[]): Promise<void> => {
    const [first] = rows;
    if (first === undefined) return;
    const items = rows.map(({ item }) => JSON.parse(item) as unknown);
    const status = await send(first.url, first.collection, items);
    if (!isClosed) queue.settle(rows, status !== undefined && status >= 200 && status < 300, policy.retryMs);
  };
  const round = async (): Promise<void> => {
    for (;;) {
      const rows = isClosed ? [] : queue.due();
      if (rows.length === 0) return;
      const byAddress = Object.values(Object.groupBy(rows, ({ url, collection }) => `${collection} ${url}`));
      // Calls to one address run in order, one after the other.
      await Promise.all(
        byAddress.map(async (all = []) => {
          const bundle = Math.min(policy.bundle, mostItems);
          for (let at = 0; at < all.length && !isClosed; at += bundle) await call(all.slice(at, at + bundle));
        }),
      );
    }
  };
  const wake = (): void => {
    if (isClosed || running !== undefined) return;
    clearTimeout(timer);
    running = round().finally(() => {
      running = undefined;
      const at = isClosed ? undefined : queue.next();
      if (at !== undefined) timer = setTimeout(wake, Math.min(Math.max(at - Date.now(), 1), 60_000));
    });
  };
  return {
    wake,
    /** Adds a callback to the queue, within the transaction of the change that it reports. */
    add: (url: string, collection: string, item: object): void => {
      const { none, copies, delayMs, shuffleMs } = policy;
      if (none) return;
      for (let copy = 0; copy < copies; copy += 1)
        queue.add(url, collection, item, Date.now() + delayMs + Math.floor(Math.random() * shuffleMs));
    },
    /** Reads a policy; an empty object is the bank's own. @throws ZodError for another shape. */
    parsePolicy,
    setPolicy: (value: Policy): void => {
      policy = value;
    },
    /** Makes all waiting callbacks due immediately. */
    hurry: queue.hurry,
    /** Moves the waiting callbacks of an address to another address and makes them due immediately. */
    move: queue.move,
    /** Returns the number of callbacks that were not accepted yet. */
    waiting: queue.waiting,
    close: async (): Promise<void> => {
      isClosed = true;
      clearTimeout(timer);
      await Promise.race([running, new Promise((done) => setTimeout(done, 500).unref())]);
    },
  };
}
