import { describe, expect, test } from 'vitest';
import type { Exchange } from '#shared/bank/calls/response.ts';
import { isMissing, judge, metBy } from '#shared/bank/dialects/efi/response.ts';
import { accessErrorOf } from '#shared/bank/calls/response.ts';

const refusal = (body: object, status = 400) => judge({ status, body });

describe('a refusal of the bank', () => {
  test.each([
    ['the last segment of its type', { type: 'https://pix.bcb.gov.br/api/v2/error/PixInvalido' }, 'PixInvalido'],
    ['the fragment of its type', { type: 'https://bank.example/errors#PixInvalido' }, 'PixInvalido'],
    ['its type before its nome', { type: 'x/PixInvalido', nome: 'valor_invalido' }, 'PixInvalido'],
    ['its nome where the type ends with a slash', { type: 'https://x/', nome: 'valor_invalido' }, 'valor_invalido'],
    ['the first 35 characters of a longer text', { nome: 'x'.repeat(36) }, 'x'.repeat(35)],
  ])('takes its code from %s', (_what, body, code) => {
    expect(refusal(body)).toMatchObject({ is: 'REFUSED', code });
  });

  const all = { detail: 'a detail', mensagem: 'a message', title: 'a title' };
  test.each([
    ['the first violation that has a text', { violacoes: [{}, { razao: '' }, { razao: 'one' }], ...all }, 'one'],
    ['its detail when no violation has a text', { violacoes: [], ...all }, 'a detail'],
    ['its mensagem when it has no detail', { mensagem: 'a message', title: 'a title' }, 'a message'],
    ['its title when it has neither detail nor mensagem', { title: 'a title' }, 'a title'],
    ['its code when it has no text', {}, 'PixInvalido'],
    ['its code when its text is empty', { detail: ' \n ' }, 'PixInvalido'],
    ['a text of several lines, as one line', { detail: ' Saldo\n\t insuficiente. ' }, 'Saldo insuficiente.'],
    ['the first 140 characters of a longer text', { detail: 'x'.repeat(141) }, 'x'.repeat(140)],
  ])('takes its reason from %s', (_what, body, reason) => {
    expect(refusal({ type: 'x/PixInvalido', ...body })).toEqual({ is: 'REFUSED', code: 'PixInvalido', reason });
  });

  test('is UNKNOWN when the cycle already has a charge, which may come from an earlier attempt', () => {
    const detail = 'Já há uma cobrança para o mesmo ciclo.';
    expect(refusal({ type: 'x/CobROperacaoInvalida', detail })).toEqual({ is: 'UNKNOWN' });
  });

  test('with the text of a repetition is REFUSED for a QUESTION, but UNKNOWN for a COMMAND', () => {
    const body = { type: 'x/PixInvalido', detail: 'O id já foi utilizado.' };
    expect(judge({ status: 400, body }, 'QUESTION')).toMatchObject({ is: 'REFUSED' });
    expect(judge({ status: 400, body }, 'COMMAND')).toEqual({ is: 'UNKNOWN' });
  });
});

test('an answer that is not understood keeps the wait that the bank asks for', () => {
  expect(judge({ status: 503, body: undefined, retryAfterSeconds: 7 })).toEqual({
    is: 'UNKNOWN',
    retryAfterSeconds: 7,
  });
});

test.each([
  ['https://pix.bcb.gov.br/api/v2/error/NaoEncontrado', true],
  ['https://pix.bcb.gov.br/api/v2/error/CobNaoEncontrado', true],
  ['https://pix.bcb.gov.br/api/v2/error/RecNaoEncontrada', true],
  ['x/pix_nao_encontrado', true],
  ['x/CobNãoEncontrada', true],
  ['x/RotaInvalida', false],
])('a 404 of the type %s means that the bank has no such thing: %s', (type, expected) => {
  expect(isMissing({ status: 404, body: { type } })).toBe(expected);
  expect(isMissing({ status: 404, body: { nome: type.split('/').at(-1) } })).toBe(expected);
  expect(isMissing({ status: 400, body: { type } })).toBe(false);
});

test('a 404 without a body of the bank, and no answer, do not mean that the bank has no such thing', () => {
  const none: readonly Exchange[] = [
    { status: 404, body: undefined },
    { status: 404, body: '<html>' },
    { status: 'NO_ANSWER' },
    { status: 'NOT_CONNECTED', cause: 'naoEncontrado' },
  ];
  expect(none.map(isMissing)).toEqual([false, false, false, false]);
});

test.each<[string, string | undefined, Exchange]>([
  ['401', 'status 401', { status: 401, body: {} }],
  ['403', 'status 403', { status: 403, body: {} }],
  ['404', undefined, { status: 404, body: {} }],
  ['429', undefined, { status: 429, body: {} }],
  ['no response', undefined, { status: 'NO_ANSWER' }],
  ['a refused connection', undefined, { status: 'NOT_CONNECTED', cause: 'ECONNREFUSED' }],
  ['an expired certificate', 'CERT', { status: 'NOT_CONNECTED', cause: 'CERT', isAccess: true }],
])('a bank call that ends with %s has the access error %s', (_what, expected, exchange) => {
  expect(accessErrorOf(exchange)).toBe(expected);
});

test.each([
  [{ type: 'x/AcessoNegado' }, 'AcessoNegado'],
  [{ nome: 'sem_permissao' }, 'sem_permissao'],
  [{ nome: 'Maria Souza' }, undefined],
  [{ nome: 'x'.repeat(36) }, undefined],
  [undefined, undefined],
])('the error body %j has the code %s for the log', (body, expected) => {
  expect(metBy({ status: 403, body })).toEqual({
    is: 'REFUSED',
    status: 403,
    ...(expected !== undefined && { code: expected }),
  });
});
