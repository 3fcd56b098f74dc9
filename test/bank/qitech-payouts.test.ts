import { beforeEach, describe, expect, test } from 'vitest';
import { submitOnce } from '#shared/bank/bank.ts';
import { capabilities, published } from '#shared/bank/dialects/qitech/capabilities.ts';
import { qitechPayouts } from '#shared/bank/dialects/qitech/payouts.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import type { PaymentOrder } from '#shared/bank/ports/payouts.ts';
import { checkedPayouts } from '#shared/bank/ports/payouts.ts';
import { centavos } from '#shared/core/money.ts';
import { account, context, first, payer } from './bank-orders.ts';
import type { Reply } from './qitech-bank.ts';
import { accountKey, problem, reply, useQitechBank } from './qitech-bank.ts';

const used = useQitechBank();
const payouts = () => checkedPayouts(qitechPayouts(used.connected));

const reference = 'b6804f32-101e-4702-8fbc-c2dbc4c2ca00';
const other = '6e290347-330d-4b3a-8ebb-2ac217ad6eb3';
const endToEndId = 'E73856642202309201429bZKfklNlbwu';
const createdAt = '2021-10-22T20:30:23.459Z';
const bank = { ispb: '32402502', branch: '1-9', account: '12.345.678-3', accountType: 'CHECKING_ACCOUNT' };
const common = { reference, amount: centavos(50_065), payer: account, description: 'Ola Mundo' };
const pix = { type: 'EMAIL', key: 'maria+1@example.com' } as const;
const byKey: PaymentOrder = { ...common, initiation: 'KEY', receiver: { ...payer, pix }, endToEndId };
const manual: PaymentOrder = { ...common, initiation: 'MANUAL', receiver: { ...payer, bank } };
const ted: PaymentOrder = { ...manual, controlNumber: 'STR20260115000000001' };

const sentPix = (more: object = {}) => ({
  ...{ request_control_key: reference, pix_transfer_key: other, account_key: accountKey, created_at: createdAt },
  ...{ pix_transfer_status: 'sent', end_to_end_id: endToEndId, transfer_amount: 500.65, fee_amount: 0 },
  ...{ rejection_reason: null, reversals: [], ...more },
});
const sentTed = (more: object = {}) => ({
  ...{ request_control_key: reference, ted_key: other, account_key: accountKey, created_at: createdAt },
  ...{ ted_status: 'sent', transaction_amount: 500.65, fee_amount: 0, refusal_reason: {}, ...more },
});
const listed = (...data: readonly object[]) => reply(200, { data, pagination: { current_page: 1, rows_per_page: 30 } });

/** The three kinds of payouts: how each is asked, answered and listed. */
const kinds = [
  [
    'a Pix by key',
    byKey,
    'pix_transfer',
    'pix_transfers?pix_transfer_direction=outgoing',
    sentPix,
    'pix_transfer_status',
  ],
  [
    'a Pix to an account',
    manual,
    'pix_transfer',
    'pix_transfers?pix_transfer_direction=outgoing',
    sentPix,
    'pix_transfer_status',
  ],
  ['a TED', ted, 'ted', 'teds?ted_direction=outgoing', sentTed, 'ted_status'],
] as const;

const isCommand = (method: string): boolean => method === 'POST';
/** Answers the command and the look-ups. */
const answering = (command: Reply, lookUp: Reply = listed()): void => {
  used.answers(({ method }) => (isCommand(method) ? command : lookUp));
};
const submit = (order: PaymentOrder) => payouts().send.submit(order, context);
const find = (order: PaymentOrder) => payouts().send.find(order, context);
const commands = () => used.asked.filter(({ method }) => isCommand(method));

