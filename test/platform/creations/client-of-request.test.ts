import { expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import type { Contract } from '#shared/contract/contract.ts';
import { exampleOf } from '#tools/docs/operation.ts';
import type { Body } from './making-world.ts';
import { begin, makingWorld } from './making-world.ts';

/**
 * Every request that changes something leaves the client that it is of: in a field of a record, or, where no record of
 * it is read, in its log line alone.
 */

/** A read, and where its response has the record: `*` is the only element, or the last of several. */
type Shown = { readonly read: string; readonly at?: readonly string[]; readonly by: string };
const created = (read: string, ...at: readonly string[]): Shown => ({ read, at, by: 'createdBy' });
const inLogOnly = 'LOG';

const shownIn: Readonly<Record<string, Shown | typeof inLogOnly>> = {
  createPayIn: created('getPayIn'),
  cancelPayIn: { read: 'getPayIn', by: 'canceledBy' },
  refundPayIn: created('listRefunds', 'data', '*'),
  returnCredit: created('getCredit', 'returns', '*'),
  assignCredit: { read: 'getCredit', by: 'assignedBy' },
  defendDispute: created('getDispute', 'defences', '*'),
  createPayout: created('getPayout'),
  createSubscription: created('getSubscription'),
  updateSubscription: { read: 'getSubscription', by: 'updatedBy' },
  cancelSubscription: created('getSubscription', 'cancellations', '*'),
  createScheduledPayment: created('getScheduledPayment'),
  cancelScheduledPayment: created('getScheduledPayment', 'cancellation'),
  createPixKey: created('listPixKeys', 'data', '*'),
  removePixKey: { read: 'listPixKeys', at: ['data', '*'], by: 'removedBy' },
  replaceWebhookSettings: { read: 'getWebhookSettings', by: 'updatedBy' },
  resendWebhookDeliveries: created('getWebhookResend'),
  // Moves of a key or an endpoint that its holder, or the next delivery, decides.
  resendKeyCode: inLogOnly,
  confirmPixKey: inLogOnly,
  releaseWebhookEndpoint: inLogOnly,
  rotateWebhookSecret: inLogOnly,
  testWebhook: inLogOnly,
  resendWebhookDelivery: inLogOnly,
};

test('every operation that changes data shows its client somewhere, and no other is named', () => {
  expect(Object.keys(shownIn).toSorted()).toEqual(Object.keys(begin).toSorted());
});

function recordAt(value: unknown, [name, ...rest]: readonly string[]): Body {
  if (name === undefined) return value as Body;
  if (name === '*') return recordAt((value as readonly unknown[]).at(-1), rest);
  return recordAt((value as Body)[name], rest);
}

/** The parameters of a read: those of the request, and the id in its response. */
function paramsOf(read: string, params: Body, answered: Body): Readonly<Record<string, string>> {
  const path = routes.find(({ contract }) => contract.operationId === read)?.contract.path ?? '';
  const id = answered['id'] as string | undefined;
  const known: Body = { ...(id !== undefined && { id, paymentId: id }), ...params };
  return Object.fromEntries([...path.matchAll(/\{([^}]+)\}/gu)].map(([, name = '']) => [name, String(known[name])]));
}

async function perform(contract: Contract) {
  const { operationId, idempotencyKey: rule, method } = contract;
  const world = await makingWorld();
  const { params, fit = (body: Body) => body } = await begin[operationId]!(world);
  const example = fit((exampleOf(contract).request.body ?? {}) as Body);
  // The address of the example is the one that the subscription has.
  const body = operationId === 'updateSubscription' ? { webhookUrl: 'http://127.0.0.1:9/moved' } : example;
  const call = { params, body, ...(rule !== 'none' && { key: world.ids.uuid() }) };
  const first = await world.ask(operationId, { ...call, clientId: 'first-client' });
  expect(first.status, first.text).toBeLessThan(300);
  return { world, call, first, isRepeatable: rule !== 'none' || method === 'PUT', params: params ?? {} };
}

const recorded = routes.flatMap(({ contract }) => {
  const shown = shownIn[contract.operationId];
  return shown === undefined || shown === inLogOnly ? [] : [{ contract, shown, name: contract.operationId }];
});

test.each(recorded)(
  '$name: a read shows the client whose request it was, also after another client repeats it',
  async ({ contract, shown }) => {
    const { world, call, first, isRepeatable, params } = await perform(contract);
    const { read, at = [], by } = shown;
    if (isRepeatable && contract.operationId !== 'replaceWebhookSettings') {
      const again = await world.ask(contract.operationId, { ...call, clientId: 'second-client' });
      expect(again.text).toBe(first.text);
    }
    const answered = first.body as Body;
    const { body } = await world.ask(read, { params: paramsOf(read, params, answered) });
    expect(recordAt(body, at)[by]).toBe('first-client');
  },
);

test.each(recorded.filter(({ contract }) => [201, 202].some((status) => status in contract.responses)))(
  '$name: the answer to a creation names no client',
  async ({ contract }) => {
    const { first } = await perform(contract);
    expect(first.text).not.toContain('first-client');
  },
);
