import * as z from 'zod';
import { keys } from '#shared/platform/table/keys.ts';
import { layoutAttribute, layoutOf } from '#shared/platform/table/layout.ts';
import { parseItem } from '#shared/platform/table/parse.ts';
import type { Condition, Item, Key, Store } from '#shared/platform/table/store.ts';
import type { OperatorDependencies } from '../target.ts';
import type { Migration } from './migrations.ts';

/** Read units, and changed items, a second. */
export const defaultRate = 50;

const Position = z.object({ PK: z.string(), SK: z.string() });
const StateItem = z.object({
  /** Id of a pass over the whole table. A later pass replaces it. */
  runId: z.string(),
  status: z.enum(['RUNNING', 'DONE']),
  position: Position.exactOptional(),
  /** Items that this pass changed. */
  changed: z.int(),
  startedAt: z.string(),
  updatedAt: z.string(),
});
type State = z.output<typeof StateItem>;

type Outcome = {
  readonly name: string;
  readonly status: State['status'];
  /** Items that this pass changed, in all its runs. 0 after a whole pass: no item has the previous layout. */
  readonly changed: number;
  readonly startedAt: string;
};

type Dependencies = Pick<OperatorDependencies, 'store' | 'pagesOf' | 'ids' | 'now'>;

/**
 * Changes every item of the previous layout, page by page. After an interruption the next run resumes the pass; after a
 * whole pass it begins a new one. Two concurrent runs are slower but safe.
 * @param pause Waits after each changed item, by the rate.
 * @throws Error when another run began a new pass
 */
export async function migrate(
  { store, pagesOf, ids, now }: Dependencies,
  migration: Migration,
  rate: number,
  pause: (seconds: number) => Promise<unknown>,
): Promise<Outcome> {
  let state = await takeUp(store, migration.name, { runId: ids.uuid(), at: now() });
  for await (const { items, next } of pagesOf({
    unitsPerSecond: rate,
    after: state.position,
    onPage: () => undefined,
  })) {
    let changed = 0;
    for (const item of items)
      if (await changeItem(store, migration, item)) {
        changed += 1;
        await pause(1 / rate);
      }
    const { position: _before, ...rest } = state;
    state = { ...rest, ...(next && { position: bare(next) }), changed: state.changed + changed, updatedAt: now() };
    await keep(store, migration.name, state, { equals: { runId: state.runId } });
  }
  const { position: _last, ...rest } = state;
  const done: State = { ...rest, status: 'DONE', updatedAt: now() };
  await keep(store, migration.name, done, { equals: { runId: state.runId } });
  return { name: migration.name, status: done.status, changed: done.changed, startedAt: done.startedAt };
}

/** Returns the unfinished pass, or begins a new one. */
async function takeUp(
  store: Store,
  name: string,
  begun: { readonly runId: string; readonly at: string },
): Promise<State> {
  const [item] = await store.read([keys.migration(name)]);
  const before = item === undefined ? undefined : parseItem(StateItem, item, 'migration');
  if (before?.status === 'RUNNING') return before;
  const { runId, at } = begun;
  const state: State = { runId, status: 'RUNNING', changed: 0, startedAt: at, updatedAt: at };
  await keep(store, name, state, before === undefined ? { is: 'absent' } : { equals: { runId: before.runId } });
  return state;
}

/** Writes the state of a pass, also if repeated after a lost response. @throws Error when another pass replaced it */
async function keep(store: Store, name: string, state: State, when: Condition): Promise<void> {
  const put: Item = { ...keys.migration(name), entity: 'MIGRATION', ...state };
  const outcome = await store.writeOne({ put, when });
  if (outcome.ok || outcome.failed[0]?.item?.['runId'] === state.runId) return;
  throw new Error(`Another run of ${name} began a new pass: that run continues, this one stops.`);
}

/** Changes an item and tries again after each concurrent change. @returns Whether this call gave it the new layout. */
async function changeItem(store: Store, migration: Migration, found: Item): Promise<boolean> {
  const { entity, to, reads, change } = migration;
  let item: Item | undefined = found;
  while (item?.['entity'] === entity && layoutOf(item) === to - 1) {
    const seen: Item = item;
    const { set = {}, remove } = change(Object.fromEntries(reads.map((name) => [name, seen[name]])));
    const outcome = await store.writeOne({
      update: bare(seen),
      set: { ...set, [layoutAttribute]: to },
      ...(remove && { remove }),
      when: { all: [{ is: 'present' }, ...[layoutAttribute, ...reads].map((name) => unchanged(seen, name))] },
    });
    if (outcome.ok) return true;
    item = outcome.failed[0]?.item;
  }
  return false;
}

/** Returns the condition that an attribute is unchanged. @throws Error for an attribute that cannot be compared */
function unchanged(item: Item, name: string): Condition {
  const value = item[name];
  if (value === undefined) return { lacks: name };
  if (typeof value === 'object' && value !== null)
    throw new Error(`A migration cannot read ${name}: let it read a counter that changes with it, such as version.`);
  return { equals: { [name]: value } };
}

function bare({ PK, SK }: Key): Key {
  return { PK, SK };
}
