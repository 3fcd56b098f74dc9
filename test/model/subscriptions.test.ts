import { expect, test } from 'vitest';
import { parseShard, parseLedgerEntry } from '#shared/platform/ledger/ledger.ts';
import type { Item, Store } from '#shared/platform/table/store.ts';
import { fc } from '../support/properties.ts';
import { readable } from '../support/readable-items.ts';
import { account, companyOne, otherCompany, payoutBody } from '../support/bank-world.ts';
import type { SubscriptionWorld } from '../support/subscription-world.ts';
import { compositeBody, subscriptionBody, subscriptionWorld } from '../support/subscription-world.ts';
import { each } from '../support/each.ts';
import type { Action, Company, Name, State } from './subscription-model.ts';
import { empty, step } from './subscription-model.ts';

/**
 * Random work of two companies with up to three concurrent actions, every response of the table in a random order.
 * Responses and table must be those of some order of the same actions, one after the other.
 */

const companies: Readonly<Record<Company, string>> = { A: companyOne, B: otherCompany };
const nowhere = 'ffffffff-ffff-4fff-8fff-ffffffffff00';

const by = fc.constantFrom<Company>('A', 'B');
const name = fc.constantFrom<Name>('x', 'y', 'z');
const key = fc.constantFrom('k1', 'k2');
/** Mostly one's own resources, now and then the other company's. */
const owners = fc.oneof(
  { weight: 6, arbitrary: by.map((one) => ({ by: one, owner: one })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ by: 'A' as const, owner: 'B' as const }, { by: 'B' as const, owner: 'A' as const }),
  },
);
const moves = ['ACCEPTED', 'ACCEPTED', 'REJECTED', 'CANCELED', 'CANCELLATION_REJECTED'];
const charges = ['PAID', 'PAID', 'PAID', 'REFUNDED', 'REFUNDED', 'CANCELED', 'EXPIRED', 'ERROR'];
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constant('create' as const), by, name, journey: fc.constantFrom(2 as const, 3 as const), key }),
  fc.record({ do: fc.constant('create' as const), by, name, journey: fc.constantFrom(3 as const) }),
  fc.record({
    ...{ do: fc.constant('create' as const), by, name, journey: fc.constant(2 as const), key },
    silent: fc.constant(true as const),
  }),
  fc.record({ do: fc.constant('cancel' as const), by, name, key }),
  fc
    .tuple(owners, name, fc.constantFrom(...moves))
    .map(([parties, subscriptionName, to]) => ({ do: 'move' as const, ...parties, name: subscriptionName, to })),
  fc
    .tuple(owners, name, fc.constantFrom(...charges))
    .map(([who, of, to]) => ({ do: 'charge' as const, ...who, name: of, to })),
  fc
    .tuple(owners, name)
    .map(([parties, subscriptionName]) => ({ do: 'cancelCharge' as const, ...parties, name: subscriptionName })),
  fc.record({ do: fc.constant('refund' as const), by, name, key }),
  fc.record({ do: fc.constant('refund' as const), by, name, key, fails: fc.constant(true as const) }),
  fc.record({ do: fc.constant('spend' as const), by }),
);
const rounds = fc.array(fc.array(action, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 14 });

test('any work of two companies, one at a time or at once, is as if it were done in some order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), rounds, async (scheduler, work) => {
      const world = subscriptionWorld({ wrap: (memory) => shuffled(memory, scheduler) });
      await scheduler.waitFor(openAccounts(world));
      let state = empty;
      for (const actions of each(work)) {
        const ids = idsIn(world.items());
        const seen = await scheduler.waitFor(Promise.all(actions.map((one) => perform(world, one, ids))));
        const real = stateOf(world.items());
        const possible = orders(halvesOf(actions))
          .filter(inTurn)
          .map((order) => inOrder(state, order));
        const fitting = possible.find(({ statuses, after }) => same(statuses, seen) && same(visible(after), real));
        // The failure shows the first possible one beside the observed one.
        if (fitting === undefined)
          expect({ statuses: seen, state: real }).toEqual({
            statuses: possible[0]?.statuses,
            state: visible(possible[0]?.after ?? empty),
          });
        state = fitting?.after ?? state;
        balancesAreTheirEntries(world.items());
      }
    }),
    { numRuns: 60 },
  );
});

