import { describe, expect, test } from 'vitest';
import { defaultRate, migrate } from '#infra/operator/migration/migrate.ts';
import type { Migration } from '#infra/operator/migration/migrations.ts';
import type { OperatorDependencies } from '#infra/operator/target.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { layoutOf } from '#shared/platform/table/layout.ts';
import type { Item, Key, Store } from '#shared/platform/table/store.ts';
import type { Fault } from '../support/faulty-store.ts';
import { faultyStore } from '../support/faulty-store.ts';
import { memoryStore, pagesOver } from '../support/memory-store.ts';
import { fc } from '../support/properties.ts';
import { at, testOperator } from './terminal.ts';

/** The e-mail address of an account moves to a field of another name. */
const renameEmail: Migration = {
  ...{ name: 'account-contact-email', entity: 'ACCOUNT', to: 2, reads: ['email'] },
  change: ({ email = '' }) => ({ set: { contactEmail: email }, remove: ['email'] }),
};

const accounts = 30;
const companyId = randomIds.uuid();
const keyOf = (place: number): Key => keys.account(companyId, `account-${place}`);
const accountAt = (place: number): Item => ({
  ...{ ...keyOf(place), entity: 'ACCOUNT', version: 1 },
  ...{ email: `first-${place}`, fullName: 'Maria Silva', bankAccountData: { ispb: '00000000' } },
});
const noWait = (): Promise<void> => Promise.resolve();

type World = { readonly store: ReturnType<typeof memoryStore>; readonly known: Map<number, string> };

async function worldOf(): Promise<World> {
  const store = memoryStore();
  const known = new Map<number, string>();
  for (let place = 0; place < accounts; place += 1) {
    await store.writeOne({ put: accountAt(place) });
    known.set(place, `first-${place}`);
  }
  // Others are none of its business.
  await store.writeOne({ put: { PK: 'C#c', SK: 'COMPANY', entity: 'COMPANY', email: 'as it was' } });
  return { store, known };
}

/** What the release before and this one do: each writes the layout that it found, and this one the new to new items. */
async function changeEmail({ store, known }: World, place: number, email: string): Promise<void> {
  for (;;) {
    const [item] = await store.read([keyOf(place)]);
    if (item === undefined) return;
    const name = layoutOf(item) === 2 ? 'contactEmail' : 'email';
    const { ok } = await store.writeOne({
      update: keyOf(place),
      set: { [name]: email },
      when: { equals: { [name]: item[name] as string } },
    });
    if (!ok) continue;
    known.set(place, email);
    return;
  }
}

const dependencies = (world: World, store: Store = world.store): OperatorDependencies => ({
  ...testOperator('aws', world.store),
  store,
  pagesOf: pagesOver(world.store.all, 4),
});

/** Runs it until it ends by itself; each time it may die at some call, and starts anew. */
async function runThroughDeaths(world: World, deaths: readonly (readonly [number, Fault])[], beside = noWait) {
  const left = [...deaths];
  for (;;) {
    let calls = 0;
    const death = left.shift();
    const store = faultyStore(world.store, {
      nextFault: () => (calls++ === death?.[0] ? death[1] : 'none'),
      onWritten: () => undefined,
    });
    const outcome = await migrate(dependencies(world, store), renameEmail, defaultRate, beside).catch(() => undefined);
    if (outcome !== undefined) return outcome;
  }
}

function migrated({ store }: World): ReadonlyMap<number, unknown> {
  const findItem = (place: number) =>
    store.all().find(({ PK, SK }) => PK === keyOf(place).PK && SK === keyOf(place).SK);
  return new Map(
    Array.from({ length: accounts }, (_, place) => {
      const { layout, email, contactEmail, bankAccountData }: Partial<Item> = findItem(place) ?? {};
      expect({ layout, email, bankAccountData }).toEqual({
        ...{ layout: 2, email: undefined },
        bankAccountData: { ispb: '00000000' },
      });
      return [place, contactEmail] as const;
    }),
  );
}

