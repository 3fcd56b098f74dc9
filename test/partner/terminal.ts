import { fakePlans } from './fake-plans.ts';
import { runCommandLine } from '../../infra/partner/cli.ts';
import type { Operator } from '../../infra/partner/partner.ts';
import type { Clock } from '../../shared/domain/brasilia-time.ts';
import { companyPrefix } from '../../shared/persistence/keys.ts';
import { memoryStore } from '../../shared/persistence/memory-store.ts';
import type { Item, Store } from '../../shared/persistence/store.ts';
import { randomIds } from '../../shared/runtime/ids.ts';

export const AT = '2026-01-15T12:00:00.000Z';

export type TestPartner = Operator & {
  readonly secrets: Map<string, string>;
  /** Runs a command line and gives what it said; arguments with blanks as elements. */
  readonly run: (...args: readonly string[]) => Promise<{ code: number; out: string; err: string }>;
  /** Runs a command line that must succeed and gives its JSON. */
  readonly json: (...args: readonly string[]) => Promise<Record<string, string>>;
};

/** The command in a place of its own: `local` with an issuer of the service's own, else as on AWS. */
export function testPartner(where: 'local' | 'aws' = 'local', store: Store = memoryStore()): TestPartner {
  const secrets = new Map<string, string>();
  const register = (clientId: string, secret: string): Promise<void> => {
    secrets.set(clientId, secret);
    return Promise.resolve();
  };
  const now: Clock = () => AT;
  // Where the store is not the one in memory, nothing in these tests scans it.
  const all = 'all' in store ? (store.all as () => readonly Item[]) : () => [];
  const itemsOf: Operator['itemsOf'] = async function* (companyId) {
    yield* await Promise.resolve(all().filter(({ PK }) => PK.startsWith(companyPrefix(companyId))));
  };
  const gateway = fakePlans();
  const base = { store, ids: randomIds, now, itemsOf, plans: () => gateway };
  const partner: Operator = where === 'local' ? { ...base, registry: { register }, ispb: '00000000' } : base;
  const run: TestPartner['run'] = async (...args) => {
    let out = '';
    let err = '';
    const terminal = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
    const code = await runCommandLine(args, () => partner, terminal);
    return { code, out, err };
  };
  const json: TestPartner['json'] = async (...args) => {
    const { code, out, err } = await run(...args, '--json');
    if (code !== 0) throw new Error(`${args.join(' ')}: ${err}`);
    return JSON.parse(out) as Record<string, string>;
  };
  return { ...partner, secrets, run, json };
}