describe('the request of a payout', () => {
  beforeEach(() => {
    answering(reply(500, {}));
  });
  const head = `"request_control_key":"${reference}","transaction_amount":500.65`;
  const target =
    '"target_account":{"ispb":"32402502","account_branch":"0001","account_number":"12345678","account_digit":"3",' +
    '"account_type":"checking_account","owner_name":"Maria Souza","owner_document_number":"52998224725"}';

  test.each([
    [
      'by key',
      byKey,
      'pix_transfer',
      `{${head},"pix_transfer_type":"key","target_pix_key":"maria+1@example.com","end_to_end_id":"${endToEndId}","pix_message":"Ola Mundo"}`,
    ],
    [
      'to an account',
      manual,
      'pix_transfer',
      `{${head},"pix_transfer_type":"manual",${target},"pix_message":"Ola Mundo"}`,
    ],
    ['by TED', ted, 'ted', `{${head},${target}}`],
  ])('%s has the fields and the exact amount of the documents', async (_kind, order, path, text) => {
    await submit(order);
    expect(commands()).toEqual([{ method: 'POST', path: `/account/${accountKey}/${path}`, text }]);
    expect(used.timestamps[0]).toBe('2026-01-15T12:00:00.000000Z');
  });

  test('is not sent to an account whose number has no check digit: it is refused', async () => {
    const short = { ...ted, receiver: { ...payer, bank: { ...bank, account: '7' } } };
    expect(await submit(short)).toMatchObject({ outcome: 'REFUSED', code: 'AC03' });
    expect(used.asked).toEqual([]);
  });

  test('has no message when its description is empty, and at most 140 characters of another', async () => {
    await submit({ ...byKey, description: '' });
    await submit({ ...byKey, description: 'x'.repeat(141) });
    const messages = commands().map(({ text }) => (JSON.parse(text) as { pix_message?: string }).pix_message);
    expect(messages).toEqual([undefined, 'x'.repeat(140)]);
  });

  test('is not sent for an account that the connection does not name', async () => {
    const unnamed = { ...byKey, payer: { ...account, id: other } };
    expect(await submit(unnamed)).toMatchObject({ outcome: 'NOT_NOW' });
    expect(used.asked).toEqual([]);
  });
});

