import { allCapabilities } from '#shared/bank/capabilities.ts';
import type { RequestContext } from '#shared/bank/outcome.ts';

/** The connections of a company; an account is served by one of them. */
export const connectionOne = 'cccccccc-cccc-4ccc-8ccc-000000000001';
export const connectionTwo = 'cccccccc-cccc-4ccc-8ccc-000000000002';

type Order = { readonly reference?: string } | undefined;
type Call = (order: Order, context: RequestContext) => Promise<unknown>;
type Ports = Record<string, unknown>;
/** `port.call at the place of its connection`, as `refunds.submit one`. */
type Asked = string;

/**
 * Two banks in the place of that of a world. Each knows the commands that it took, and no other; `answers` replaces
 * what a call says, by its name. Everything that either is asked stands in `asked`, capabilities too.
 */
export function twoConnections(bank: object, first = connectionOne) {
  const asked: Asked[] = [];
  const responses = new Map<string, (order: unknown) => unknown>();
  const taken = new Set<string>();
  const known = { serving: first };
  const placeOf = (connection: string | undefined): string =>
    connection === undefined ? 'the simulated bank' : connection === first ? 'one' : 'two';
  const behind =
    (name: string, call: Call): Call =>
    async (order, context) => {
      const place = placeOf(context.connection);
      asked.push(`${name} ${place}`);
      const [command, kind] = [name.replace(/\.(?:submit|find)$/u, ''), name.split('.').at(-1)];
      const id = `${command} ${place} ${order?.reference}`;
      const response = responses.get(name);
      if (kind === 'find' && !taken.has(id)) return { outcome: 'NEVER_SEEN' };
      const outcome = await Promise.resolve(response?.(order) ?? call(order, { ...context, connection: undefined }));
      if (kind === 'submit' && (outcome as { readonly outcome?: string }).outcome === 'DONE') taken.add(id);
      return outcome;
    };
  const wrap = (ports: Ports, before: string): void => {
    for (const [name, inner] of Object.entries(ports))
      if (typeof inner === 'object' && inner !== null) wrap(inner as Ports, `${before}${name}.`);
      else if (before !== '') ports[name] = behind(`${before}${name}`, inner as Call);
  };
  wrap(bank as Ports, '');
  Object.assign(bank, {
    connectionOf: () => Promise.resolve(known.serving),
    capabilities: (_companyId: string, connection: string | undefined) => {
      asked.push(`capabilities ${placeOf(connection)}`);
      return Promise.resolve({ ...allCapabilities, isPolled: true });
    },
  });
  return {
    /** What was asked since this was last read. */
    asked: (): readonly Asked[] => asked.splice(0),
    answers: responses,
    /** The account is served by the other bank from now on. */
    move: (to = connectionTwo): void => {
      known.serving = to;
    },
  };
}
