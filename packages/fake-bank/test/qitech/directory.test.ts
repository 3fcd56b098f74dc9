import { expect, test } from 'vitest';
import { maskedOwner, maskedParty, personType } from '#fake-bank/qitech/masks.ts';
import { openTestBank } from './open-bank.ts';

test("documents are hidden as in the bank's examples", () => {
  expect(maskedOwner('52914185700')).toBe('***.141.857-**');
  expect(maskedOwner('12458111000135')).toBe('**.458.****/0001-**');
  expect(maskedParty('32402502000135')).toBe('***02502000***');
  expect(maskedParty('00091111000')).toBe('***91111***');
  expect([personType('52914185700'), personType('32402502000135')]).toEqual(['natural', 'legal']);
});

test("a key's owner is shown as in the bank's example, and compared with a document that is asked", async () => {
  const { api, control, account } = openTestBank();
  const owner = { owner_name: 'Teste teste', owner_document_number: '52914185700' };
  await control('key', { pix_key: 'teste@gmail.com', ...owner });
  const ask = async (query = ''): Promise<unknown> =>
    (await api('GET', `/pix_key/teste@gmail.com?account_key=${account}${query}`)).body;
  expect(await ask('&document_number=32402502000135')).toEqual({
    bank_code: '237',
    end_to_end_id: expect.stringMatching(/^E32402502202603021500\w{11}$/u),
    financial_institution: 'BCO BRADESCO S.A.',
    is_pix_key_owner: false,
    ispb: '60746948',
    owner_masked_document_number: '***.141.857-**',
    owner_name: 'Teste teste',
    owner_person_type: 'natural',
    owner_trading_name: null,
    pix_key: 'teste@gmail.com',
  });
  expect(await ask('&document_number=52914185700')).toMatchObject({ is_pix_key_owner: true });
  expect(await ask()).toMatchObject({ is_pix_key_owner: null });
  expect(await ask()).not.toEqual(await ask());
  await control('settings', { directoryShowsAccount: true });
  expect(await ask()).toMatchObject({ account_branch: '452', account_digit: '1', account_number: '370158' });
});

test('every kind of key is found; a CPF or CNPJ is its own owner, and an address may name one', async () => {
  const { api } = openTestBank();
  const owner = async (key: string, document: string): Promise<unknown> =>
    (await api('GET', `/pix_key/${encodeURIComponent(key)}?document_number=${document}`)).body.is_pix_key_owner;
  expect(await owner('52998224725', '52998224725')).toBe(true);
  expect(await owner('11222333000181', '11222333000181')).toBe(true);
  expect(await owner('pedro-1f.11144477735@example.com', '11144477735')).toBe(true);
  expect(await owner('acme.12abc34501de35@example.com', '12ABC34501DE35')).toBe(true);
  // No valid CPF: the owner of any other key.
  expect(await owner('maria.11144477736@example.com', '52998224725')).toBe(true);
  expect(await owner('+5511987654321', '52998224725')).toBe(true);
  expect(await owner('0f723f66-b333-4187-be16-97fc37c86052', '11222333000181')).toBe(false);
  expect((await api('GET', '/pix_key/nothing')).status).toBe(400);
});

test.each([
  ['NOT_FOUND', { status: 404, body: { code: 'QIT000404' } }],
  ['UNPROCESSABLE', { status: 422, body: { code: 'PIX000077' } }],
  ['ABSENT', { status: 200, body: { exists: false, pix_key: 'unknown@exemplo.com.br' } }],
] as const)('an unknown key is %s by the setting', async (unknownKey, answer) => {
  const { api, control } = openTestBank();
  await control('key', { pix_key: 'unknown@exemplo.com.br', state: 'UNKNOWN' });
  await control('settings', { unknownKey });
  expect(await api('GET', '/pix_key/unknown@exemplo.com.br')).toMatchObject(answer);
});
