import { describe, expect, test } from 'vitest';
import { submitOnce } from '#shared/bank/bank.ts';
import { capabilities } from '#shared/bank/dialects/qitech/capabilities.ts';
import { qitechRefunds } from '#shared/bank/dialects/qitech/refunds.ts';
import type { RefundOrder } from '#shared/bank/ports/refunds.ts';
import { checkedRefunds } from '#shared/bank/ports/refunds.ts';
import { centavos } from '#shared/core/money.ts';
import { context, first } from './bank-orders.ts';
import type { Reply } from './qitech-bank.ts';
import { accountKey, problem, reply, useQitechBank } from './qitech-bank.ts';
import {
  answered,
  at,
  endToEndId,
  half,
  key,
  listed,
  order,
  other,
  otherPayment,
  otherReturn,
  pixKey,
  received,
  returnId,
  shown,
} from './qitech-refund-bodies.ts';

const used = useQitechBank();
/** Another account of the connection, where a test has two. */
const secondKey = '7c5a1425-73eb-420e-b4fb-0ce3386c7d0c';
const second = { 'a0000000-0000-4000-8000-00000000000a': { accountKey: secondKey } };
const refunds = (others: Readonly<Record<string, { readonly accountKey: string }>> = {}) => {
  const { connection } = used.connected;
  const accounts = { ...connection.accounts, ...others };
  return checkedRefunds(qitechRefunds({ ...used.connected, connection: { ...connection, accounts } }));
};

const isCommand = (method: string): boolean => method === 'POST';
/** Answers the request of a refund, and the list of received Pix. */
const answering = (command: Reply, list: Reply = listed(received())): void => {
  used.answers(({ method }) => (isCommand(method) ? command : list));
};
/** Answers the list of each account with what it received. */
const listing = (lists: Readonly<Record<string, readonly object[]>>, command: Reply = reply(201, answered())): void => {
  used.answers(({ method, path }) =>
    isCommand(method) ? command : listed(...(lists[path.split('/')[2] ?? ''] ?? [])),
  );
};
const submit = (more: Partial<RefundOrder> = {}) => refunds().submit({ ...order, ...more }, context);
const find = () => refunds().find(order, context);
const commands = () => used.asked.filter(({ method }) => isCommand(method));
const lost = reply(500, {});
const settled = { outcome: 'DONE', state: { status: 'SETTLED', returnId, at } };
const failed = { outcome: 'DONE', state: { status: 'FAILED', reason: 'The bank rejected the refund.' } };

describe('the request of a refund', () => {
  const list = (account: string) =>
    `/account/${account}/pix_transfers?pix_transfer_direction=incoming&end_to_end_id=${endToEndId}`;
  const path = (account: string) => `/account/${account}/pix_transfer/${pixKey}/reversal`;

  test('goes to the Pix of its end-to-end id, with our key and the exact amount', async () => {
    answering(reply(201, answered()));
    await submit();
    const text =
      `{"request_control_key":"${key}","reversal_amount":47.90,"reversal_reason":"client_request",` +
      `"reversal_message":"Troca"}`;
    expect(used.asked).toEqual([
      { method: 'GET', path: list(accountKey), text: '' },
      { method: 'POST', path: path(accountKey), text },
    ]);
  });

  test.each([
    [1, '0.01'],
    [10, '0.10'],
    [14_700, '147.00'],
    [999_999_999_999, '9999999999.99'],
  ])('has %i centavos as the number %s', async (amount, text) => {
    answering(lost);
    await submit({ amount: centavos(amount) });
    expect(commands()[0]?.text).toContain(`"reversal_amount":${text},`);
  });

  test('has no message without a description, and at most 140 characters of another', async () => {
    answering(lost);
    const { description: _none, ...bare } = order;
    await refunds().submit(bare, context);
    await submit({ description: '' });
    await submit({ description: 'x'.repeat(141) });
    const messages = commands().map(({ text }) => (JSON.parse(text) as { reversal_message?: string }).reversal_message);
    expect(messages).toEqual([undefined, undefined, 'x'.repeat(140)]);
  });

  test('goes to the account that received the Pix, where the connection has two', async () => {
    listing({ [secondKey]: [received([], { account_key: secondKey })] });
    expect(await refunds(second).submit(order, context)).toEqual(settled);
    expect(used.asked.map((one) => one.path)).toEqual([list(accountKey), list(secondKey), path(secondKey)]);
  });
});

