import { describe, expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { secondsBetween } from '#shared/core/brasilia-time.ts';
import { parseJson } from '#shared/contract/json.ts';
import { formatAmount } from '#shared/core/money.ts';
import type { Centavos } from '#shared/core/money.ts';
import { wanted } from '#test/support/any-value.ts';
import { document } from '#test/support/document.ts';
import { fc } from '#test/support/properties.ts';
import type { Path } from './fields.ts';
import { responseSchema, fieldsOf, memberOf, requestSchema, valueAt } from './fields.ts';
import type { Begun, Body, MakingWorld } from './making-world.ts';
import { begin, makingWorld } from './making-world.ts';

/**
 * What a caller writes is not thrown away: every field of every request that makes something comes back in each answer
 * whose schema has one of its name. A field that none has is named here, with the place where it is seen instead.
 */

/** Where an answer holds the record of what was made: `*` is the element with its id. */
type View = { readonly operation: string; readonly at: Path };
type Creation = { readonly response: Body; readonly world: MakingWorld };
type Maker = {
  readonly views: readonly View[];
  readonly elsewhere?: Readonly<Record<string, (creation: Creation) => unknown>>;
  /** Fields that allow the request, and say nothing of what it makes. */
  readonly permits?: readonly string[];
};

const item = (entity: string, path: string) => (creation: Creation) =>
  valueAt(
    creation.world.items(entity).find(({ externalId }) => externalId !== 'paid-before'),
    path.split('.'),
  );
const listed = ['data', '*'];

const makers: Readonly<Record<string, Maker>> = {
  createPayIn: {
    views: [
      { operation: 'getPayIn', at: [] },
      { operation: 'listPayIns', at: listed },
    ],
    elsewhere: {
      // 2.6 shows neither; notifications do.
      accountId: item('PAY_IN', 'accountId'),
      'payer.name': item('PAY_IN', 'payer.name'),
      'payer.document.type': item('PAY_IN', 'payer.document.type'),
      'payer.document.number': item('PAY_IN', 'payer.document.number'),
      // The record says until when.
      expiresInSeconds: ({ response }) => secondsFrom(response['createdAt'], response['expireDateTime']),
    },
  },
  refundPayIn: { views: [{ operation: 'listRefunds', at: listed }] },
  defendDispute: { views: [{ operation: 'getDispute', at: ['defences', '*'] }] },
  returnCredit: { views: [{ operation: 'getCredit', at: ['returns', '*'] }] },
  createPayout: {
    views: [
      { operation: 'getPayout', at: [] },
      { operation: 'listPayouts', at: listed },
    ],
    permits: ['allowDuplicate'],
  },
  createSubscription: {
    views: [
      { operation: 'getSubscription', at: [] },
      { operation: 'listSubscriptions', at: listed },
    ],
    elsewhere: {
      // The record names the account with its holder.
      accountId: item('SUBSCRIPTION', 'receiver.id'),
      // In the record it is who authorized; who is expected to pay is of the first charge.
      'payer.name': item('PAY_IN', 'payer.name'),
      'payer.document.type': item('PAY_IN', 'payer.document.type'),
      'payer.document.number': item('PAY_IN', 'payer.document.number'),
    },
  },
  cancelSubscription: {
    views: [
      { operation: 'getSubscription', at: ['cancellations', '*'] },
      { operation: 'listSubscriptions', at: ['data', '0', 'cancellations', '*'] },
    ],
  },
  createScheduledPayment: {
    views: [
      { operation: 'getScheduledPayment', at: [] },
      { operation: 'listScheduledPayments', at: listed },
    ],
  },
  cancelScheduledPayment: {
    views: [
      { operation: 'getScheduledPayment', at: ['cancellation'] },
      { operation: 'listScheduledPayments', at: ['data', '0', 'cancellation'] },
    ],
  },
  createPixKey: { views: [{ operation: 'listPixKeys', at: listed }] },
  replaceWebhookSettings: { views: [{ operation: 'getWebhookSettings', at: [] }] },
  rotateWebhookSecret: {
    views: [],
    elsewhere: {
      overlapSeconds: ({ response }) => secondsFrom(response['createdAt'], response['previousSecretExpiresAt']),
    },
  },
  resendWebhookDeliveries: { views: [{ operation: 'getWebhookResend', at: [] }] },
  resendWebhookDelivery: { views: [] },
  testWebhook: {
    views: [],
    elsewhere: {
      type: ({ world }) =>
        valueAt(
          world.items('DELIVERY').find(({ event }) => event === 'WEBHOOK.TEST'),
          ['target', 'type'],
        ),
    },
  },
};

function secondsFrom(from: unknown, to: unknown): number {
  return secondsBetween(from as Instant, to as Instant);
}

/** Values that are one: an amount is its decimal text, however it is written. */
function normal(value: unknown): unknown {
  const { currency, value: text } = (value ?? {}) as Record<string, unknown>;
  return currency === undefined ? value : text;
}

/** What was left out of an element of a list may have been filled in. */
function expectSame(given: unknown, shown: unknown, where: string): void {
  const filled = Array.isArray(given)
    ? given.map((one: unknown, place) => one ?? (shown as readonly unknown[] | undefined)?.[place])
    : given;
  expect(shown, where).toEqual(filled);
}

/** The record in an answer; in a list the one that was made. */
function recordIn(value: unknown, [name, ...rest]: Path, response: Body): unknown {
  if (name === undefined) return value;
  if (name !== '*') return recordIn((value as Body)[name], rest, response);
  const ids = ['id', 'refundId', 'returnId', 'validationId'].filter((id) => id in response);
  const found = (value as readonly Body[]).find((one) => ids.every((id) => one[id] === response[id]));
  return recordIn(found, rest, response);
}

/** What the path of an operation names, as far as request and answer know it. */
function paramsOf(operation: string, known: Body): Readonly<Record<string, string>> {
  const path = routes.find(({ contract }) => contract.operationId === operation)?.contract.path ?? '';
  return Object.fromEntries([...path.matchAll(/\{([^}]+)\}/gu)].map(([, name = '']) => [name, String(known[name])]));
}

