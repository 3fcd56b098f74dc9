import * as z from 'zod';
import type { Instant, LocalDate } from '#shared/core/brasilia-time.ts';
import { brasiliaDate, instantAt, plusDays, plusMonths } from '#shared/core/brasilia-time.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { ItemMembers } from '#shared/platform/table/parse.ts';
import { parserOf } from '#shared/platform/table/parse.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { queryAll } from '#shared/platform/table/store.ts';
import type { OperatorDependencies } from '../target.ts';

/**
 * A command that changes something. `BEGUN`: it has not ended yet, or its process died. `FAILED`: it was refused, or
 * ended with an error; what it wrote before that stays.
 */
type TrailEntry = {
  readonly id: string;
  readonly at: Instant;
  readonly command: string;
  /** The options as given, without personal data. */
  readonly options: Readonly<Record<string, string>>;
  /** The caller as AWS names it (ARN), or locally the user of the machine. */
  readonly by: string;
  readonly outcome: 'BEGUN' | 'DONE' | 'FAILED';
  /** The ids in its output, by their names there: of what it made or changed. */
  readonly ids?: Readonly<Record<string, string>>;
};

const parseTrail = parserOf(
  z.object({
    entity: z.literal('OPERATOR_COMMAND'),
    id: z.string(),
    at: z.string(),
    command: z.string(),
    options: z.record(z.string(), z.string()),
    by: z.string(),
    outcome: z.enum(['BEGUN', 'DONE', 'FAILED']),
    ids: z.record(z.string(), z.string()).exactOptional(),
  } satisfies ItemMembers<TrailEntry>),
  'command of an operator',
);

/** Options whose values name a person. */
const personal: ReadonlySet<string> = new Set(['fullName', 'document', 'email', 'phone', 'chave']);
const hidden = '…';

type Recording = Pick<OperatorDependencies, 'store' | 'ids' | 'now' | 'caller'>;

/**
 * Runs a command between two writes of its entry in the trail. Without the first write it does not run.
 * @throws what the command throws
 */
export async function recorded<Output>(
  { store, ids, now, caller }: Recording,
  command: string,
  values: Readonly<Record<string, unknown>>,
  run: () => Promise<Output>,
): Promise<Output> {
  const options = Object.entries(values).flatMap(([name, value]): readonly (readonly [string, string])[] => {
    if (value === undefined) return [];
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [[name, personal.has(name) ? hidden : text]];
  });
  const entry = { id: ids.uuid(), at: now(), command, options: Object.fromEntries(options), by: await caller() };
  await store.writeOne(trailPut({ ...entry, outcome: 'BEGUN' }));
  try {
    const output = await run();
    await store.writeOne(trailPut({ ...entry, outcome: 'DONE', ...idsIn(output) }));
    return output;
  } catch (error) {
    // The command's own error says more than one of this write.
    await store.writeOne(trailPut({ ...entry, outcome: 'FAILED' })).catch(() => undefined);
    throw error;
  }
}

/** Returns the ids in an output, which may have secrets beside them. */
function idsIn(output: unknown): Pick<TrailEntry, 'ids'> {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return {};
  const ids = Object.entries(output).filter(
    (member): member is [string, string] => /^id$|Id$/u.test(member[0]) && typeof member[1] === 'string',
  );
  return ids.length === 0 ? {} : { ids: Object.fromEntries(ids) };
}

function trailPut(entry: TrailEntry): { readonly put: Item } {
  return {
    put: { ...keys.operatorCommand(entry.at.slice(0, 7), entry.at, entry.id), entity: 'OPERATOR_COMMAND', ...entry },
  };
}

type Wanted = { readonly from?: LocalDate | undefined; readonly companyId?: string | undefined };

const usualDays = 30;

/** Lists the commands since a day in Brasilia, oldest first. */
export async function showTrail({ store, now }: Pick<OperatorDependencies, 'store' | 'now'>, wanted: Wanted) {
  const since = instantAt(wanted.from ?? plusDays(brasiliaDate(now()), -usualDays), '00:00');
  const found: TrailEntry[] = [];
  for (let first = brasiliaDate(since); first.slice(0, 7) <= now().slice(0, 7); first = plusMonths(first, 1)) {
    const { PK: partition, SK: from } = keys.operatorCommand(first.slice(0, 7), since, '');
    for await (const item of queryAll(store, { partition, from, upTo: '~' })) found.push(parseTrail(item));
  }
  return found
    .filter(({ options, ids }) => wanted.companyId === undefined || isOf(wanted.companyId, options, ids))
    .map(({ at, by, command, outcome, options, ids = {} }) => {
      return { at, by, command, outcome, ...shown('options', options), ...shown('ids', ids) };
    });
}

function isOf(companyId: string, options: TrailEntry['options'], ids: TrailEntry['ids']): boolean {
  return options['companyId'] === companyId || ids?.['companyId'] === companyId;
}

/** Returns a member by its name, its own members in order; nothing without any. The table keeps no order. */
function shown(name: 'options' | 'ids', values: TrailEntry['options']) {
  const entries = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? {} : { [name]: Object.fromEntries(entries) };
}
