import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { allCapabilities } from '#shared/bank/capabilities.ts';
import { repetitionPut } from '#shared/bank/repeat.ts';
import { simulatedKeys } from '#shared/bank/simulated/keys.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { submitDueKeyCommand } from '#shared/pix-keys/submit.ts';
import { account, companyOne, holder } from '../support/bank-world.ts';
import { connectionId } from '../support/connected-items.ts';
import type { KeyBank } from '../support/key-bank.ts';
import { connectKeyBank, madeUpKey, neverSeen, registered, removed, unknown } from '../support/key-bank.ts';
import { keyWorld } from '../support/key-world.ts';
import { collectLines } from '../support/logged.ts';

const cnpj = { type: 'CNPJ', key: holder.document.number } as const;
const refusal = { outcome: 'REFUSED', code: 'OWNED_ELSEWHERE', reason: 'Another bank has it.' } as const;
const notNow = { outcome: 'NOT_NOW', cause: 'CLOSED' } as const;

let world: ReturnType<typeof keyWorld>;
let bank: KeyBank;
let lines: ReturnType<typeof collectLines>;
beforeEach(async () => {
  lines = collectLines();
  world = keyWorld();
  await world.openCompany(companyOne);
  await world.openAccount(0);
  bank = connectKeyBank(world);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const passes = (seconds: number): void => {
  world.clock.now = plusSeconds(world.clock.now, seconds);
};
const create = async (): Promise<string> => {
  const { body } = await world.create(cnpj);
  return (body as { readonly validationId: string }).validationId;
};
/** A key whose registration the bank has not answered. */
const waiting = async (): Promise<string> => {
  bank.register = () => unknown;
  const id = await create();
  bank.register = () => registered(cnpj.key);
  return id;
};
/** A confirmed key whose removal the bank has not answered. */
const leaving = async (): Promise<string> => {
  const id = await create();
  bank.remove = () => unknown;
  await world.remove(id);
  bank.remove = () => removed;
  return id;
};
const submit = (id: string) => {
  const { store, ids, clock } = world;
  const at = clock.now;
  const context = { store, ids, companyId: companyOne, requestId: 'run', realNow: () => at, at, bank: world.bank };
  return submitDueKeyCommand(context, `${account}#${id}`);
};
const statusesCounted = () =>
  lines.flatMap(({ resource, status }) => (resource === 'KEY_VALIDATION' ? [String(status)] : []));

describe('the due registration of a key', () => {
  it.each([
    ['ENDED', 'CONFIRMED', registered(cnpj.key)],
    ['REFUSED', 'REFUSED', refusal],
    ['ACCEPTED', 'REGISTERING', { outcome: 'DONE', state: { status: 'PENDING' } }],
    ['UNKNOWN', 'REGISTERING', unknown],
    ['UNKNOWN', 'REGISTERING', notNow],
    ['UNKNOWN', 'REGISTERING', registered('11222333000181')],
  ] as const)('is %s and the key %s, when the bank has %j', async (result, status, found) => {
    const id = await waiting();
    passes(121);
    bank.find = () => found;
    expect(await submit(id)).toBe(result);
    expect(await world.record(id)).toMatchObject({ status });
    expect(bank.lookups.at(-1)).toEqual({ connection: connectionId, at: world.clock.now });
    expect(bank.orders).toHaveLength(1);
  });

  it.each([
    ['UNKNOWN', 'REGISTERING', unknown],
    ['UNKNOWN', 'REGISTERING', notNow],
    ['ENDED', 'CONFIRMED', registered(cnpj.key)],
    ['REFUSED', 'REFUSED', neverSeen],
  ] as const)(
    'half an hour later is only looked up: %s and %s, when the bank has %j',
    async (result, status, found) => {
      const id = await waiting();
      passes(1800);
      bank.find = () => found;
      expect(await submit(id)).toBe(result);
      expect(await world.record(id)).toMatchObject({ status });
      expect(bank.lookups.at(-1)).toEqual({ connection: connectionId, at: world.clock.now });
      expect(bank.orders).toHaveLength(1);
    },
  );

  it('is nothing to do for an unknown key, before it is due, and once it is answered', async () => {
    expect(await submit('none')).toBe('NOTHING_TO_DO');
    const id = await waiting();
    expect(await submit(id)).toBe('NOTHING_TO_DO');
    passes(121);
    expect(await submit(id)).toBe('ENDED');
    passes(121);
    expect(await submit(id)).toBe('NOTHING_TO_DO');
    expect(bank.orders).toHaveLength(2);
  });

  it('is counted once as the status that it ends with', async () => {
    const id = await waiting();
    passes(121);
    await submit(id);
    await world.remove(id);
    await world.remove(id);
    expect(statusesCounted()).toEqual(['REGISTERING', 'CONFIRMED', 'REMOVED']);
  });

  it('leaves a key that another run has confirmed meanwhile', async () => {
    const id = await waiting();
    passes(121);
    bank.register = async () => {
      bank.register = () => registered(cnpj.key);
      passes(121);
      expect(await submit(id)).toBe('ENDED');
      return refusal;
    };
    bank.find = () => neverSeen;
    await submit(id);
    expect(await world.record(id)).toMatchObject({ status: 'CONFIRMED' });
    expect(world.items('PIX_KEY')).toHaveLength(1);
  });
});

describe('the due removal of a key', () => {
  it.each([
    ['ENDED', 'REMOVED', removed],
    ['REFUSED', 'CONFIRMED', { outcome: 'REFUSED', reason: 'A claim is open.' }],
    ['UNKNOWN', 'CONFIRMED', unknown],
    ['UNKNOWN', 'CONFIRMED', notNow],
  ] as const)('is %s and the key %s, when the bank has %j', async (result, status, found) => {
    const id = await leaving();
    passes(121);
    bank.findRemoved = () => found;
    expect(await submit(id)).toBe(result);
    expect(await world.record(id)).toMatchObject({ status });
    expect(bank.lookups.at(-1)).toEqual({ connection: connectionId, at: world.clock.now });
    expect(bank.orders).toHaveLength(2);
  });

  it('leaves a key that another run has removed meanwhile', async () => {
    const id = await leaving();
    passes(121);
    bank.remove = async () => {
      bank.remove = () => removed;
      passes(121);
      expect(await submit(id)).toBe('ENDED');
      return removed;
    };
    expect(await submit(id)).toBe('ENDED');
    expect(world.items('KEY_QUOTA').map(({ keys }) => keys)).toEqual([0]);
  });

  it('is not taken back by a refusal that comes after another run has removed the key', async () => {
    const id = await leaving();
    passes(121);
    bank.remove = async () => {
      bank.remove = () => removed;
      passes(121);
      await submit(id);
      return { outcome: 'REFUSED', reason: 'It is not there.' };
    };
    expect(await submit(id)).toBe('REFUSED');
    expect(await world.record(id)).toMatchObject({ status: 'REMOVED' });
  });
});

test.each([
  ['registration', waiting],
  ['removal', leaving],
] as const)(
  'the %s is repeated only with an operator’s permission, once, when the bank would carry it out again',
  async (_command, begin) => {
    world.setCapabilities({ repetition: { ...allCapabilities.repetition, key: 'CARRIED_OUT_AGAIN' } });
    const id = await begin();
    const first = bank.orders.length;
    [bank.register, bank.remove] = [() => unknown, () => unknown];
    const run = async (): Promise<number> => {
      passes(121);
      await submit(id);
      return bank.orders.length - first;
    };
    expect(await run()).toBe(0);
    await world.store.write([repetitionPut(companyOne, id)], world.ids.uuid());
    expect(await run()).toBe(1);
    expect(await run()).toBe(1);
  },
);

test('the simulated bank makes up one random key for a reference, and has a key only if it answered late', async () => {
  const { register, remove } = simulatedKeys();
  const { signal } = new AbortController();
  const context = { companyId: companyOne, connection: undefined, at: world.clock.now, signal };
  const order = { reference: 'r', accountId: account, type: 'RANDOM' } as const;
  expect(await register.submit(order, context)).toEqual(await register.submit(order, context));
  expect(await register.submit(order, context)).not.toEqual(registered(madeUpKey));
  expect(await register.find({ ...order, ...cnpj }, context)).toEqual(neverSeen);
  const silent = { ...order, type: 'EMAIL', key: 'silent@bank.example' } as const;
  expect(await register.submit(silent, context)).toEqual(unknown);
  expect(await register.find(silent, context)).toEqual(registered(silent.key));
  expect(await remove.submit({ ...order, ...cnpj }, context)).toEqual(removed);
  expect(await remove.find({ ...order, ...cnpj }, context)).toEqual(neverSeen);
});
