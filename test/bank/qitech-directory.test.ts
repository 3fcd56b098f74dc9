import { expect, test } from 'vitest';
import { qitechDirectory } from '#shared/bank/dialects/qitech/directory.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { checkedDirectory } from '#shared/bank/ports/directory.ts';
import type { PixKey } from '#shared/core/pix-key.ts';
import { context, payer } from './bank-orders.ts';
import type { Reply } from './qitech-bank.ts';
import { accountKey, problem, reply, useQitechBank } from './qitech-bank.ts';
import { accountId } from './scripted-bank.ts';

const used = useQitechBank();
const none = () => Promise.resolve(undefined);
const directory = () =>
  checkedDirectory(qitechDirectory(used.connected, { account: none, accountAt: none, charge: none }));
const resolve = (key: PixKey = { type: 'EMAIL', key: 'teste@gmail.com' }) =>
  directory().resolveKey({ key, accountId, receiver: payer.document }, context);

/** The example of the documents. */
const owner = {
  ...{
    bank_code: '237',
    end_to_end_id: 'E3240250220230404185631R0kjZnC6G',
    financial_institution: 'BCO BRADESCO S.A.',
  },
  ...{ is_pix_key_owner: false, ispb: '60746948', owner_masked_document_number: '***.141.857-**' },
  ...{ owner_name: 'Teste teste', owner_person_type: 'legal', owner_trading_name: 'Teste LTDA.' },
  pix_key: 'teste@gmail.com',
};

test('the look-up of a key sends the account that pays and the document of the receiver', async () => {
  used.answers(() => reply(200, owner));
  await resolve();
  await resolve({ type: 'PHONE', key: '+5511987654321' }).catch(() => undefined);
  expect(used.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
    `GET /pix_key/teste%40gmail.com?account_key=${accountKey}&document_number=52998224725`,
    `GET /pix_key/%2B5511987654321?account_key=${accountKey}&document_number=52998224725`,
  ]);
});

test('the owner of a key has a name, whether it is the receiver, and the end-to-end id of one payment', async () => {
  for (const isReceiver of [true, false]) {
    used.answers(() => reply(200, { ...owner, is_pix_key_owner: isReceiver }));
    expect(await resolve()).toEqual({ name: 'Teste teste', isReceiver, endToEndId: owner.end_to_end_id });
  }
});

test('a key that the DICT does not have has no owner', async () => {
  used.answers(() => problem(404, 'PIX000001', 'Pix key not found'));
  expect(await resolve()).toBeUndefined();
});

test.each<[string, Reply]>([
  ['about another key', reply(200, { ...owner, pix_key: 'other@gmail.com' })],
  ['without a comparison', reply(200, { ...owner, is_pix_key_owner: null })],
  ['without an end-to-end id', reply(200, { ...owner, end_to_end_id: null })],
  ['with a malformed end-to-end id', reply(200, { ...owner, end_to_end_id: 'E1' })],
  ['without a name', reply(200, { ...owner, owner_name: ' ' })],
  ['without JSON', { status: 200, text: 'Bad Gateway' }],
  ['about an account that it does not know', problem(404, 'TED000009', 'Account not found for the given key')],
  ['that it took too long', problem(422, 'PIX000069', 'Pix key inquiry timeout. Please try again.')],
  ['that too many keys were looked up', problem(429, 'PIX000070', 'Rate limit reached')],
  ['of an error of its own', problem(500, 'PIX000000')],
  ['that never comes', 'DROP'],
])('an answer %s tells no owner: the bank is unavailable', async (_what, answer) => {
  used.answers(() => answer);
  await expect(resolve()).rejects.toThrow(BankUnavailable);
});

test('too many look-ups pause look-ups, and no payment', async () => {
  used.answers(() => problem(429, 'PIX000070'));
  await expect(resolve()).rejects.toThrow(BankUnavailable);
  used.answers(() => reply(200, owner));
  await expect(resolve(), 'paused').rejects.toThrow('The connection is paused');
  expect(await used.connected.client.question({ method: 'GET', path: `/account/${accountKey}` })).toMatchObject({
    is: 'OK',
  });
});

test('no code is looked up', async () => {
  await expect(directory().resolveCharge({ url: 'x/y', qrcodeData: '000201' }, context)).rejects.toThrow(
    BankUnavailable,
  );
});