describe.each(kinds)('%s', (_kind, order, path, list, body, status) => {
  const isPix = path === 'pix_transfer';
  const paid = { outcome: 'DONE', state: { status: 'PAID', at: createdAt, ...(isPix && { endToEndId }) } };

  test.each([
    ['sent', 201, { status: 'PAID' }],
    ['pending', 202, { status: 'ACCEPTED' }],
    ['pending_2fa_approval', 202, { status: 'AWAITS_APPROVAL' }],
    ['rejected', 201, { status: 'ERROR', reason: 'The bank rejected the payment.' }],
  ])('that is answered as %s is in the state that the documents give it', async (value, code, state) => {
    answering(reply(code, body({ [status]: value })), listed(body({ [status]: value })));
    expect(await submit(order)).toMatchObject({ outcome: 'DONE', state });
    expect(await find(order)).toMatchObject({ outcome: 'DONE', state });
    expect(used.unknown).toEqual([]);
  });

  test('is looked up by our key alone, among the payments of its account', async () => {
    answering(reply(500, {}), listed(body()));
    expect(await find(order)).toMatchObject(paid);
    expect(used.asked).toEqual([
      { method: 'GET', path: `/account/${accountKey}/${list}&request_control_key=${reference}`, text: '' },
    ]);
  });

  test('is NEVER_SEEN only by a list without it', async () => {
    answering(reply(500, {}), listed());
    expect(await find(order)).toEqual({ outcome: 'NEVER_SEEN' });
    for (const lost of [
      problem(404, 'TED000009', 'Account not found'),
      problem(400, 'QIT000001'),
      reply(500, {}),
      'DROP',
    ] as const) {
      answering(reply(500, {}), lost);
      expect(await find(order), JSON.stringify(lost)).toMatchObject({ outcome: 'UNKNOWN' });
    }
  });

  test.each<[string, Reply]>([
    ['a status that the documents do not have', reply(201, body({ [status]: 'processing' }))],
    ['no status', reply(201, body({ [status]: undefined }))],
    ['another key', reply(201, body({ request_control_key: other }))],
    ['no key', reply(201, body({ request_control_key: undefined }))],
    ['another amount', reply(201, body({ [isPix ? 'transfer_amount' : 'transaction_amount']: 5006.5 }))],
    ['another account', reply(201, body({ account_key: other }))],
    ['no JSON', { status: 201, text: '<html>' }],
    ['nothing', { status: 201, text: '' }],
    ['a member twice', { status: 201, text: `{"request_control_key":"${other}",${JSON.stringify(body()).slice(1)}` }],
    ['five megabytes', { status: 201, text: JSON.stringify({ ...body(), more: 'x'.repeat(5 * 1024 * 1024) }) }],
    ['an error of a proxy', { status: 502, text: 'Bad Gateway' }],
    ['an error without a code', reply(422, { title: 'x' })],
    ['an error of the server', problem(500, 'QIT000000')],
    ['a conflict', problem(409, 'PXT000001')],
    ['a text about a used key', problem(422, 'PXT000002', 'Request control key already exists')],
    ['a text about a used key in Portuguese', problem(400, 'PXT000002', 'Chave já utilizada')],
    ['no answer', 'DROP'],
  ])('is UNKNOWN after an answer with %s', async (_what, answer) => {
    answering(answer);
    expect(await submit(order)).toMatchObject({ outcome: 'UNKNOWN' });
  });

  test('is not believed when the list names another payment, or several', async () => {
    for (const data of [[body({ request_control_key: other })], [body(), body()], [body({ account_key: other })]]) {
      answering(reply(500, {}), listed(...data));
      expect(await find(order)).toMatchObject({ outcome: 'UNKNOWN' });
    }
    expect(used.misled).toEqual(['request_control_key', 'account_key']);
  });

  test('is REFUSED by an error with a code, and NOT_NOW by the limits and the gateway of the bank', async () => {
    const answers: readonly [Reply, object][] = [
      [
        problem(422, 'PXT000132', 'Número da conta inválido.'),
        { outcome: 'REFUSED', code: 'PXT000132', reason: 'Número da conta inválido.' },
      ],
      [problem(400, 'QIT000001'), { outcome: 'REFUSED', code: 'QIT000001' }],
      [
        reply(404, { data: { title: 'x', description: 'Account not found', code: 'TED000009' } }),
        { outcome: 'REFUSED', code: 'TED000009' },
      ],
      [problem(429, 'PIX000070'), { outcome: 'NOT_NOW' }],
    ];
    for (const [answer, outcome] of answers) {
      answering(answer);
      expect(await submit(order)).toMatchObject(outcome);
    }
  });

  test.each([
    ['an unknown client key', problem(404, 'GDF000018')],
    ['no client key', problem(400, 'GDF000003')],
    ['a wrong signature', problem(401, 'GDF000014')],
    ['a missing right', problem(403, 'GDF000020')],
  ])('is NOT_NOW after a refusal of the gateway for %s: it did not reach the bank', async (_what, answer) => {
    answering(answer);
    expect(await submit(order)).toMatchObject({ outcome: 'NOT_NOW' });
  });

  test('is never sent twice with one key where a repetition may be carried out again', async () => {
    const kind = path === 'ted' ? 'ted' : order.initiation === 'MANUAL' ? 'accountPayout' : 'payout';
    const repetition = capabilities.repetition[kind];
    for (const answer of ['DROP', reply(202, {}), problem(500, 'x'), problem(422, 'x', 'already exists')] as const) {
      used.asked.length = 0;
      answering(answer, listed());
      await submitOnce(payouts().send, order, context, first);
      const again = { repetition, mayRepeat: () => Promise.resolve(false) };
      await submitOnce(payouts().send, order, context, { ...first, again });
      expect(commands()).toHaveLength(repetition === 'CARRIED_OUT_AGAIN' ? 1 : 2);
      const order2 = used.asked.map(({ method }) => method);
      expect(order2.lastIndexOf('POST') === 0 || order2[order2.lastIndexOf('POST') - 1] === 'GET').toBe(true);
    }
  });

  test('is found, and not repeated, after its answer was lost', async () => {
    answering('DROP', listed(body()));
    expect(await submitOnce(payouts().send, order, context, first)).toMatchObject(paid);
    const again = { repetition: 'REFUSED', mayRepeat: () => Promise.resolve(true) } as const;
    expect(await submitOnce(payouts().send, order, context, { ...first, again })).toMatchObject(paid);
    expect(commands()).toHaveLength(1);
  });

  test('cannot be canceled, and its cancellation is found as the payment is', async () => {
    expect(await payouts().cancel.submit(order, context)).toMatchObject({ outcome: 'REFUSED' });
    answering(reply(500, {}), listed(body()));
    expect(await payouts().cancel.find(order, context)).toMatchObject(paid);
  });
});

test('a repetition is allowed without a person only for a Pix by key, whose end-to-end id is good for one payment', () => {
  const { payout, ...others } = capabilities.repetition;
  expect(payout).toBe('REFUSED');
  expect(new Set(Object.values(others))).toEqual(new Set(['CARRIED_OUT_AGAIN']));
});

describe('a Pix to an account', () => {
  const answer = { request_control_key: reference, pix_transfer_status: 'sent', created_at: createdAt };

  test('that was sent is looked up at once for its end-to-end id', async () => {
    answering(reply(201, answer), listed(sentPix()));
    expect(await submit(manual)).toMatchObject({ outcome: 'DONE', state: { status: 'PAID', endToEndId } });
  });

  test('stays open while the look-up does not have it', async () => {
    answering(reply(201, answer), listed());
    expect(await submit(manual)).toEqual({ outcome: 'DONE', state: { status: 'ACCEPTED', returns: [] } });
  });
});

