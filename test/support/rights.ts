import type { FunctionAccess } from '#functions/access.ts';
import type { IndexName, Store, Write } from '#shared/platform/table/store.ts';
import { keyOf } from '#shared/platform/table/store.ts';

/** A right by the names of functions/access.ts: `table: writes`, `index: GSI2`, `bank`, `drainQueue: sends`. */
export type Right = string;

/** Takes the rights that a call needs, and what it does. @throws what AWS answers a function that lacks one of them */
export type Ask = (needed: readonly Right[], call: string) => void;

const levels = ['gets', 'reads', 'writes'] as const;

/** What a function's access grants, right by right; who writes the table may read it. */
export function rightsOf({ table, indexes = [], ...others }: FunctionAccess): ReadonlySet<Right> {
  return new Set([
    ...levels.slice(0, table === undefined ? 0 : levels.indexOf(table) + 1).map((level) => `table: ${level}`),
    ...indexes.map((name) => `index: ${name}`),
    ...Object.entries(others).map(([name, use]) => (use === true ? name : `${name}: ${use}`)),
  ]);
}

/** As the SDK throws it. */
export function accessDenied(right: Right, call: string): Error {
  return Object.assign(new Error(`No right ${right}: ${call}`), { name: 'AccessDeniedException' });
}

/** A store that asks for the rights of each call before it makes it. */
export function limitedStore(store: Store, ask: Ask): Store {
  const touching = (action: Action, partitions: readonly string[]): void => {
    ask(neededOf(action, partitions), `${action} ${partitions.join(' ')}`);
  };
  const writing = (writes: readonly Write[]): void => {
    for (const write of writes) touching(actionOf(write), [keyOf(write).PK]);
  };
  return {
    read: async (keys) => {
      if (keys.length > 0)
        touching(
          keys.length === 1 ? 'GetItem' : 'BatchGetItem',
          keys.map(({ PK }) => PK),
        );
      return store.read(keys);
    },
    query: async (query) => {
      if (query.index === undefined) touching('Query', [query.partition]);
      else ask([indexRight(query.index)], `Query ${query.index} ${query.partition}`);
      return store.query(query);
    },
    write: async (writes, token, options) => {
      writing(writes);
      return store.write(writes, token, options);
    },
    writeOne: async (write) => {
      writing([write]);
      return store.writeOne(write);
    },
  };
}

/** A store for a function of this access, for tests of a function alone. */
export function storeFor(access: FunctionAccess, store: Store): Store {
  const granted = rightsOf(access);
  return limitedStore(store, (needed, call) => {
    for (const right of needed) if (!granted.has(right)) throw accessDenied(right, call);
  });
}

type Action = 'GetItem' | 'BatchGetItem' | 'Query' | 'ConditionCheckItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem';

const indexRight = (name: IndexName): Right => `index: ${name}`;

/**
 * Partitions that the policies close, each with the right that opens it. They stand here by hand: what the policies
 * compare with is judged, too.
 */
const closed: readonly (readonly [RegExp, Right])[] = [
  [/^C#[^#]*#SECRET$/u, 'secrets'],
  [/^C#[^#]*#CODE_SECRET$/u, 'codeSecrets'],
  [/^HASH_SECRET$/u, 'hashSecret'],
  [/^ISSUER$/u, 'issuerKeys: keeps'],
];
const slowCalls = /^C#[^#]*#SLOW_CALLS$/u;

function neededOf(action: Action, partitions: readonly string[]): readonly Right[] {
  const opening = closed
    .filter(([partitionPattern]) => partitions.some((partition) => partitionPattern.test(partition)))
    .map(([, right]) => right);
  const isWrite = ['PutItem', 'UpdateItem', 'DeleteItem'].includes(action);
  if (isWrite && opening.includes('hashSecret')) return ['hashSecret: writes'];
  if (action === 'PutItem' && opening.includes('issuerKeys: keeps')) return opening;
  if (action === 'UpdateItem' && partitions.every((partition) => slowCalls.test(partition)))
    return ['slowCalls: holds'];
  if (action === 'GetItem') return ['table: gets', ...opening];
  return [isWrite || action === 'ConditionCheckItem' ? 'table: writes' : 'table: reads', ...opening];
}

function actionOf(write: Write): Action {
  if ('put' in write) return 'PutItem';
  if ('update' in write) return 'UpdateItem';
  return 'delete' in write ? 'DeleteItem' : 'ConditionCheckItem';
}
