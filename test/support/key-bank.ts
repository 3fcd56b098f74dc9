import type { CommandOutcome, FoundCommand } from '#shared/bank/outcome.ts';
import type { KeyOrder, KeyState } from '#shared/bank/ports/keys.ts';
import { connectionId } from './connected-items.ts';
import type { keyWorld } from './key-world.ts';

/** A random key that the connected bank has made up. */
export const madeUpKey = '8a3f6b1e-1111-4222-8333-9999aaaa0000';

export const registered = (key: string) => ({ outcome: 'DONE', state: { status: 'REGISTERED', key } }) as const;
export const removed = { outcome: 'DONE', state: {} } as const;
export const unknown = { outcome: 'UNKNOWN' } as const;
export const neverSeen = { outcome: 'NEVER_SEEN' } as const;

type Call<Outcome> = () => Outcome | Promise<Outcome>;

/** What a connected bank answers to commands for keys, and what it was asked. */
export type KeyBank = {
  register: Call<CommandOutcome<KeyState>>;
  find: Call<FoundCommand<KeyState>>;
  remove: Call<CommandOutcome<object>>;
  findRemoved: Call<FoundCommand<object>>;
  /** The submissions, each with its connection. */
  readonly orders: (KeyOrder & { readonly connection: string | undefined })[];
  /** The connection and time of each look-up. */
  readonly lookups: { readonly connection: string | undefined; readonly at: string }[];
};

/** Gives the accounts of a world a bank of their own, which has each key at once unless a test says otherwise. */
export function connectKeyBank(world: ReturnType<typeof keyWorld>): KeyBank {
  const bank: KeyBank = {
    register: () => registered(bank.orders.at(-1)?.key ?? madeUpKey),
    find: () => neverSeen,
    remove: () => removed,
    findRemoved: () => neverSeen,
    orders: [],
    lookups: [],
  };
  world.bank.connectionOf = () => Promise.resolve(connectionId);
  world.bank.keys.register.submit = async (order, { connection }) => {
    bank.orders.push({ ...order, connection });
    return bank.register();
  };
  world.bank.keys.register.find = async (_order, { connection, at }) => {
    bank.lookups.push({ connection, at });
    return bank.find();
  };
  world.bank.keys.remove.submit = async (order, { connection }) => {
    bank.orders.push({ ...order, connection });
    return bank.remove();
  };
  world.bank.keys.remove.find = async (_order, { connection, at }) => {
    bank.lookups.push({ connection, at });
    return bank.findRemoved();
  };
  world.setCapabilities({});
  return bank;
}
