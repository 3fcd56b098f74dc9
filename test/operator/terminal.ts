import { fakePlans } from './fake-plans.ts';
import { runCommandLine } from '#infra/operator/main.ts';
import { failureQueues, queueName } from '#infra/resource-name.ts';
import type { Surroundings } from '#infra/operator/status/surroundings.ts';
import type { OperatorDependencies } from '#infra/operator/target.ts';
import type { Clock } from '#shared/core/brasilia-time.ts';
import { companyOf } from '#shared/platform/company.ts';
import { memoryStore, pagesOver } from '../support/memory-store.ts';
import type { Item, Store } from '#shared/platform/table/store.ts';
import { randomIds } from '#shared/platform/ids.ts';

export const at = '2026-01-15T12:00:00.000Z';

/** Takes the place of a service of AWS that a test does without. */
const none = (): never => {
  throw new Error('This operator has none.');
};

export type TestOperator = OperatorDependencies & {
  /** Messages of the environment's queues by name. */
  readonly queues: Map<string, number>;
  readonly secrets: Map<string, string>;
  /** Runs a command line and gives what it said; arguments with blanks as elements. */
  readonly run: (...args: readonly string[]) => Promise<{ code: number; out: string; err: string }>;
  /** Runs a command line that must succeed and gives its JSON. */
  readonly json: (...args: readonly string[]) => Promise<Record<string, string>>;
};

/** Items that commands write besides their entries in the trail. */
export function withoutTrail(items: readonly Item[]): readonly Item[] {
  return items.filter(({ entity }) => entity !== 'OPERATOR_COMMAND');
}

/** The command on a target of its own: `local` with an issuer of the service's own, `aws` without one. */
export function testOperator(where: 'local' | 'aws' = 'local', store: Store = memoryStore()): TestOperator {
  const secrets = new Map<string, string>();
  const register = (clientId: string, secret: string): Promise<void> => {
    secrets.set(clientId, secret);
    return Promise.resolve();
  };
  const now: Clock = () => at;
  // Where the store is not the one in memory, nothing in these tests scans it.
  const all = 'all' in store ? (store.all as () => readonly Item[]) : () => [];
  const itemsOf: OperatorDependencies['itemsOf'] = async function* ({ companyId }) {
    const isOfCompany = (item: Item): boolean => companyId === undefined || companyOf(item) === companyId;
    yield* await Promise.resolve(all().filter(isOfCompany));
  };
  const gateway = fakePlans();
  const banks = new Map<string, string>();
  const bankSecrets = () => ({
    allowLocal: where === 'local',
    fetch: (name: string) => Promise.resolve(banks.get(name)),
    write: (name: string, text: string) => Promise.resolve(void banks.set(name, text)),
    remove: (name: string) => Promise.resolve(void banks.delete(name)),
  });
  const queues = new Map(failureQueues.map((key) => [queueName({ name: 'local' }, key), 0]));
  const surroundings = (): Surroundings => ({
    environment: 'local',
    messagesIn: (queue) => Promise.resolve(queues.get(queue)),
    deployment: () => Promise.resolve({ release: '1.2.3', at }),
  });
  const many = { itemsOf, pagesOf: pagesOver(all, 25) };
  const base = {
    store,
    ids: randomIds,
    now,
    ...many,
    caller: () => Promise.resolve('arn:aws:sts::111111111111:assumed-role/Operator/ana'),
    plans: () => gateway,
    beside: none,
    buckets: none,
    bankSecrets,
    surroundings,
  };
  const operator: OperatorDependencies =
    where === 'local' ? { ...base, registry: { register }, ispb: '00000000' } : base;
  const run: TestOperator['run'] = async (...args) => {
    let out = '';
    let err = '';
    const terminal = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
    const code = await runCommandLine(args, () => operator, terminal);
    return { code, out, err };
  };
  const json: TestOperator['json'] = async (...args) => {
    const { code, out, err } = await run(...args, '--json');
    if (code !== 0) throw new Error(`${args.join(' ')}: ${err}`);
    return JSON.parse(out) as Record<string, string>;
  };
  return { ...operator, secrets, queues, run, json };
}
