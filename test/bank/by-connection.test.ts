import { expect, test } from 'vitest';
import {
  chargesBy,
  directoryBy,
  payoutsBy,
  recurrencesBy,
  recurringChargesBy,
  refundsBy,
} from '#shared/bank/by-connection.ts';
import type { CallContext } from '#shared/bank/outcome.ts';

/** Each call of each port goes to the bank of its connection, as it is. */

type Call = (order: unknown, context: CallContext) => Promise<unknown>;
type Ports = { readonly [name: string]: Call | Ports };

const command = ['submit', 'find'];
const ports: readonly (readonly [string, (portOf: never) => object, readonly string[]])[] = [
  ['charges', chargesBy, command.flatMap((call) => [`open.${call}`, `remove.${call}`])],
  ['refunds', refundsBy, command],
  ['recurrences', recurrencesBy, ['read', ...command.flatMap((call) => [`open.${call}`, `cancel.${call}`])]],
  [
    'recurringCharges',
    recurringChargesBy,
    ['prepare', ...command.flatMap((call) => [`schedule.${call}`, `withdraw.${call}`])],
  ],
  ['payouts', payoutsBy, ['prepare', ...command.flatMap((call) => [`send.${call}`, `cancel.${call}`])]],
  ['directory', directoryBy, ['resolveKey', 'resolveAccount', 'resolveCharge']],
];
const calls = ports.flatMap(([name, by, paths]) => paths.map((path) => [`${name}.${path}`, by, path] as const));

/** A bank whose every call says which it is, and of which connection. */
function bankOf(connection: string | undefined, paths: readonly string[]): Ports {
  const response =
    (path: string): Call =>
    (order, context) =>
      Promise.resolve({ connection, path, order, context });
  const port: Record<string, Call | Record<string, Call>> = {};
  for (const path of paths) {
    const [first = '', second] = path.split('.');
    if (second === undefined) port[first] = response(path);
    else port[first] = { ...(port[first] as Record<string, Call> | undefined), [second]: response(path) };
  }
  return port;
}

const callOf = (port: object, path: string): Call =>
  path.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], port) as Call;

function pathsOf(port: object, before = ''): readonly string[] {
  return Object.entries(port).flatMap(([name, inner]: [string, unknown]) =>
    typeof inner === 'function' ? [`${before}${name}`] : pathsOf(inner as object, `${before}${name}.`),
  );
}

test.each(ports)('every call of the port %s has a row in this file', (_name, by, paths) => {
  expect(pathsOf(by((() => Promise.resolve({})) as never)).toSorted()).toEqual(paths.toSorted());
});

test.each(calls)('%s goes only to the bank of its connection, with its order', async (_name, by, path) => {
  const paths = ports.find(([, one]) => one === by)?.[2] ?? [];
  const port = by(((callContext: Pick<CallContext, 'companyId' | 'connection'>) => {
    expect(callContext.companyId).toBe('company');
    return Promise.resolve(bankOf(callContext.connection, paths));
  }) as never);
  for (const connection of ['one', 'two', undefined]) {
    const context = { companyId: 'company', connection, at: 'now', signal: new AbortController().signal };
    const order = { reference: 'r' };
    expect(await callOf(port, path)(order, context)).toEqual({ connection, path, order, context });
  }
});