describe('a migration of a field', () => {
  test('ends with the last written values when it is killed at any call and repeated, beside writers', async () => {
    const death = fc.tuple(fc.integer({ min: 0, max: 45 }), fc.constantFrom<Fault>('before', 'after'));
    const change = fc.tuple(fc.integer({ min: 0, max: accounts - 1 }), fc.uuid());
    await fc.assert(
      fc.asyncProperty(
        fc.array(death, { maxLength: 6 }),
        fc.array(change, { maxLength: 60 }),
        async (deaths, changes) => {
          const world = await worldOf();
          const coming = [...changes];
          const write = async (): Promise<void> => {
            const next = coming.shift();
            if (next !== undefined) await changeEmail(world, ...next);
          };
          const { status } = await runThroughDeaths(world, deaths, write);
          expect(status).toBe('DONE');
          expect(migrated(world)).toEqual(world.known);
        },
      ),
    );
  });

  test('loses no write that comes between its reading of an item and its change', async () => {
    const world = await worldOf();
    const pagesOf: OperatorDependencies['pagesOf'] = async function* (options) {
      for await (const page of pagesOver(world.store.all, 4)(options)) {
        for (let place = 0; place < accounts; place += 1)
          await changeEmail(world, place, `late-${page.next?.PK ?? ''}`);
        yield page;
      }
    };
    await migrate({ ...dependencies(world), pagesOf }, renameEmail, defaultRate, noWait);
    expect(migrated(world)).toEqual(world.known);
  });

  test('changes no item in a second pass, except those that a writer of the old layout wrote after the first', async () => {
    const world = await worldOf();
    const pass = async () => (await migrate(dependencies(world), renameEmail, defaultRate, noWait)).changed;
    expect(await pass()).toBe(accounts);
    expect(await pass()).toBe(0);
    await world.store.writeOne({ put: accountAt(3) });
    world.known.set(3, 'first-3');
    expect(await pass()).toBe(1);
    expect(migrated(world)).toEqual(world.known);
  });

  test('resumes after a crash at the page where it was', async () => {
    const world = await worldOf();
    const seen: (Key | undefined)[] = [];
    const pagesOf: OperatorDependencies['pagesOf'] = (options) => {
      seen.push(options.after);
      return pagesOver(world.store.all, 4)(options);
    };
    let calls = 0;
    const store = faultyStore(world.store, { nextFault: () => (calls++ === 20 ? 'before' : 'none') });
    await expect(
      migrate({ ...dependencies(world, store), pagesOf }, renameEmail, defaultRate, noWait),
    ).rejects.toThrow();
    const position = { PK: expect.any(String) as string, SK: 'ACC' };
    await migrate({ ...dependencies(world), pagesOf }, renameEmail, defaultRate, noWait);
    expect(seen).toEqual([undefined, position]);
    expect(migrated(world)).toEqual(world.known);
  });

  test('changes no more items a second than its rate', async () => {
    const world = await worldOf();
    let waited = 0;
    await migrate(dependencies(world), renameEmail, 10, (seconds) => Promise.resolve((waited += seconds)));
    expect(waited).toBeCloseTo(accounts / 10);
  });

  test('stops when another run has begun a new pass', async () => {
    const world = await worldOf();
    const other: Item = {
      ...{ ...keys.migration(renameEmail.name), entity: 'MIGRATION', runId: 'other', status: 'RUNNING' },
      ...{ changed: 0, startedAt: at, updatedAt: at },
    };
    let isOver = false;
    const takeOver = async (): Promise<void> => {
      if (!isOver) await world.store.writeOne({ put: other });
      isOver = true;
    };
    const running = migrate(dependencies(world), renameEmail, defaultRate, takeOver);
    await expect(running).rejects.toThrow('Another run of account-contact-email began a new pass');
    await migrate(dependencies(world), renameEmail, defaultRate, noWait);
    expect(migrated(world)).toEqual(world.known);
  });

  test('refuses a field that no condition can compare', async () => {
    const world = await worldOf();
    const wrong = { ...renameEmail, reads: ['bankAccountData'] };
    await expect(migrate(dependencies(world), wrong, defaultRate, noWait)).rejects.toThrow(
      'cannot read bankAccountData',
    );
  });
});

test('the command lists migrations and refuses one that this release does not have', async () => {
  const { run } = testOperator('aws');
  expect(await run('migrate')).toMatchObject({ code: 0, out: 'This release has no migrations.' });
  expect(await run('migrate', '--name', 'unheard-of')).toMatchObject({ code: 2 });
});
