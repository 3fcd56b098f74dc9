import type { Bank } from '#shared/bank/bank.ts';
import { checkedKeys } from '#shared/bank/ports/keys.ts';
import type { KeyOrder } from '#shared/bank/ports/keys.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import type { Books, Draws } from './bank-books.ts';
import type { PortWays, Weather } from './bank-ports.ts';
import { network } from './bank-ports.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A key as the bank has it, from one time until another, milliseconds of the model. */
export type KeyAtBank = {
  readonly key: string;
  readonly order: KeyOrder;
  readonly fromMs: number;
  untilMs: number;
};

const neverSeen = { outcome: 'NEVER_SEEN' } as const;
const registered = ({ key }: KeyAtBank) => ({ outcome: 'DONE', state: { status: 'REGISTERED', key } }) as const;

/** The keys of the model bank's accounts. It knows a registration by our reference, and shows it late. */
export function keyPorts(
  books: Books,
  over: {
    readonly time: VirtualTime;
    readonly draws: Draws;
    readonly ids: Ids;
    readonly ways: PortWays;
    readonly faultSchedule: () => Weather;
    readonly counted: () => void;
  },
): Pick<Bank, 'keys'> & { readonly atBank: readonly KeyAtBank[] } {
  const { time, draws, ids, ways, faultSchedule, counted } = over;
  const through = network(time, draws, faultSchedule, counted);
  const atBank: KeyAtBank[] = [];
  const readAt = (): number => time.now() - draws.between(0, faultSchedule().lagMs + 1);
  const of = ({ reference }: KeyOrder, at: number) =>
    atBank.find(({ order, fromMs, untilMs }) => order.reference === reference && fromMs <= at && at < untilMs);
  const refuse = (order: KeyOrder, code?: string) => {
    books.refused.add(order.reference);
    return { outcome: 'REFUSED', ...(code !== undefined && { code }), reason: 'The bank does not do it.' } as const;
  };
  const register = (order: KeyOrder) => {
    books.commands.add(`KEY ${order.reference}`);
    const known = of(order, time.now());
    if (known !== undefined) return ways.repetition === 'ANSWERED_AGAIN' ? registered(known) : { outcome: 'UNKNOWN' };
    if (books.refused.has(order.reference) || draws.chance(0.1))
      return refuse(order, draws.one(['OWNED_ELSEWHERE', 'LIMIT_EXCEEDED', 'KEY_BLOCKED']));
    const made = { key: order.key ?? ids.uuid(), order, fromMs: time.now(), untilMs: Infinity };
    atBank.push(made);
    return registered(made);
  };
  const remove = (order: KeyOrder) => {
    books.commands.add(`KEY_REMOVAL ${order.reference}`);
    const known = of(order, time.now());
    if (known !== undefined && draws.chance(0.1)) return refuse(order);
    if (known !== undefined) known.untilMs = time.now();
    return { outcome: 'DONE', state: {} } as const;
  };
  return {
    atBank,
    keys: checkedKeys({
      register: {
        submit: (order) => through(() => register(order)),
        find: (order) =>
          through(() => {
            const known = of(order, readAt());
            return known === undefined ? neverSeen : registered(known);
          }),
      },
      remove: {
        submit: (order) => through(() => remove(order)),
        find: (order) =>
          through(() => (of(order, readAt()) === undefined ? { outcome: 'DONE', state: {} } : neverSeen)),
      },
    }),
  };
}
