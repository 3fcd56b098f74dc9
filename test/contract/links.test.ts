import { expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { linksOf } from '#tools/docs/links.ts';
import { operations } from '../support/document.ts';

type Fields = Readonly<Record<string, unknown>>;

const links = operations.flatMap(({ name, path, operation }) =>
  Object.entries(operation.responses).flatMap(([status, { content, links: own = {} }]) =>
    Object.values(own).map((link) => ({
      ...{ name: `${name} ${status} → ${link.operationId}`, path, link, content },
      ...{ from: operation.operationId, status },
    })),
  ),
);

const operationOf = (operationId: string) => operations.find(({ operation }) => operation.operationId === operationId);

const linkedFrom = (operationId: string): readonly string[] => [
  ...new Set(links.flatMap(({ from, link }) => (from === operationId ? [link.operationId] : []))),
];

test('a create operation links to the record, its list, the operations on it and its webhook deliveries', () => {
  expect(linkedFrom('createPayIn').toSorted()).toEqual([
    ...['cancelPayIn', 'forceOrderStatus', 'getPayIn', 'listPayIns', 'listRefunds', 'listWebhookDeliveries'],
    'refundPayIn',
  ]);
  expect(linkedFrom('createPayout').toSorted()).toEqual([
    ...['forceOrderStatus', 'getPayout', 'getPayoutCertificate', 'listPayouts', 'listWebhookDeliveries'],
  ]);
  expect(linkedFrom('createSubscription')).toEqual(
    expect.arrayContaining(['getSubscription', 'listSubscriptions', 'cancelSubscription', 'createScheduledPayment']),
  );
  expect(linkedFrom('refundPayIn').toSorted()).toEqual(['getPayIn', 'getRefundCertificate', 'listRefunds']);
});

test('createPixKey links to confirmPixKey and resendKeyCode, and listAccounts does not link to confirmPixKey', () => {
  expect(linkedFrom('listAccounts')).not.toContain('confirmPixKey');
  expect(linkedFrom('createPixKey')).toEqual(expect.arrayContaining(['confirmPixKey', 'resendKeyCode']));
});

/** Operations that change something and answer with the id of what they made or changed. */
const answerWithId = operations.flatMap(({ name, path, operation }) => {
  const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const example = successes.flatMap(([, { content }]) => content?.['application/json'].example ?? [])[0] as Fields;
  const ids = ['id', 'validationId'].filter((field) => field in example);
  return name.startsWith('GET') || ids.length === 0 ? [] : [{ name, path, operation, ids }];
});

test('the document has more than ten changing operations with an id in the response', () => {
  expect(answerWithId.length).toBeGreaterThan(10);
});

test.each(answerWithId)(
  '$name, with an id in the response, links to the operation that reads the record',
  ({ path, operation, ids }) => {
    const own = links.filter(({ from }) => from === operation.operationId);
    const reads = own.flatMap(({ link }) => {
      const target = operationOf(link.operationId);
      return target?.name.startsWith('GET') === true ? [{ link, target }] : [];
    });
    const isById = ({ link }: (typeof reads)[number]): boolean =>
      ids.some((field) => Object.values(link.parameters ?? {}).includes(`$response.body#/${field}`));
    const isRead = new RegExp(`^GET ${path.replaceAll(/[{}]/gu, '\\$&')}/\\{[^/]+\\}$`, 'u');
    const record = operations.find(({ name: other }) => isRead.test(other));
    expect(reads.length).toBeGreaterThan(0);
    if (record !== undefined)
      expect(reads.filter(isById).map(({ link }) => link.operationId)).toContain(record.operation.operationId);
  },
);

test('a further link is refused when its operation is unknown, or when the paths give the link already', () => {
  const all = routes.map(({ contract }) => contract);
  expect(() => linksOf(all, { makePayIn: [] })).toThrow('Links start at makePayIn, which is not an operation.');
  const furtherLink = { operationId: 'getPayIn', parameters: { id: '$response.body#/id' } };
  expect(() => linksOf(all, { createPayIn: [furtherLink] })).toThrow('Remove the link from createPayIn to getPayIn');
});

test.each(links)(
  '$name leads to an existing operation, with every parameter that it needs',
  ({ path, link, content }) => {
    const to = operationOf(link.operationId);
    expect(to, link.operationId).toBeDefined();
    const inPath = [...to!.path.matchAll(/\{([^}]+)\}/gu)].map(([, name]) => name);
    const inQuery = to!.operation.parameters.flatMap((one) => (one.in === 'query' ? [one.name] : []));
    const given = Object.keys(link.parameters ?? {});
    expect(given).toEqual(expect.arrayContaining(inPath));
    expect([...inPath, ...inQuery]).toEqual(expect.arrayContaining(given));
    const body = to!.operation.requestBody?.content['application/json'].example ?? {};
    expect(Object.keys(body)).toEqual(expect.arrayContaining(Object.keys(link['x-request-body'] ?? {})));
    for (const expression of [
      ...Object.values(link.parameters ?? {}),
      ...Object.values(link['x-request-body'] ?? {}),
    ]) {
      const [, place, name = ''] = /^\$(request\.path|response\.body)[.#](.+)$/u.exec(expression) ?? [];
      if (place === 'request.path') expect(path).toContain(`{${name}}`);
      // The example shows that the pointer finds an id.
      if (place === 'response.body') expect(pointed(content?.['application/json'].example, name)).toBeTypeOf('string');
    }
  },
);

/** RFC 6901. */
function pointed(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((at, name) => (at as Fields | undefined)?.[name], value);
}