describe('a refund that is answered', () => {
  test.each<[string, object, object]>([
    ['as sent', {}, settled.state],
    ['as sent, in reais of the table', { transaction_amount: null, transfer_amount: 47.9 }, settled.state],
    ['as sent, its key in capitals', { request_control_key: key.toUpperCase() }, settled.state],
    ['as sent with the number of its Pix', { end_to_end_id: endToEndId }, { status: 'PENDING' }],
    ['as sent without a number', { end_to_end_id: null }, { status: 'PENDING' }],
    ['as pending', { reversal_status: 'pending' }, { status: 'PENDING', returnId }],
    ['as pending, with its Pix', { reversal_status: 'pending', end_to_end_id: endToEndId }, { status: 'PENDING' }],
    [
      'as waiting for a second factor, without an amount',
      { reversal_status: 'pending_2fa_approval', transaction_amount: undefined, end_to_end_id: endToEndId },
      { status: 'PENDING' },
    ],
    ['as rejected', { reversal_status: 'rejected' }, failed.state],
    ['as rejected, with its Pix', { reversal_status: 'rejected', end_to_end_id: endToEndId }, failed.state],
  ])('%s is in the state that the pages give it', async (_how, more, state) => {
    answering(reply(201, answered(more)));
    expect(await submit()).toEqual({ outcome: 'DONE', state });
    expect([used.unknown, used.misled]).toEqual([[], []]);
  });

  test.each<[string, Reply]>([
    ['no status', reply(201, answered({ reversal_status: undefined }))],
    ['no key', reply(201, answered({ request_control_key: undefined }))],
    ['no time', reply(201, answered({ created_at: undefined }))],
    ['an amount as a text', reply(201, answered({ transaction_amount: '47.90' }))],
    ['a third decimal', reply(201, answered({ transaction_amount: 47.901 }))],
    ['a member twice', { status: 201, text: `{"transaction_amount":47.9,${JSON.stringify(answered()).slice(1)}` }],
    ['half of its JSON', half(answered())],
    ['HTML', { status: 201, text: '<html>' }],
    ['nothing', { status: 202, text: '' }],
    ['an error of a proxy', { status: 502, text: 'Bad Gateway' }],
    ['an error of the server', problem(500, 'QIT000500')],
    ['an error without a code', reply(422, { title: 'x' })],
    ['a conflict', problem(409, 'PXT000001')],
    ['a text about a used key', problem(422, 'QIT000400', 'request_control_key has already been used')],
    ['a text about a used key in Portuguese', problem(422, 'QIT000400', 'Chave já utilizada')],
    ['no answer', 'DROP'],
  ])('by %s is UNKNOWN, and is sent once', async (_what, answer) => {
    answering(answer);
    expect(await submit()).toMatchObject({ outcome: 'UNKNOWN' });
    expect(commands()).toHaveLength(1);
  });

  test.each([
    ['another key', 'request_control_key', { request_control_key: other }],
    ['another amount', 'transfer_amount', { transaction_amount: 4790 }],
    ['another amount in the member of the table', 'transfer_amount', { transfer_amount: 47.91 }],
    ['the number of another Pix', 'end_to_end_id', { end_to_end_id: otherPayment }],
  ])('about %s is UNKNOWN, and reported', async (_what, field, more) => {
    for (const status of ['sent', 'pending', 'rejected']) {
      used.misled.length = 0;
      answering(reply(201, answered({ ...more, reversal_status: status })));
      expect(await submit(), status).toEqual({ outcome: 'UNKNOWN' });
      expect(used.misled).toEqual([field]);
    }
  });

  test('by a status that the pages do not have is UNKNOWN, and the status is told', async () => {
    for (const number of [returnId, endToEndId]) {
      answering(reply(201, answered({ reversal_status: 'returned', end_to_end_id: number })));
      expect(await submit()).toEqual({ outcome: 'UNKNOWN' });
    }
    expect(used.unknown).toEqual(['reversal_status returned', 'reversal_status returned']);
  });

  test.each<[string, Reply, object]>([
    [
      'REFUSED by an error with a code',
      problem(400, 'PXT000017', 'Reversal transfers sum amount surpasses that of original pix transfer.'),
      { outcome: 'REFUSED', code: 'PXT000017' },
    ],
    ['NOT_NOW by the limits', problem(429, 'QIT000429'), { outcome: 'NOT_NOW' }],
    ['NOT_NOW by a missing right', problem(403, 'QIT000403'), { outcome: 'NOT_NOW' }],
    ['NOT_NOW by the gateway', problem(404, 'GDF000018'), { outcome: 'NOT_NOW' }],
  ])('is %s', async (_what, answer, outcome) => {
    answering(answer);
    expect(await submit()).toMatchObject(outcome);
  });
});

