import { expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { exampleOf } from '#tools/docs/operation.ts';
import { deposit } from '#infra/operator/accounts/accounts.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import { replayedHeader } from '#shared/platform/http/responses.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Answer } from '#test/support/api.ts';
import { account, companyOne, payInBody } from '#test/support/bank-world.ts';
import { each } from '#test/support/each.ts';
import { fc } from '#test/support/properties.ts';
import type { Body, Call, MakingWorld } from './making-world.ts';
import { begin, makingWorld } from './making-world.ts';

/** A key is one key, for as long as it lives: of every operation that takes one. */

const daySeconds = 86_400;
/** What pays: a key of it never works twice. */
const forEver = ['createPayout', 'refundPayIn', 'returnCredit'];
const keyed = routes.map(({ contract }) => contract).filter(({ idempotencyKey }) => idempotencyKey !== 'none');

async function begun(operationId: string): Promise<{ readonly world: MakingWorld; readonly call: Call }> {
  const contract = keyed.find((one) => one.operationId === operationId)!;
  const world = await makingWorld();
  const { params, fit = (body: Body) => body } = (await begin[operationId]?.(world)) ?? {};
  return { world, call: { params, body: fit((exampleOf(contract).request.body ?? {}) as Body) } };
}

const isReplay = ({ headers }: Answer): boolean =>
  Object.entries(replayedHeader).every(([name, value]) => headers[name] === value);
const operations = keyed.map(({ operationId }) => operationId).filter((name) => name !== 'setClock');

test('the operations that pay are among those with an idempotency key', () => {
  expect(operations).toEqual(expect.arrayContaining(forEver));
});

test.each(operations)('an idempotency key of %s is kept for its lifetime, in real time', async (operationId) => {
  const { world, call } = await begun(operationId);
  const began = world.clock.now;
  const request = { ...call, key: world.ids.uuid() };
  const first = await world.ask(operationId, request);
  const after = async (seconds: number, moves: 'real' | 'both' = 'real'): Promise<Answer> => {
    world.clock.real = plusSeconds(began, seconds);
    if (moves === 'both') world.clock.now = world.clock.real;
    return world.ask(operationId, request);
  };
  // A company's own clock ages no key.
  world.clock.real = began;
  world.clock.now = plusSeconds(began, 30 * daySeconds);
  expect(isReplay(await world.ask(operationId, request)), 'by its own clock').toBe(true);
  world.clock.now = began;
  for (const seconds of each([1, daySeconds, 7 * daySeconds]))
    expect((await after(seconds)).text, `after ${seconds} s`).toBe(first.text);
  for (const days of each([8, 400])) {
    const again = await after(days * daySeconds, 'both');
    expect(isReplay(again), `after ${days} days`).toBe(forEver.includes(operationId));
    if (forEver.includes(operationId)) expect(again.text).toBe(first.text);
  }
});

test('an idempotency key of a deposit by an operator is kept permanently: it books once', async () => {
  const world = await makingWorld();
  const began = world.clock.now;
  const book = (days: number, amount = 1000) => {
    const now = () => plusSeconds(began, days * daySeconds);
    const wanted = { companyId: companyOne, accountId: account, amount: centavos(amount), key: 'k-1' };
    return deposit({ ...world, now }, wanted);
  };
  const first = await book(0);
  for (const days of each([1, 7, 8, 400])) {
    const { entryId, balance } = await book(days);
    expect({ entryId, available: balance.available }).toEqual({ entryId: first.entryId, available: 1000 });
  }
  await expect(book(400, 1001)).rejects.toMatchObject({ details: [{ issue: 'IDEMPOTENCY_KEY_REUSED' }] });
});

/** Keys as every contract takes them, short enough for all. */
const printable = fc.string({ unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)) });
const swapCase = (text: string): string =>
  text.replaceAll(/[a-z]/giu, (one) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase()));
/** Another key that is nearly the same. */
const near = (key: string): fc.Arbitrary<string> =>
  fc.constantFrom(swapCase(key), key.toUpperCase(), key.toLowerCase(), `${key}.`, `-${key}`, key.slice(1), `${key}#a`);
const pairs = printable
  .filter((key) => key.length > 0 && key.length < 60)
  .chain((key) => fc.tuple(fc.constant(key), fc.oneof(near(key), printable)))
  .filter(([one, other]) => one !== other && other.length > 0 && other.length < 65);

test('idempotency keys that differ at all have two items and create two resources', async () => {
  const item = (key: string, operation = 'createPayout', companyId = companyOne): string => {
    const { PK, SK } = keys.idempotency(companyId, operation, key);
    return `${PK} ${SK}`;
  };
  fc.assert(
    fc.property(pairs, ([one, other]) => {
      expect(item(one)).not.toBe(item(other));
      expect(item(one, 'createPayIn')).not.toBe(item(one));
      expect(item(one, 'createPayout', account)).not.toBe(item(one));
    }),
    { numRuns: 1000 },
  );
  const world = await makingWorld();
  const sent = new Set<string>();
  await fc.assert(
    fc.asyncProperty(pairs, async (pair) => {
      for (const key of each(pair)) {
        const { status, text } = await world.ask('createPayIn', { body: payInBody(), key });
        // The same key of an earlier pair had another body.
        expect(status, text).toBe(sent.has(key) ? 422 : 201);
        sent.add(key);
      }
    }),
    { numRuns: 50 },
  );
});

test.each(operations.filter((name) => name !== 'resendKeyCode'))(
  'idempotency keys of %s are different when they differ only in case',
  async (operationId) => {
    const { world, call } = await begun(operationId);
    for (const again of [false, true])
      expect(isReplay(await world.ask(operationId, { ...call, key: 'Order-aB' }))).toBe(again);
    for (const key of each(['order-ab', 'ORDER-AB', 'oRDER-Ab']))
      expect(isReplay(await world.ask(operationId, { ...call, key })), key).toBe(false);
  },
);
