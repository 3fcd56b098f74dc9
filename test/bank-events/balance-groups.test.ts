import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BankReader } from '#shared/bank/ports/reader.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { allCapabilities } from '#shared/bank/capabilities.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import { keepUnsolicitedReturn } from '#shared/bank-events/unsolicited-returns.ts';
import { readReading } from '#shared/bank-events/list-readings.ts';
import { keepUnplaced } from '#shared/bank-events/unplaced-credits.ts';
import { workLists } from '#shared/bank-events/work-lists.ts';
import { account, companyOne } from '../support/bank-world.ts';
import { connectedItems, connectionId } from '../support/connected-items.ts';
import { collectErrors } from '../support/logged.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { connect, e2e, rtrId } from './bank-events-world.ts';

/** Balances of a company with several connections: what shares an account is compared together, each client once. */

const [first, second, third] = ['b', 'c', 'd'].map((letter) => account.replace('a', letter)) as [
  string,
  string,
  string,
];
const idOf = (number: number): string => `cccccccc-cccc-4ccc-8ccc-00000000000${number}`;

let world: PaymentWorld;
let bank: Awaited<ReturnType<typeof connect>>;
let errors: ReturnType<typeof collectErrors>;
/** Centavos at the bank behind each connection; without one it does not answer. */
let balances: Map<string, number>;
beforeEach(async () => {
  errors = collectErrors();
  balances = new Map([[connectionId, 0]]);
  world = await paymentWorld();
  world.setCapabilities({ isPolled: true, balance: true });
  bank = await connect(world);
  await world.openAccount(100_000, { id: first });
  await world.openAccount(20_000, { id: second });
  await world.openAccount(3000, { id: third });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A connection whose accounts lie at these places of its bank. */
async function connected(number: number, host: string, contas: Readonly<Record<string, string>>): Promise<void> {
  const at = { agencia: '0001', tipoConta: 'PAGAMENTO' } as const;
  const connection: BankConnection = {
    ...{ id: idOf(number), companyId: companyOne, dialect: 'EFI', clientId: `client-${number}`, secret: 'name' },
    ...{ apiUrl: `https://${host}`, tokenUrl: `https://${host}/oauth/token` },
    callback: { tokenHash: `${number}`.repeat(64), subject: 'CN=bank' },
    accounts: Object.fromEntries(
      Object.entries(contas).map(([id, conta]) => [id, { ...at, chave: `${id}@empresa.example`, conta }]),
    ),
    createdAt: `2026-01-0${number}T00:00:00.000Z`,
  };
  await world.store.write(connectedItems(connection), world.ids.uuid());
}
const compare = async (more: (connection: string) => Partial<BankReader> = () => ({})) => {
  const { now } = world.deps;
  const failures: object[] = [];
  const run = {
    ...{ store: world.store, now, remainingMs: () => Infinity },
    failed: (where: object) => void failures.push(where),
  };
  const events: typeof bank.events = {
    ...bank.events,
    readerOf: async (connection) => {
      const reader = await bank.events.readerOf(connection);
      const balance = balances.get(connection.id);
      if (balance === undefined) throw new BankUnavailable('The bank did not answer.');
      return {
        ...reader,
        balance: () => Promise.resolve(centavos(balance)),
        ...more(connection.id),
      };
    },
  };
  const { failed } = await workLists(run, events, 'DAILY');
  return { failed, failures };
};
test('the daily reading of a company stays due until every connection of it was read', async () => {
  await connected(1, 'one.example.com', { [first]: '1' });
  const dailyAt = async () => (await readReading(world.store, companyOne, 'DAILY'))?.completeAt;
  expect(await dailyAt()).toBeUndefined();
  const failed = { companyId: companyOne, id: idOf(1) };
  expect((await compare()).failures).toEqual([failed, failed]);
  expect(await dailyAt()).toBeUndefined();
  world.clock.now = plusSeconds(world.clock.now, 3600);
  balances.set(idOf(1), 100_000);
  expect(await compare()).toMatchObject({ failures: [] });
  expect(await dailyAt()).toBe(world.clock.now);
});

const readErrors = () =>
  errors
    .filter(({ message }) => /balance/iu.test(String(message)))
    .map(({ message, connections, difference }) => ({ message, connections, difference }));
const differs = 'Balance at the bank differs from the ledger entries';

test.each([
  ['before its money followed', 70_000, 30_000],
  ['after its money followed', 0, 100_000],
])('an account that moved from one bank to another is compared without a difference %s', async (_when, left, here) => {
  await connected(1, 'one.example', { [first]: '1' });
  await connected(2, 'two.example', { [first]: '7' });
  balances.set(idOf(1), left).set(idOf(2), here);
  expect(await compare()).toMatchObject({ failed: 0 });
  expect(readErrors()).toEqual([]);
});

test.each([1, 2])(
  'a credit that connection %i of two receives during the comparison is no difference',
  async (late) => {
    await connected(1, 'one.example', { [first]: '1' });
    await connected(2, 'two.example', { [first]: '7' });
    balances
      .set(idOf(1), 60_000)
      .set(idOf(2), 40_000)
      .set(idOf(late), (late === 1 ? 60_000 : 40_000) + 700);
    const pix = { endToEndId: e2e(1), amount: centavos(700), at: world.clock.now, returns: [] };
    let readings = 0;
    await compare((connection) =>
      connection === idOf(late)
        ? { listReceived: () => Promise.resolve({ items: (readings += 1) === 1 ? [] : [pix], pages: 1 }) }
        : {},
    );
    expect(readings).toBeGreaterThan(1);
    expect(readErrors()).toEqual([]);
  },
);

test('two clients of one account at one bank count once, also where branch and number are spelled otherwise', async () => {
  await connected(1, 'one.example', { [first]: '1' });
  await connected(2, 'one.example', { [first]: '0001' });
  balances.set(idOf(1), 100_000).set(idOf(2), 100_000);
  expect(await compare()).toMatchObject({ failed: 0 });
  expect(readErrors()).toEqual([]);
});

test.each([
  ['the newer client', { [first]: '1' }, { [first]: '1', [second]: '2' }, 100_000, 120_000],
  ['the older client', { [first]: '1', [second]: '2' }, { [first]: '1' }, 120_000, 100_000],
])(
  'two clients that share an account are compared once when %s has both accounts',
  async (_which, one, two, left, right) => {
    await connected(1, 'one.example', one);
    await connected(2, 'one.example', two);
    balances.set(idOf(1), left).set(idOf(2), right);
    await compare();
    expect(readErrors()).toEqual([]);
  },
);

test('a difference in one group is reported with its connections, and the other groups are compared separately', async () => {
  await connected(1, 'one.example', { [first]: '1' });
  await connected(2, 'two.example', { [first]: '7' });
  await connected(3, 'two.example', { [second]: '8' });
  await connected(4, 'three.example', { [third]: '9' });
  balances.set(idOf(1), 70_000).set(idOf(2), 30_000).set(idOf(3), 15_000).set(idOf(4), 3000);
  await compare();
  expect(readErrors()).toEqual([{ message: differs, connections: idOf(3), difference: '-5000' }]);
});

test('differences of two groups are both reported when they would add up to zero', async () => {
  await connected(3, 'two.example', { [second]: '8' });
  await connected(4, 'three.example', { [third]: '9' });
  balances.set(idOf(3), 19_000).set(idOf(4), 4000);
  await compare();
  const found = readErrors().map(({ connections, difference }) => [connections, difference]);
  expect(found.toSorted()).toEqual([
    [idOf(3), '-1000'],
    [idOf(4), '1000'],
  ]);
});

test('three connections that share accounts in a chain are compared as one group, reported with all their ids', async () => {
  await connected(1, 'one.example', { [first]: '1' });
  await connected(2, 'two.example', { [third]: '2' });
  await connected(3, 'three.example', { [first]: '3', [third]: '4' });
  balances.set(idOf(1), 60_000).set(idOf(2), 1000).set(idOf(3), 41_900);
  await compare();
  const [only, ...more] = readErrors();
  expect(more).toEqual([]);
  expect(only).toMatchObject({ message: differs, difference: '-100' });
  expect(String(only?.connections).split(' ').toSorted()).toEqual([idOf(1), idOf(2), idOf(3)]);
});

test('a group fails and is not compared when one of its banks does not answer, and the others are compared', async () => {
  await connected(1, 'one.example', { [first]: '1' });
  await connected(2, 'two.example', { [first]: '7' });
  await connected(3, 'three.example', { [second]: '8' });
  balances.set(idOf(2), 30_000).set(idOf(3), 15_000);
  const { failed, failures } = await compare();
  expect(readErrors()).toEqual([{ message: differs, connections: idOf(3), difference: '-5000' }]);
  // When its lists are planned, and when the balances are compared.
  expect(failed).toBe(2);
  expect(failures).toEqual([1, 1].map((number) => ({ companyId: companyOne, id: idOf(number) })));
});

test('an unsolicited return at one bank lowers the expected balance of that bank alone', async () => {
  await connected(1, 'one.example', { [first]: '1' });
  await connected(2, 'two.example', { [second]: '7' });
  const returned = { returnId: rtrId(1), amount: centavos(2500), at: world.clock.now };
  await keepUnsolicitedReturn(world.store, { companyId: companyOne, id: idOf(1) }, e2e(1), returned);
  balances.set(idOf(1), 97_500).set(idOf(2), 20_000);
  await compare();
  expect(readErrors()).toEqual([]);
});

test('money for an unknown account raises the expected balance of its own bank alone', async () => {
  await connected(1, 'one.example', { [first]: '1' });
  await connected(2, 'two.example', { [second]: '7' });
  const pix = { endToEndId: e2e(1), amount: centavos(2500), at: world.clock.now, returns: [] };
  await keepUnplaced(world.store, { companyId: companyOne, id: idOf(1) }, pix);
  balances.set(idOf(1), 102_500).set(idOf(2), 20_000);
  await compare();
  expect(readErrors()).toEqual([]);
});

test('a bank without the balance capability is not compared, nor is one that shares an account with it', async () => {
  await connected(1, 'one.example', { [first]: '1' });
  await connected(2, 'two.example', { [first]: '7' });
  await connected(3, 'three.example', { [second]: '8' });
  balances.set(idOf(1), 70_000).set(idOf(2), 1).set(idOf(3), 15_000);
  world.bank.capabilities = (_companyId, connection) =>
    Promise.resolve({ ...allCapabilities, isPolled: true, balance: connection !== idOf(1) });
  expect(await compare()).toMatchObject({ failed: 0 });
  expect(readErrors()).toEqual([{ message: differs, connections: idOf(3), difference: '-5000' }]);
});

test('a balance that its bank does not answer fails the run, and the others are compared', async () => {
  await connected(1, 'one.example', { [first]: '1' });
  await connected(2, 'two.example', { [second]: '7' });
  balances.set(idOf(1), 100_000).set(idOf(2), 15_000);
  const silent = { balance: () => Promise.reject(new BankUnavailable('The bank did not answer.')) };
  const { failed, failures } = await compare((connection) => (connection === idOf(1) ? silent : {}));
  expect([failed, failures]).toEqual([1, [{ companyId: companyOne }]]);
  expect(readErrors()).toEqual([{ message: differs, connections: idOf(2), difference: '-5000' }]);
});
