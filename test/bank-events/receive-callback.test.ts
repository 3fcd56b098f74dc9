import { expect, test } from 'vitest';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import type { CallbackDependencies, CallbackRequest, Lanes } from '#shared/bank-events/receive-callback.ts';
import { receiveCallback, maxCallbackBytes } from '#shared/bank-events/receive-callback.ts';
import { connectionId } from '../support/connected-items.ts';

const token = 'f3nN0mVt0k3nOf128bits_';
const companyId = '00000000-0000-4000-8000-000000000001';
const subject = 'CN=pix.bank.example,O=Bank,C=BR';
const e2e = (number: number): string => `E00000000202611250900${String(number).padStart(11, '0')}`;
const txid = (number: number): string => String(number).padStart(32, '0');

function connection({ isFull = false, lacksQueue = false, expected = subject, callsBack = true } = {}) {
  const queued: { companyId: string; event: BankEvent }[] = [];
  const lanes: Lanes[] = [];
  const reads: string[] = [];
  const deps: CallbackDependencies = {
    findCallee: (called) => {
      reads.push(called);
      return Promise.resolve(
        called === token
          ? { companyId, connectionId, dialect: 'EFI', ...(callsBack && { subject: expected }) }
          : undefined,
      );
    },
    takeQuota: () => Promise.resolve(!isFull),
    // The payments of an even number are the company's own.
    findOwn: (_of, events) => Promise.resolve(new Set(events.filter((one) => /[02468]"/u.test(JSON.stringify(one))))),
    enqueue: ({ companyId: ownerId }, sorted) => {
      const { own, unknown } = sorted;
      if (!lacksQueue) queued.push(...[...own, ...unknown].map((one) => ({ companyId: ownerId, event: one })));
      lanes.push(sorted);
      return Promise.resolve(!lacksQueue);
    },
  };
  const send = (body: unknown, more: Partial<Record<'token' | 'subject', string>> = {}) => {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const request: CallbackRequest = { token, subject, ...more, body: bytes };
    return receiveCallback(request, deps);
  };
  return { send, queued, lanes, reads, deps };
}

const paid = { pix: [{ endToEndId: e2e(1), txid: txid(1), valor: '10.00', horario: '2026-11-25T09:00:00.000Z' }] };

test('a callback queues one event for each id, without the statuses of its body', async () => {
  const { send, queued } = connection();
  const bundle = {
    pix: [
      ...paid.pix,
      { endToEndId: e2e(2), txid: txid(2), devolucoes: [{ id: 'r1', status: 'DEVOLVIDO' }, { id: 'r2' }] },
      { endToEndId: e2e(3), tipo: 'SOLICITACAO', status: 'NAO_REALIZADO', gnExtras: { idEnvio: txid(4) } },
      { tipo: 'SOLICITACAO', gnExtras: { idEnvio: txid(5), erro: { codigo: 'AC03', motivo: 'Maria' } } },
    ],
    recs: [{ idRec: 'RR9999999920261125abcdefghijk', status: 'APROVADA' }],
    cobsr: [{ idRec: 'RR9999999920261125abcdefghijk', txid: txid(6), status: 'CONCLUIDA' }],
  };
  expect(await send(bundle)).toEqual({ status: 200, outcome: 'TAKEN', ids: 8, companyId });
  const inOrder = (one: BankEvent, other: BankEvent) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);
  const expected: readonly BankEvent[] = [
    { kind: 'PIX', endToEndId: e2e(1), txid: txid(1) },
    { kind: 'PIX', endToEndId: e2e(2), txid: txid(2) },
    { kind: 'RETURN', endToEndId: e2e(2), id: 'r1' },
    { kind: 'RETURN', endToEndId: e2e(2), id: 'r2' },
    { kind: 'PAYOUT', idEnvio: txid(4) },
    { kind: 'PAYOUT', idEnvio: txid(5), code: 'AC03' },
    { kind: 'RECURRENCE', idRec: 'RR9999999920261125abcdefghijk' },
    { kind: 'RECURRING_CHARGE', txid: txid(6) },
  ];
  expect(queued.map(({ event }) => event).toSorted(inOrder)).toEqual(expected.toSorted(inOrder));
  expect(new Set(queued.map((one) => one.companyId))).toEqual(new Set([companyId]));
});

test('ids of the company, and no other ids, go to the lane of own ids', async () => {
  const { send, lanes } = connection();
  await send({ pix: [1, 2, 3, 4].map((number) => ({ endToEndId: e2e(number), txid: txid(number) })) });
  const idsOf = (lane: keyof Lanes) => lanes.flatMap((one) => one[lane].map((event) => JSON.stringify(event)));
  expect(idsOf('own')).toEqual([2, 4].map((n) => JSON.stringify({ kind: 'PIX', endToEndId: e2e(n), txid: txid(n) })));
  expect(idsOf('unknown')).toHaveLength(2);
});

test('an id that a callback names twice is queued once', async () => {
  const { send, queued } = connection();
  expect(await send({ pix: [...paid.pix, ...paid.pix] })).toMatchObject({ status: 200, ids: 1 });
  expect(queued).toHaveLength(1);
});

test("the test of a bank's registration has no ids, and is answered 200", async () => {
  const { send, queued } = connection();
  expect(await send({ evento: 'teste_webhook' })).toMatchObject({ status: 200, ids: 0 });
  expect(queued).toEqual([]);
});

test.each([
  ['no client certificate', { subject: '' }, 403, 'NO_CERTIFICATE', 0],
  ['a malformed token', { token: '../x' }, 404, 'UNKNOWN_TOKEN', 0],
  ['an unknown token', { token: 'f3nN0mVt0k3nOf128bits-' }, 404, 'UNKNOWN_TOKEN', 1],
  ['another subject of the right authority', { subject: 'CN=other.example,O=Bank,C=BR' }, 403, 'OTHER_SUBJECT', 1],
] as const)(
  'a callback with %s is refused with as few reads as possible, and queues no event',
  async (_name, more, status, outcome, costs) => {
    const { send, queued, reads } = connection();
    expect(await send(paid, more)).toMatchObject({ status, outcome });
    expect(reads).toHaveLength(costs);
    expect(queued).toEqual([]);
  },
);

test('a callback without a certificate subject is refused as NO_CERTIFICATE', async () => {
  const { deps, reads } = connection();
  const request = { token, subject: undefined, body: Buffer.from(JSON.stringify(paid)) };
  expect(await receiveCallback(request, deps)).toMatchObject({ status: 403, outcome: 'NO_CERTIFICATE' });
  expect(reads).toEqual([]);
});

test('a truncated body is refused as a whole, and can be sent again', async () => {
  const { send, queued } = connection();
  const text = JSON.stringify(paid);
  for (let length = 0; length < text.length; length += 1)
    expect(await send(text.slice(0, length))).toMatchObject({ status: 400, outcome: 'NO_JSON' });
  expect(queued).toEqual([]);
  expect(await send(text)).toMatchObject({ status: 200 });
});

test.each<[string, unknown]>([
  ['members of other types', { pix: 'x', recs: 3, cobsr: null }],
  ['lists of other things', { pix: [null, 1, 'x', []], recs: [{}], cobsr: [{ txid: 7 }] }],
  ['ids of another shape', { pix: [{ endToEndId: 'E1', txid: "x' OR 1" }], recs: [{ idRec: 'C#c' }] }],
])('a callback with %s is answered 200 and queues no event', async (_name, body) => {
  const { send, queued } = connection();
  expect(await send(body)).toMatchObject({ status: 200, ids: 0 });
  expect(queued).toEqual([]);
});

test('a Pix whose txid is malformed is queued without a txid', async () => {
  const { send, queued } = connection();
  await send({ pix: [{ endToEndId: e2e(1), txid: 'a#b' }] });
  expect(queued.map(({ event }) => event)).toEqual([{ kind: 'PIX', endToEndId: e2e(1) }]);
});

test('a body of ten thousand ids is too large, and the ids of a body within the limit are all queued', async () => {
  const { send, queued } = connection();
  const many = (count: number) => ({ pix: Array.from({ length: count }, (_, at) => ({ endToEndId: e2e(at) })) });
  expect(Buffer.byteLength(JSON.stringify(many(10_000)))).toBeGreaterThan(maxCallbackBytes);
  expect(await send(many(10_000))).toMatchObject({ status: 413, outcome: 'TOO_LARGE' });
  expect(queued).toEqual([]);
  expect(await send(many(5000))).toMatchObject({ status: 200, ids: 5000 });
  expect(new Set(queued.map(({ event }) => JSON.stringify(event))).size).toBe(5000);
});

test('a callback that is replayed is queued once per replay, and not at all above the limit of the connection', async () => {
  const { send, queued } = connection();
  for (let times = 0; times < 1000; times += 1) await send(paid);
  expect(queued).toHaveLength(1000);
  const full = connection({ isFull: true });
  expect(await full.send(paid)).toMatchObject({ status: 429, outcome: 'TOO_MANY' });
  expect(full.queued).toEqual([]);
});

test('a callback counts each id that it names once against the limit per minute', async () => {
  const { deps } = connection();
  const taken: [string, number][] = [];
  const mayHear: CallbackDependencies['takeQuota'] = (ownerId, ids) => {
    taken.push([ownerId, ids]);
    return Promise.resolve(true);
  };
  const body = { pix: [1, 2, 3, 3].map((number) => ({ endToEndId: e2e(number), txid: txid(number) })) };
  await receiveCallback({ token, subject, body: Buffer.from(JSON.stringify(body)) }, { ...deps, takeQuota: mayHear });
  expect(taken).toEqual([[companyId, 3]]);
});

test('a callback is answered 503 when its events could not be queued', async () => {
  const { send } = connection({ lacksQueue: true });
  expect(await send(paid)).toMatchObject({ status: 503, outcome: 'NOT_QUEUED' });
});

test.each([
  ['CN=pix.bank.example,O=Bank,C=BR', 'C=BR, O=Bank, CN=pix.bank.example', true],
  ['cn=pix.bank.example,O=Bank,C=BR', 'CN=pix.bank.example,O=Bank,C=BR', true],
  ['CN=pix.bank.example\nO=Bank\nC=BR', 'CN=pix.bank.example,O=Bank,C=BR', true],
  ['CN=pix.bank.example,O=Bank\\, S.A.,C=BR', 'O=Bank\\, S.A.,C=BR,CN=pix.bank.example', true],
  ['CN=pix.bank.example,O=Bank', 'CN=pix.bank.example,O=Bank,C=BR', false],
  ['CN=PIX.bank.example,O=Bank,C=BR', 'CN=pix.bank.example,O=Bank,C=BR', false],
  ['CN=a\\,O=Bank', 'CN=a,O=Bank', false],
  ['CN=a=b,O=Bank', 'CN=ab,O=Bank', false],
])('a callback with the subject %s, where %s is expected, is accepted: %s', async (called, expected, isTaken) => {
  const { deps } = connection({ expected });
  const request = { token, subject: called, body: Buffer.from('{}') };
  expect((await receiveCallback(request, deps)).status).toBe(isTaken ? 200 : 403);
});

test('a callback is refused, whatever its certificate, where the bank of the connection does not call back', async () => {
  const { send, queued } = connection({ callsBack: false });
  expect(await send(paid)).toEqual({ status: 403, outcome: 'OTHER_SUBJECT', ids: 0, companyId });
  expect(queued).toEqual([]);
});