/** A store whose answers arrive in an order that the scheduler chooses. */
function shuffled(store: Store, scheduler: fc.Scheduler): Store {
  return {
    read: scheduler.scheduleFunction((keys) => store.read(keys)),
    query: scheduler.scheduleFunction((query) => store.query(query)),
    write: scheduler.scheduleFunction((writes, token) => store.write(writes, token)),
    writeOne: scheduler.scheduleFunction((write) => store.writeOne(write)),
  };
}

async function openAccounts(world: SubscriptionWorld): Promise<void> {
  for (const companyId of Object.values(companies)) await world.openAccount(0, { companyId });
}

type Known = {
  readonly subscriptions: Readonly<Record<string, string>>;
  readonly charges: Readonly<Record<string, string>>;
};

async function perform(world: SubscriptionWorld, one: Action, { subscriptions, charges }: Known): Promise<number> {
  const companyId = companies[one.by];
  switch (one.do) {
    case 'create': {
      const more = { externalId: one.name, ...(one.silent && { description: 'silent@bank.example' }) };
      const body = one.journey === 2 ? subscriptionBody(more) : compositeBody(more);
      return (await world.create({ companyId, body, ...(one.key !== undefined && { key: one.key }) })).status;
    }
    case 'cancel': {
      const id = subscriptions[`${one.by} ${one.name}`] ?? nowhere;
      const call = { companyId, params: { id }, key: `${one.name}-${one.key}`, body: { reason: 'FRAUD_SUSPICION' } };
      return (await world.cancel(call)).status;
    }
    case 'move':
      return (await world.forceSubscription(subscriptions[`${one.owner} ${one.name}`] ?? nowhere, one.to, companyId))
        .status;
    case 'refundFails':
      throw new Error('The bank does this by itself.');
    case 'cancelCharge': {
      const id = charges[`${one.owner} ${one.name}`] ?? nowhere;
      return (await world.cancelPayIn({ companyId, params: { id } })).status;
    }
    case 'charge':
      return (await world.force(charges[`${one.owner} ${one.name}`] ?? nowhere, one.to, companyId)).status;
    case 'refund': {
      const id = charges[`${one.by} ${one.name}`] ?? nowhere;
      const body = one.fails ? { description: 'refused@bank.example' } : {};
      return (await world.refundPayIn({ companyId, params: { id }, key: `${one.name}-${one.key}`, body })).status;
    }
    case 'spend': {
      const body = payoutBody({ amount: { currency: 'BRL', value: '19.90' } });
      return (await world.createPayout({ companyId, key: JSON.stringify(body['externalId']), body })).status;
    }
  }
}

const ownerOf = ({ PK }: Item): Company => (PK.startsWith(`C#${companyOne}`) ? 'A' : 'B');
const entity = (items: readonly Item[], kind: string) => items.filter((item) => item['entity'] === kind).map(readable);

