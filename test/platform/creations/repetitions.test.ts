import { expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { exampleOf } from '#tools/docs/operation.ts';
import type { Contract } from '#shared/contract/contract.ts';
import { replayedHeader, unknownOutcome } from '#shared/platform/http/responses.ts';
import type { Body, Call, MakingWorld } from './making-world.ts';
import { begin, makingWorld } from './making-world.ts';
import { refused } from '#test/support/refusals.ts';

/**
 * A message for a caller without a response predicts the effect of a repetition: for every operation that changes
 * something, with an idempotency key and without. The tools only say that one must look.
 */
const changing = routes.flatMap(({ contract }) =>
  contract.method === 'GET' || contract.tool === true ? [] : [contract],
);

async function begun(contract: Contract): Promise<{ readonly world: MakingWorld; readonly call: Call }> {
  const world = await makingWorld();
  const { params, fit = (body: Body) => body } = await begin[contract.operationId]!(world);
  return { world, call: { params, body: fit((exampleOf(contract).request.body ?? {}) as Body) } };
}

function readRepetitionAdvice(contract: Contract, hasKey: boolean): string {
  const { message } = JSON.parse(unknownOutcome(504, { ...contract, hasKey }).body) as { readonly message: string };
  return message.replace('The service did not answer in time. ', '');
}

const namesOf = (world: MakingWorld) => world.items().map(({ PK, SK }) => `${PK} ${SK}`);

test('every operation that changes data is covered, and no other', () => {
  expect(changing.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(begin).toSorted());
});

test.each(changing.filter(({ idempotencyKey }) => idempotencyKey !== 'none'))(
  '$operationId with a key returns the same response again, and changes no item, when it is repeated',
  async (contract) => {
    const { world, call } = await begun(contract);
    const keyed = { ...call, key: world.ids.uuid() };
    const first = await world.ask(contract.operationId, keyed);
    const before = world.items();
    const again = await world.ask(contract.operationId, keyed);
    expect(readRepetitionAdvice(contract, true)).toBe(
      'The same request with the same idempotency key is safe to repeat.',
    );
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers).toMatchObject(replayedHeader);
    expect(world.items()).toEqual(before);
  },
);

test.each(changing)(
  '$operationId without a key does what its 504 message announces when it is repeated',
  async (contract) => {
    const { world, call } = await begun(contract);
    const untouched = world.items();
    const first = await world.ask(contract.operationId, call);
    const [before, names] = [world.items(), namesOf(world)];
    const again = await world.ask(contract.operationId, call);
    const advice = readRepetitionAdvice(contract, false);
    if (advice.startsWith('Nothing was carried out')) {
      refused(first, 400);
      refused(again, 400);
      expect(world.items()).toEqual(untouched);
    } else if (advice.startsWith('The same request is safe to repeat')) {
      expect(first.status, first.text).toBeLessThan(300);
      expect(namesOf(world), 'nothing is created twice').toEqual(names);
      const isTaken = again.status === 409 && again.text.includes('"field":"externalId","issue":"ALREADY_EXISTS"');
      expect(again.status < 300 || (advice.includes('409 on externalId') && isTaken), again.text).toBe(true);
    } else {
      expect(advice).toContain('may do the same once more');
      expect(again.status, again.text).toBe(first.status);
      expect(again.text).not.toBe(first.text);
      expect(world.items()).not.toEqual(before);
    }
  },
);

test('a subscription is created by a repetition without a key when the bank did not reply in time at first', async () => {
  const { world, call } = await begun(
    routes.find(({ contract }) => contract.operationId === 'createSubscription')!.contract,
  );
  const body = { ...call.body, description: 'silent@bank.example' };
  const first = await world.ask('createSubscription', { body });
  expect(refused(first, 503).message).toContain('its externalId is taken once');
  const again = await world.ask('createSubscription', { body });
  expect(again).toMatchObject({ status: 201, body: { status: 'PENDING_AUTHORIZATION' } });
});
