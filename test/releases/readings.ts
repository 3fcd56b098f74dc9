import { isDeepStrictEqual } from 'node:util';
import { routes } from '#functions/routes.ts';
import type { Partner } from '@banking-order/partner-tools';
import { jsonOf, poll } from '@banking-order/partner-tools';

/** Content of every record and list that a partner can read, by its path. */
export type Readings = ReadonlyMap<string, { readonly template: string; readonly body: unknown }>;

type Listed = { readonly data?: readonly { readonly id?: unknown }[] };

/** Paths of GET, those with fewest parameters first; without the simulation tools, whose responses change. */
const paths = routes
  .filter(({ contract, simulation }) => contract.method === 'GET' && simulation !== true)
  .map(({ contract }) => contract.path)
  .toSorted((one, other) => one.split('{').length - other.split('{').length);

/**
 * Reads everything of a company: every list, up to 100 entries, and all that hangs on the ids in it. Only responses of
 * 200 are kept: a release before lacks endpoints.
 */
async function readOnce(partner: Partner): Promise<Readings> {
  const readings = new Map<string, { readonly template: string; readonly body: unknown }>();
  const ids = new Map<string, readonly string[]>();
  for (const template of paths)
    for (const path of filled(template, ids)) {
      const { status, text } = await partner.raw({ method: 'GET', path: `${path}?limit=100` });
      const { status: plainStatus, text: plainText } =
        status === 400 ? await partner.raw({ method: 'GET', path }) : { status, text };
      if (plainStatus !== 200) continue;
      const body = jsonOf(plainText);
      readings.set(path, { template, body });
      const found = ((body as Listed).data ?? []).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
      const segment = path.split('/').at(-1) ?? '';
      ids.set(path, found);
      ids.set(segment, [...(ids.get(segment) ?? []), ...found]);
    }
  return readings;
}

/** The paths of a template: an id stands behind the list that showed it, or behind one of the same name. */
function filled(template: string, ids: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const [, before = '', after = ''] = /^(.+?)\/\{\w+\}(.*)$/u.exec(template) ?? [];
  if (before === '') return [template];
  const known = ids.get(before) ?? ids.get(before.split('/').at(-1) ?? '') ?? [];
  return known.flatMap((id) => filled(`${before}/${id}${after}`, ids));
}

const settledWithinMs = 60_000;

/** Reads everything until nothing changes any more. @throws Error when something still changes after a minute. */
export async function readAll(partner: Partner): Promise<Readings> {
  let last: Readings = new Map();
  const isSettled = await poll(
    async () => {
      const before = last;
      last = await readOnce(partner);
      return isDeepStrictEqual(last, before);
    },
    (is) => is,
    settledWithinMs,
    1000,
  );
  if (!isSettled) throw new Error('Cannot compare the records of the company: they still change after a minute.');
  return last;
}

/**
 * Where two releases read otherwise. The newer one may give more fields and more endpoints, for releases add some; each
 * record is in both.
 */
export function readOtherwise({
  older,
  newer,
}: {
  readonly older: Readings;
  readonly newer: Readings;
}): readonly string[] {
  const known = new Set([...older.values()].map(({ template }) => template));
  const missingPaths = [...newer].flatMap(([path, { template }]) =>
    known.has(template) && !older.has(path) ? [path] : [],
  );
  const changedFields = [...older].flatMap(([path, { body }]) =>
    differences(body, newer.get(path)?.body).map((where) => `${path}${where === '' ? '' : ` ${where}`}`),
  );
  return [...missingPaths, ...changedFields];
}

function differences(earlier: unknown, later: unknown, where = ''): readonly string[] {
  if (typeof earlier !== 'object' || earlier === null) return Object.is(earlier, later) ? [] : [where];
  if (typeof later !== 'object' || later === null) return [where];
  if (Array.isArray(earlier) && earlier.length !== (later as readonly unknown[]).length) return [where];
  const after = later as Readonly<Record<string, unknown>>;
  return Object.entries(earlier).flatMap(([name, value]) => differences(value, after[name], `${where}.${name}`));
}