describe('a refund that is looked up', () => {
  const showing = (...reversals: readonly object[]) => {
    answering(lost, listed(received(reversals)));
  };

  test.each<[string, object, object]>([
    ['sent', {}, settled],
    ['sent, its key in capitals', { request_control_key: key.toUpperCase() }, settled],
    ['pending', { pix_transfer_status: 'pending' }, { outcome: 'DONE', state: { status: 'PENDING', returnId } }],
    [
      'waiting for a second factor',
      { pix_transfer_status: 'pending_2fa_approval', created_at: null },
      { outcome: 'DONE', state: { status: 'PENDING', returnId } },
    ],
    ['rejected', { pix_transfer_status: 'rejected', created_at: null }, failed],
  ])('is %s as its Pix shows it', async (_how, more, outcome) => {
    showing(shown(more));
    expect(await find()).toEqual(outcome);
    expect(commands()).toEqual([]);
    expect([used.unknown, used.misled]).toEqual([[], []]);
  });

  test('is found by our key alone among several parts, also one of the same amount', async () => {
    const parts = [
      shown({ request_control_key: other, end_to_end_id: otherReturn }),
      shown({ request_control_key: null, end_to_end_id: otherReturn, transfer_amount: 0.01 }),
      shown({ request_control_key: undefined, end_to_end_id: otherReturn, pix_transfer_status: 'lost' }),
    ];
    showing(...parts);
    expect(await find()).toEqual({ outcome: 'NEVER_SEEN' });
    showing(...parts, shown({ pix_transfer_status: 'pending' }), ...parts);
    expect(await find()).toEqual({ outcome: 'DONE', state: { status: 'PENDING', returnId } });
  });

  test.each([
    ['NEVER_SEEN', 'no part', []],
    ['UNKNOWN', 'null', null],
    ['UNKNOWN', 'no list', undefined],
  ])('is %s where its Pix shows %s', async (outcome, _what, reversals) => {
    answering(lost, listed({ ...received(), reversals }));
    expect(await find()).toEqual({ outcome });
  });

  test.each<[string, readonly object[]]>([
    ['twice', [shown(), shown({ end_to_end_id: otherReturn })]],
    ['as sent without a time', [shown({ created_at: null })]],
    ['without a number', [shown({ end_to_end_id: null })]],
    ['with the number of its Pix', [shown({ end_to_end_id: endToEndId })]],
    ['without an amount', [shown({ transfer_amount: null })]],
    ['without a status', [shown({ pix_transfer_status: null })]],
  ])('is UNKNOWN where it is shown %s', async (_how, reversals) => {
    showing(...reversals);
    expect(await find()).toEqual({ outcome: 'UNKNOWN' });
  });

  test('is UNKNOWN with another amount under our key, and reported', async () => {
    for (const amount of [47.91, 4790, 0.01]) {
      used.misled.length = 0;
      showing(shown({ transfer_amount: amount }));
      expect(await find()).toEqual({ outcome: 'UNKNOWN' });
      expect(used.misled).toEqual(['transfer_amount']);
    }
  });

  test('is UNKNOWN with a status that the pages do not have, and the status is told', async () => {
    showing(shown({ pix_transfer_status: 'returned' }));
    expect(await find()).toEqual({ outcome: 'UNKNOWN' });
    expect(used.unknown).toEqual(['reversal_status returned']);
  });

  test('is found at any account of the connection, whose key may be in capitals', async () => {
    listing({ [secondKey]: [received([shown()], { account_key: secondKey.toUpperCase() })] });
    expect(await refunds(second).find(order, context)).toEqual(settled);
    expect(used.asked).toHaveLength(2);
  });
});