/** Whatever makes something, and whatever takes a field that may be left out. Tools of the simulation make nothing. */
const covered = routes.filter(({ contract, simulation }) => {
  const schema = requestSchema(contract.operationId);
  const makes = [201, 202].some((status) => status in contract.responses);
  const chooses = schema !== undefined && fieldsOf(schema).some(({ optional }) => optional);
  return simulation === undefined && (makes || chooses);
});

test('every operation that creates a resource or takes an optional field is covered, and no other', () => {
  expect(covered.map(({ contract }) => contract.operationId).toSorted()).toEqual(Object.keys(makers).toSorted());
});

describe.each(covered)('$contract.operationId', ({ contract }) => {
  const { operationId, body: shape } = contract;
  const { views, elsewhere = {}, permits = [] } = makers[operationId] ?? { views: [] };
  const schema = requestSchema(operationId) ?? { type: 'object' };
  const fields = fieldsOf(schema);
  const paths = fields.map(({ path }) => path);
  const created = contract.responses[201] ? 201 : contract.responses[202] ? 202 : 200;
  const itsAnswer = { operation: operationId, at: [], status: created };
  const everywhere = [itsAnswer, ...views.map((view) => ({ ...view, status: 200 }))];
  const shows = ({ operation, at, status }: typeof itsAnswer | (View & { status: number }), path: string): boolean => {
    const memberPath = [...at.map((name) => (/^\d+$/u.test(name) ? '*' : name)), ...path.split('.')];
    const member = memberOf(responseSchema(operation, status), memberPath);
    // A member of the same name that has fields itself is another thing: the key that a creation is answered with.
    return member !== undefined && fieldsOf(member).some((field) => field.path === '');
  };
  const parsed = (body: Body): unknown => shape.safeParse(parseJson(JSON.stringify(body))).data;

  test('returns each request field in a response, or the test names where else it is seen', () => {
    const shown = (path: string) =>
      path in elsewhere || permits.includes(path) || everywhere.some((view) => shows(view, path));
    expect(
      paths.filter((path) => !shown(path)),
      'no response has it: add above where it is visible',
    ).toEqual([]);
    expect(
      [...Object.keys(elsewhere), ...permits].filter((path) => !paths.includes(path)),
      'no such field',
    ).toEqual([]);
  });

  /** What was made, as each answer shows it. */
  async function ask(world: MakingWorld, params: Begun['params'], body: Body) {
    const call = { params, body, ...(contract.idempotencyKey !== 'none' && { key: world.ids.uuid() }) };
    const first = await world.ask(operationId, call);
    expect(first.status, first.text).toBe(created);
    if (contract.idempotencyKey !== 'none' || contract.method === 'PUT')
      expect((await world.ask(operationId, call)).text, 'the first response again').toBe(first.text);
    const response = first.body as Body;
    const records = [{ view: everywhere[0]!, record: first.body }];
    for (const view of everywhere.slice(1)) {
      const known = { id: response['id'], paymentId: response['id'], ...params };
      const read = await world.ask(view.operation, { params: paramsOf(view.operation, known) });
      expect(read.status, `${view.operation} ${read.text}`).toBe(200);
      records.push({ view, record: recordIn(read.body, view.at, response) });
    }
    return { answer: response, records };
  }

  test('returns the request values in its response, its replay, and where they are read and listed', async () => {
    const { fit: fitted = same } = await begin[operationId]!(await makingWorld());
    const bodies = wanted(schema, document.components.schemas)
      .map((body) => JSON.parse(JSON.stringify(body)) as Body)
      .filter((body) => parsed(fitted(body)) !== undefined);
    const pool = fc.sample(bodies, 300);
    const having = paths.flatMap((path) => pool.find((body) => holds(parsed(fitted(body)), path)) ?? []);
    const seen = new Set<string>();
    const property = fc.asyncProperty(bodies, async (generated) => {
      const world = await makingWorld();
      const { params, fit = same } = await begin[operationId]!(world);
      const body = fit(generated);
      const asked = parsed(body);
      const { answer: response, records } = await ask(world, params, body);
      for (const { path, amount } of fields.filter(({ path }) => holds(asked, path))) {
        const value = valueAt(asked, path.split('.'));
        const given = amount ? formatAmount(value as Centavos) : value;
        seen.add(path);
        if (path in elsewhere) expectSame(given, elsewhere[path]!({ response, world }), path);
        else
          for (const { view, record } of records)
            if (shows(view, path))
              expectSame(given, normal(valueAt(record, path.split('.'))), `${path} of ${view.operation}`);
      }
    });
    await fc.assert(property, { examples: having.map((body) => [body]), numRuns: having.length + 10 });
    expect(
      paths.filter((path) => !seen.has(path)),
      'never sent',
    ).toEqual([]);
  });
});

const same = (body: Body): Body => body;

function holds(value: unknown, path: string): boolean {
  const found = valueAt(value, path.split('.'));
  return Array.isArray(found) ? found.some((one) => one !== undefined) : found !== undefined;
}