function text(item: Item, name: string): string {
  const value = item[name];
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Ids by company and external id: what a partner knows before a round begins. */
function idsIn(items: readonly Item[]): Known {
  const subscriptions = entity(items, 'SUBSCRIPTION').map((item) => [
    `${ownerOf(item)} ${text(item, 'externalId')}`,
    text(item, 'id'),
  ]);
  const charges = entity(items, 'PAY_IN').map((item) => [nameOfCharge(item), text(item, 'id')]);
  return { subscriptions: Object.fromEntries(subscriptions), charges: Object.fromEntries(charges) };
}

function nameOfCharge(item: Item): string {
  return `${ownerOf(item)} ${(item['subscription'] as { code: string }).code}`;
}

type Visible = Omit<State, 'keys' | 'silences'>;

const visible = ({ keys: _keys, silences: _silences, ...rest }: State): Visible => rest;

/** The table as a state of the model. */
function stateOf(items: readonly Item[]): Visible {
  const partOf = (item: Item, kind: string) => entity(items, kind).filter(({ PK }) => PK === item.PK);
  const statuses = (some: readonly Item[]) => some.map((item) => text(item, 'status')).toSorted();
  const subscriptions = entity(items, 'SUBSCRIPTION').map((item) => {
    const history = (item['statusHistory'] as readonly { status: string }[]).map(({ status }) => status);
    const requests = statuses(partOf(item, 'CANCELLATION'));
    return [`${ownerOf(item)} ${text(item, 'externalId')}`, { status: item['status'], history, requests }];
  });
  const charges = entity(items, 'PAY_IN').map((item) => [
    nameOfCharge(item),
    { status: item['status'], refunds: statuses(partOf(item, 'REFUND')) },
  ]);
  const balances = entity(items, 'BALANCE').map((item) => {
    const { available, reserved } = parseShard(item);
    return [ownerOf(item), { available, reserved }];
  });
  const eventsOf = (company: Company) =>
    entity(items, 'DELIVERY')
      .filter((item) => ownerOf(item) === company)
      .map((item) => text(item, 'event'))
      .toSorted();
  return {
    subscriptions: Object.fromEntries(subscriptions) as State['subscriptions'],
    charges: Object.fromEntries(charges) as State['charges'],
    balances: Object.fromEntries(balances) as State['balances'],
    notified: { A: eventsOf('A'), B: eventsOf('B') },
  };
}

function balancesAreTheirEntries(items: readonly Item[]): void {
  for (const item of entity(items, 'BALANCE')) {
    const { accountId, available, reserved } = parseShard(item);
    expect(accountId).toBe(account);
    expect(Math.min(available, reserved)).toBeGreaterThanOrEqual(0);
    const entries = entity(items, 'LEDGER_ENTRY')
      .filter(({ PK }) => PK === item.PK)
      .map(parseLedgerEntry);
    expect(entries.reduce((sum, entry) => sum + entry.available, 0)).toBe(available);
    expect(entries.reduce((sum, entry) => sum + entry.reserved, 0)).toBe(reserved);
  }
}

type Half = { readonly index: number; readonly action: Action; readonly second?: true };

/** A refund that fails is reserved and given back in two transactions, between which others may come. */
function halvesOf(actions: readonly Action[]): readonly Half[] {
  return actions.flatMap((action, index): Half[] => {
    if (action.do !== 'refund' || !action.fails) return [{ index, action }];
    const { by: company, name: subscriptionName, key: used } = action;
    const second = { do: 'refundFails', by: company, name: subscriptionName, key: used } as const;
    return [
      { index, action },
      { index, action: second, second: true },
    ];
  });
}

function inTurn(order: readonly Half[]): boolean {
  return order.every(({ index, second }, at) => !second || order.slice(0, at).some((half) => half.index === index));
}

/** Every order of a few things. */
function orders<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, index) => orders(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

/**
 * Actions one after the other. Ids are known from before the round: what an action names that did not exist then is
 * nowhere, whatever was created meanwhile.
 */
function inOrder(state: State, order: readonly Half[]): { statuses: readonly number[]; after: State } {
  const statuses: number[] = [];
  let after = state;
  for (const { index, action: one, second } of order) {
    const outcome = namesNothing(state, one) ? { state: after, status: 404 } : step(after, one);
    if (!second) statuses[index] = outcome.status;
    after = outcome.state;
  }
  return { statuses, after };
}

function namesNothing(state: State, one: Action): boolean {
  if (one.do === 'create' || one.do === 'spend') return false;
  const id = `${'owner' in one ? one.owner : one.by} ${one.name}`;
  const known: Readonly<Record<string, unknown>> =
    one.do === 'move' || one.do === 'cancel' ? state.subscriptions : state.charges;
  return known[id] === undefined;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([field, inside]) => [field, sorted(inside)]),
  );
}
