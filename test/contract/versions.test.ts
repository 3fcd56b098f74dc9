import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { compareDocuments } from '#tools/versions/compare.ts';
import { currentDocument, keptReleases, lastRelease, refusalOf } from '#tools/versions/releases.ts';
import type { Node } from '#tools/versions/schemas.ts';

const { version, document: released } = lastRelease();
const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
const sections = new Map(
  changelog
    .split(/^## /mu)
    .slice(1)
    .map((section) => [/^\[?([\w.]+)/u.exec(section)?.[1] ?? '', section]),
);

const differences = compareDocuments(released, currentDocument());
const said = ({ place, change }: (typeof differences)[number]): string => `${place}: ${change}`;

test('the document breaks no client of the last release: what does is a new version (docs/versions.md)', () => {
  expect(differences.filter(({ breaks }) => breaks).map(said)).toEqual([]);
});

test('every kept release breaks no client of the one before', () => {
  const kept = keptReleases();
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.flatMap((release, place) => refusalOf(kept.slice(0, place), release) ?? [])).toEqual([]);
});

test('a release is kept only under a later version, and when it breaks no client of the last one', () => {
  const kept = [{ version: '1.9.0', document: released }];
  const broken = structuredClone(released);
  drop(payIns)(broken);
  expect(refusalOf([], { version: '1.0.0', document: broken })).toBeUndefined();
  expect(refusalOf(kept, { version: '1.10.0', document: released })).toBeUndefined();
  for (const version of ['1.9.0', '1.8.0'])
    expect(refusalOf(kept, { version, document: released })).toContain('docs/releases/1.9.0.json is kept');
  expect(refusalOf(kept, { version: '1.10.0', document: broken })).toContain(
    'BREAKS  POST /order/v1/banking/order-payins: operation removed',
  );
});

test('CHANGELOG.md names under Unreleased what the document has beyond the last release', () => {
  const unreleased = sections.get('Unreleased') ?? '';
  const unnamed = differences.filter(({ breaks, name }) => !breaks && !unreleased.includes(`\`${name}\``));
  expect(unnamed.map((one) => `${said(one)}. Name \`${one.name}\`.`)).toEqual([]);
});

test('CHANGELOG.md begins with Unreleased and has the last release, and the document has its version', () => {
  expect([...sections.keys()].slice(0, 2)).toEqual(['Unreleased', version]);
  expect(manifest.version).toBe(version);
  expect(sections.get(version)).toMatch(/^\[?[\d.]+\]? - \d{4}-\d{2}-\d{2}\n/u);
});

type Edit = (document: Node) => void;

/** The part of a document at a path of names, each separated by a blank bar. */
function partAt(document: Node, path: string): unknown {
  return path.split(' | ').reduce<unknown>((part, name) => (part as Node)[name], document);
}

const holderOf = (document: Node, path: string): [Record<string, unknown>, string] => {
  const names = path.split(' | ');
  const name = names.pop() ?? '';
  const holder = names.length === 0 ? document : partAt(document, names.join(' | '));
  if (holder === undefined) throw new Error(`There is no ${path}.`);
  return [holder as Record<string, unknown>, name];
};
const put =
  (path: string, value: unknown): Edit =>
  (document) => {
    const [holder, name] = holderOf(document, path);
    holder[name] = value;
  };
const drop =
  (path: string): Edit =>
  (document) => {
    const [holder, name] = holderOf(document, path);
    if (!(name in holder)) throw new Error(`There is no ${path}.`);
    Reflect.deleteProperty(holder, name);
  };
const append =
  (path: string, value: unknown): Edit =>
  (document) => {
    (partAt(document, path) as unknown[]).push(value);
  };
/** Takes the item of a list that is this text, or has this name. */
const take =
  (path: string, wanted: string): Edit =>
  (document) => {
    const [holder, name] = holderOf(document, path);
    const list = holder[name] as readonly unknown[];
    const left = list.filter((item) => item !== wanted && (item as Node)['name'] !== wanted);
    if (left.length === list.length) throw new Error(`${path} has no ${wanted}.`);
    holder[name] = left;
  };
const both =
  (...edits: readonly Edit[]): Edit =>
  (document) => {
    for (const edit of edits) edit(document);
  };

/** Compares the released document with a copy that was changed. */
function changesOf(edit: Edit) {
  const changed = structuredClone(released);
  edit(changed);
  return compareDocuments(released, changed);
}

const payIns = 'paths | /order/v1/banking/order-payins';
const create = `${payIns} | post`;
const created = `${create} | responses | 201`;
const list = `${payIns} | get | parameters`;
const schemas = 'components | schemas';
const request = `${schemas} | CreatePayInRequest`;
const record = `${schemas} | PayInRecord`;
const sent = `${schemas} | PayInNotification`;
const text = { type: 'string' };
const boleto = { type: 'object', required: ['boleto'], properties: { boleto: text } };
const index = (released['paths'] as Record<string, { get: { parameters: { name?: string }[] } }>)[
  '/order/v1/banking/order-payins'
]?.get.parameters.findIndex(({ name }) => name === 'status');
const status = `${list} | ${index}`;
const values = (field: string, kind: 'enum' | 'x-extensible-enum' = 'enum') => `${schemas} | ${field} | ${kind}`;

const breaks: readonly (readonly [what: string, expected: string, edit: Edit])[] = [
  ['a path is removed', 'POST /order/v1/banking/order-payins: operation removed', drop(payIns)],
  ['an operation is removed', 'POST /order/v1/banking/order-payins: operation removed', drop(create)],
  ['an operation gets another id', 'operationId changed', put(`${create} | operationId`, 'makePayIn')],
  ['a success status is removed', '201: status removed', drop(created)],
  ['another success status is added', '202: status added', put(`${create} | responses | 202`, {})],
  ['an error status is removed', '409: status removed', drop(`${create} | responses | 409`)],
  ['the body of an answer is removed', '201: body removed', drop(`${created} | content`)],
  ['a header of an answer is removed', '201: header x-request-id removed', drop(`${created} | headers | x-request-id`)],
  ['a query parameter is removed', 'query status: parameter removed', take(list, 'status')],
  [
    'a required parameter is added',
    'query region: required parameter added',
    append(list, { name: 'region', in: 'query', required: true, schema: text }),
  ],
  ['a parameter becomes required', 'query status: parameter is now required', put(`${status} | required`, true)],
  ['a value of a parameter is removed', 'query status: value PAID removed', take(`${status} | schema | enum`, 'PAID')],
  [
    'a body becomes required',
    'body is now required',
    put('paths | /order/v1/banking/order-payins/{id}/refunds | post | requestBody | required', true),
  ],
  ['the body of a request is removed', 'body: body removed', drop(`${create} | requestBody`)],
  [
    'a field of a request is removed',
    'CreatePayInRequest.description: field removed',
    drop(`${request} | properties | description`),
  ],
  [
    'a required field of a request is added',
    'CreatePayInRequest.region: required field added',
    both(put(`${request} | properties | region`, text), append(`${request} | required`, 'region')),
  ],
  [
    'a field of a request becomes required',
    'CreatePayInRequest.expiresInSeconds: field is now required',
    append(`${request} | required`, 'expiresInSeconds'),
  ],
  [
    'the type of a field of a request changes',
    'CreatePayInRequest.externalId: type string is now integer',
    put(`${request} | properties | externalId | type`, 'integer'),
  ],
  [
    'the longest text of a request becomes shorter',
    'maxLength 64 is now 32',
    put(`${request} | properties | externalId | maxLength`, 32),
  ],
  [
    'the smallest number of a request becomes larger',
    'CreatePayInRequest.expiresInSeconds: minimum',
    put(`${request} | properties | expiresInSeconds | minimum`, 7200),
  ],
  [
    'the pattern of a field of a request changes',
    'CreatePayInRequest.externalId: pattern',
    put(`${request} | properties | externalId | pattern`, '^[a-z]+$'),
  ],
  [
    'a field of a request gets an enumeration',
    'takes only the values of an enumeration',
    put(`${request} | properties | description | enum`, ['x']),
  ],
  [
    'a value of a request is removed',
    'CreatePayoutRequest.paymentMethod: value TED removed',
    take(values('CreatePayoutRequest | properties | paymentMethod'), 'TED'),
  ],
  [
    'an alternative of a request is removed',
    'PaymentDataInput: alternative removed or changed',
    drop(`${schemas} | PaymentDataInput | oneOf | 2`),
  ],
  [
    'a rule between the fields of a request is added',
    'CreatePayInRequest: dependentRequired absent is now',
    put(`${request} | dependentRequired`, { description: ['expiresInSeconds'] }),
  ],
  [
    'a field of an answer is removed',
    'PayInRecord.conciliationId: field removed',
    drop(`${record} | properties | conciliationId`),
  ],
  [
    'a field of an answer may be absent',
    'PayInRecord.conciliationId: field is no longer required',
    take(`${record} | required`, 'conciliationId'),
  ],
  [
    'the type of a field of an answer changes',
    'PayInRecord.externalId: type string is now integer',
    put(`${record} | properties | externalId | type`, 'integer'),
  ],
  [
    'a field of an answer may be null',
    'PayInRecord.externalId: type string is now string|null',
    put(`${record} | properties | externalId | type`, ['string', 'null']),
  ],
  [
    'the form of an answer is no longer promised',
    'PayInRecord.createdAt: format "date-time" is now absent',
    drop(`${record} | properties | createdAt | format`),
  ],
  [
    'a closed enumeration of an answer grows',
    'PayInRecord.status: value PAUSED added',
    append(values('PayInRecord | properties | status'), 'PAUSED'),
  ],
  [
    'a closed enumeration of an answer is opened',
    'PayInRecord.status: closed enumeration is open',
    both(
      drop(values('PayInRecord | properties | status')),
      put(values('PayInRecord | properties | status', 'x-extensible-enum'), ['PAID']),
    ),
  ],
  [
    'a value of an answer is removed',
    'PayInRecord.status: value ERROR removed',
    take(values('PayInRecord | properties | status'), 'ERROR'),
  ],
  [
    'an error code is removed',
    'ErrorDetail.issue: value NOT_PAYABLE removed',
    take(values('ErrorDetail | properties | issue', 'x-extensible-enum'), 'NOT_PAYABLE'),
  ],
  [
    'an alternative of an answer is added',
    'PaymentData: alternative added',
    append(`${schemas} | PaymentData | oneOf`, boleto),
  ],
  ['a notification is removed', 'payIn: notification removed', drop('webhooks | payIn')],
  [
    'a field of a notification is removed',
    'PayInNotification.payer: field removed',
    drop(`${sent} | properties | payer`),
  ],
  [
    'an event is removed',
    'PayInNotification.event: value ORDER-PAYIN.PAID removed',
    take(values('PayInNotification | properties | event', 'x-extensible-enum'), 'ORDER-PAYIN.PAID'),
  ],
  [
    'a header of a notification is removed',
    'payIn header webhook-id: parameter removed',
    take('components | pathItems | payIn | post | parameters', 'webhook-id'),
  ],
  [
    'a status may become another one',
    'transition added',
    append('x-transitions | PAY_IN', { from: 'EXPIRED', trigger: 'PAID', to: 'PAID', by: 'bank' }),
  ],
  ['no status may become another one', 'transition removed', drop('x-transitions | PAY_IN')],
];

const additions: readonly (readonly [what: string, name: string, edit: Edit])[] = [
  [
    'an endpoint',
    'POST /order/v1/banking/boletos',
    put('paths | /order/v1/banking/boletos', { post: { operationId: 'createBoleto', responses: {} } }),
  ],
  ['an optional field of a request', 'region', put(`${request} | properties | region`, text)],
  ['an optional parameter', 'region', append(list, { name: 'region', in: 'query', schema: text })],
  ['a value of a request', 'BOLETO', append(values('CreatePayoutRequest | properties | paymentMethod'), 'BOLETO')],
  [
    'a longer text of a request',
    'CreatePayInRequest.externalId',
    put(`${request} | properties | externalId | maxLength`, 128),
  ],
  ['an alternative of a request', 'PaymentDataInput', append(`${schemas} | PaymentDataInput | oneOf`, boleto)],
  ['a field of an answer', 'region', put(`${record} | properties | region`, text)],
  [
    'a required field of an answer',
    'region',
    both(put(`${record} | properties | region`, text), append(`${record} | required`, 'region')),
  ],
  [
    'a value of an open enumeration',
    'BOLETO_PAID',
    append(values('LedgerEntryRecord | properties | type', 'x-extensible-enum'), 'BOLETO_PAID'),
  ],
  ['an issue', 'TOO_LATE', append(values('ErrorDetail | properties | issue', 'x-extensible-enum'), 'TOO_LATE')],
  [
    'an event',
    'ORDER-PAYIN.SEEN',
    append(values('PayInNotification | properties | event', 'x-extensible-enum'), 'ORDER-PAYIN.SEEN'),
  ],
  ['a field of a notification', 'region', put(`${sent} | properties | region`, text)],
  ['a notification', 'boleto', put('webhooks | boleto', { $ref: '#/components/pathItems/payIn' })],
  ['an error status', '418', put(`${create} | responses | 418`, {})],
  ['a header of an answer', 'x-region', put(`${created} | headers | x-region`, { schema: text })],
];
describe('the comparison of two documents', () => {
  test('a comparison finds no change in equal documents, nor in a description', () => {
    expect(compareDocuments(released, structuredClone(released))).toEqual([]);
    expect(changesOf(put(`${record} | description`, 'Otherwise described.'))).toEqual([]);
    expect(compareDocuments(currentDocument(), currentDocument())).toEqual([]);
  });

  test.each(breaks)('finds a break when %s', (_what, expected, edit) => {
    const found = changesOf(edit);
    expect(found.filter((one) => one.breaks).map(said)).toContainEqual(expect.stringContaining(expected));
  });

  test.each(additions)('lets %s pass, and has its name for the changelog', (_what, name, edit) => {
    const found = changesOf(edit);
    expect(found.filter((one) => one.breaks).map(said)).toEqual([]);
    expect(found.map((one) => one.name)).toContain(name);
  });

  test.each(additions)('finds a break when %s is taken back', (_what, _name, edit) => {
    const changed = structuredClone(released);
    edit(changed);
    expect(compareDocuments(changed, released).some((one) => one.breaks)).toBe(true);
  });
});