describe('a Pix that the bank does not show', () => {
  const cases: readonly [string, Reply, string?][] = [
    ['an empty list', listed()],
    ['two entries', listed(received([shown()]), received([shown()]))],
    [
      'an entry and another one',
      listed(received([shown()]), received([shown()], { end_to_end_id: otherPayment })),
      'end_to_end_id',
    ],
    ['an entry of another Pix', listed(received([shown()], { end_to_end_id: otherPayment })), 'end_to_end_id'],
    ['an entry of another account', listed(received([shown()], { account_key: other })), 'account_key'],
    ['an entry without its key', listed(received([shown()], { pix_transfer_key: null }))],
    ['an entry without an amount', listed(received([shown()], { transfer_amount: null }))],
    ['an entry with half a refund', listed(received([shown(), { request_control_key: other }]))],
    ['no list', reply(201, {})],
    ['HTML', { status: 200, text: '<html>' }],
    ['half of its JSON', half({ data: [received([shown()])] })],
    ['an error of the server', problem(500, 'QIT000500')],
    ['no answer', 'DROP'],
    ['an account that the bank does not know', problem(404, 'QIT000404', 'Account not found')],
    ['a missing Pix key', problem(404, 'QIT000404', 'Pix key not found')],
    ['its limits', problem(429, 'QIT000429')],
    ['a refusal of our key', problem(404, 'GDF000018')],
  ];

  test.each(cases)('but %s is not refunded: NOT_NOW, and nothing is sent', async (_what, list, field) => {
    answering(reply(201, answered()), list);
    expect(await submit()).toMatchObject({ outcome: 'NOT_NOW' });
    expect(commands()).toEqual([]);
    expect(used.misled).toEqual(field === undefined ? [] : [field]);
  });

  test.each(cases)('but %s has no refund that is believed, nor one that was never seen', async (_what, list) => {
    answering(reply(201, answered()), list);
    expect(await find()).toEqual({ outcome: 'UNKNOWN' });
    expect(await submitOnce(refunds(), order, context, again(true))).toEqual({ outcome: 'UNKNOWN' });
    expect(commands()).toEqual([]);
  });

  test.each<[string, Parameters<typeof listing>[0], string[]]>([
    ['shows at both', { [accountKey]: [received()], [secondKey]: [received([], { account_key: secondKey })] }, []],
    [
      'shows at both without a name',
      { [accountKey]: [received([], { account_key: null })], [secondKey]: [received([], { account_key: null })] },
      [],
    ],
    ['shows in the list of the other', { [accountKey]: [received([], { account_key: secondKey })] }, ['account_key']],
    [
      'shows at one and names the other for it in the next list',
      { [accountKey]: [received()], [secondKey]: [received()] },
      ['account_key'],
    ],
  ])('alone, of two accounts, but %s is not refunded', async (_how, lists, misled) => {
    listing(lists);
    expect(await refunds(second).submit(order, context)).toMatchObject({ outcome: 'NOT_NOW' });
    expect(await refunds(second).find(order, context)).toEqual({ outcome: 'UNKNOWN' });
    expect(commands()).toEqual([]);
    expect([...new Set(used.misled)]).toEqual(misled);
  });

  test('for one of two accounts is not refunded, whatever the other shows', async () => {
    used.answers(({ path }) => (path.includes(secondKey) ? lost : listed(received())));
    expect(await refunds(second).submit(order, context)).toMatchObject({ outcome: 'NOT_NOW' });
    expect(commands()).toEqual([]);
  });
});