test('a Pix by key that was sent has the end-to-end id of its look-up, and another one is not believed', async () => {
  answering(reply(201, { request_control_key: reference, pix_transfer_status: 'sent', created_at: createdAt }));
  expect(await submit(byKey)).toMatchObject({ state: { status: 'PAID', endToEndId } });
  answering(reply(201, sentPix({ end_to_end_id: 'E32402502202201031945lzopUdWF9WI' })));
  expect(await submit(byKey)).toEqual({ outcome: 'UNKNOWN' });
  expect(used.misled).toEqual(['end_to_end_id']);
});

test('a rejected payment has the code and the text of the bank', async () => {
  const error = { error_code: 'PXT000132', error_translation: 'Número da conta inválido.' };
  const state = { status: 'ERROR', code: error.error_code, reason: error.error_translation, returns: [] };
  const { code: _code, ...withoutCode } = state;
  for (const [shown, understood] of [
    [error, state],
    [{ error_code: null, error_translation: null, rejection_reason: error }, state],
    [{ rejection_reason: error.error_translation }, withoutCode],
    [{ rejection_reason: 132 }, { ...withoutCode, reason: 'The bank rejected the payment.' }],
  ] as const) {
    answering(reply(500, {}), listed(sentPix({ pix_transfer_status: 'rejected', ...shown })));
    expect(await find(byKey)).toEqual({ outcome: 'DONE', state: { ...understood, endToEndId } });
  }
  const refusalReason = {
    refusal_code: 1,
    enumerator: 'conta_destinatario_encerrada',
    description: 'Conta encerrada',
  };
  answering(reply(500, {}), listed(sentTed({ ted_status: 'rejected', refusal_reason: refusalReason })));
  expect(await find(ted)).toMatchObject({
    state: { status: 'ERROR', code: 'conta_destinatario_encerrada', reason: 'Conta encerrada' },
  });
});

test('money of a sent Pix that came back is a return of it, once it was received', async () => {
  const back = {
    end_to_end_id: 'D35713491202309182058jlqdBkkHSWU',
    transfer_amount: 0.01,
    reversal_reason: 'client_request',
  };
  const reversals = ['received', 'pending', 'lost'].map((value) => ({ ...back, pix_transfer_status: value }));
  answering(reply(500, {}), listed(sentPix({ reversals })));
  const returned = { returnId: back.end_to_end_id, amount: 1, at: createdAt };
  expect(await find(byKey)).toMatchObject({ state: { status: 'PAID', returns: [returned] } });
  expect(used.unknown).toEqual(['reversals.pix_transfer_status lost']);
});

describe('the preparation of a payout', () => {
  const prepare = (order: PaymentOrder) => {
    const { endToEndId: _known, ...unprepared } = order;
    return payouts().prepare(unprepared, context);
  };
  const owner = { pix_key: pix.key, owner_name: 'Maria', is_pix_key_owner: true, end_to_end_id: endToEndId };

  test('by key looks the key up for its end-to-end id', async () => {
    used.answers(() => reply(200, owner));
    expect(await prepare(byKey)).toEqual({ endToEndId });
  });

  test('by key fails when the key is no longer the receiver’s', async () => {
    for (const answer of [
      reply(200, { ...owner, is_pix_key_owner: false }),
      problem(404, 'PIX1', 'Pix key not found'),
    ]) {
      used.answers(() => answer);
      await expect(prepare(byKey)).rejects.toThrow(BankUnavailable);
    }
  });

  test('to an account asks nothing', async () => {
    expect(await prepare(manual)).toEqual({});
    expect(used.asked).toEqual([]);
  });
});

test('the dialect can do nothing that the published pages do not have', () => {
  const { payouts: now, keys, ...can } = capabilities;
  const { payouts: all } = published;
  expect(keys.every((key) => published.keys.includes(key))).toBe(true);
  for (const name of ['charges', 'refunds', 'claims', 'recurrences'] as const)
    expect(!can[name] || published[name]).toBe(true);
  for (const name of ['byKey', 'staticCode', 'dynamicCode', 'dynamicCodeInParts', 'ted', 'cancel'] as const)
    expect(!now[name] || all[name]).toBe(true);
  expect(now.accountTypes.every((type) => all.accountTypes.includes(type))).toBe(true);
  expect(now.tedAccountTypes.every((type) => all.tedAccountTypes.includes(type))).toBe(true);
  expect(can.keyLookup).toBe(published.keyLookup);
});