/** How a refund is repeated at this bank. */
const again = (isAllowed: boolean, allowed: () => void = () => undefined) => {
  const mayRepeat = () => (allowed(), Promise.resolve(isAllowed));
  return { ...first, again: { repetition: capabilities.repetition.refund, mayRepeat } };
};

describe('a refund whose answer is lost', () => {
  const losses: readonly [string, Reply][] = [
    ['a broken connection', 'DROP'],
    ['an error of the server', lost],
    ['HTML', { status: 201, text: '<html>' }],
    ['half of its JSON', half(answered())],
    ['an answer about another refund', reply(201, answered({ request_control_key: other }))],
    ['an answer of an unknown status', reply(201, answered({ reversal_status: 'returned' }))],
    ['a refusal of a used key', problem(422, 'QIT000400', 'request_control_key já foi utilizada')],
  ];

  test.each(losses)('by %s is found at once, and not repeated', async (_what, answer) => {
    let isSent = false;
    used.answers(({ method }) => {
      if (!isCommand(method)) return listed(received(isSent ? [shown()] : []));
      isSent = true;
      return answer;
    });
    expect(await submitOnce(refunds(), order, context, first)).toEqual(settled);
    expect(await submitOnce(refunds(), order, context, again(true))).toEqual(settled);
    expect(used.asked.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET', 'GET']);
  });

  test.each(losses)('by %s and that is not shown is repeated only when a person allows it', async (_what, answer) => {
    let questions = 0;
    answering(answer);
    expect(await submitOnce(refunds(), order, context, first)).toEqual({ outcome: 'UNKNOWN' });
    for (let tries = 0; tries < 3; tries += 1)
      expect(
        await submitOnce(
          refunds(),
          order,
          context,
          again(false, () => (questions += 1)),
        ),
      ).toEqual({
        outcome: 'UNKNOWN',
      });
    expect([commands().length, questions]).toEqual([1, 3]);
    await submitOnce(refunds(), order, context, again(true));
    expect(commands()).toHaveLength(2);
    expect(commands()[1]).toEqual(commands()[0]);
  });
});

test('a refund that is refused is looked up, and is as the bank shows it', async () => {
  const refusal = problem(400, 'PXT000017', 'Reversal Too Great');
  let isShown = true;
  used.answers(({ method }) =>
    isCommand(method) ? refusal : listed(received(isShown && commands().length > 0 ? [shown()] : [])),
  );
  expect(await submitOnce(refunds(), order, context, first)).toEqual(settled);
  isShown = false;
  expect(await submitOnce(refunds(), order, context, first)).toMatchObject({ outcome: 'REFUSED', code: 'PXT000017' });
});

test('a refund that is sent with the number of its Pix stays PENDING until a look-up has its own', async () => {
  answering(reply(201, answered({ end_to_end_id: endToEndId })), listed(received([])));
  expect(await submitOnce(refunds(), order, context, first)).toEqual({ outcome: 'DONE', state: { status: 'PENDING' } });
  expect(await find()).toEqual({ outcome: 'NEVER_SEEN' });
  answering(lost, listed(received([shown()])));
  expect(await find()).toEqual(settled);
});

test('a refund is never repeated without a person at this bank, which makes refunds', () => {
  expect(capabilities).toMatchObject({ refunds: true, repetition: { refund: 'CARRIED_OUT_AGAIN' }, isPolled: true });
});
