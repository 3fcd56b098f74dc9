import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { CobBody, CobrBody, DevolucaoBody, PixBody, RecBody, SentBody } from '#shared/bank/dialects/efi/shapes.ts';
import {
  chargeState,
  paymentState,
  receivedPix,
  recurrenceState,
  recurringChargeState,
  refundState,
  sentPix,
} from '#shared/bank/dialects/efi/states.ts';
import { cob, cobr, idRec, pix, rec, sent } from './answered-things.ts';
import { at, e2e, payer, reference, rtr } from './bank-orders.ts';

const now = '2026-01-15T18:00:00.000Z';
const teller = { notKnown: () => undefined };
const notKnown = 'The bank response has an unknown status.';
type In<Shape extends z.ZodType> = Record<string, unknown> & Partial<z.input<Shape>>;

describe('a cob', () => {
  const stateOf = (more: In<typeof CobBody>) => chargeState(CobBody.parse({ ...cob, ...more }), teller);

  test.each([
    ['ATIVA', 'ACTIVE'],
    ['CONCLUIDA', 'PAID'],
    ['REMOVIDA_PELO_USUARIO_RECEBEDOR', 'REMOVED'],
    ['REMOVIDA_PELO_PSP', 'DROPPED'],
  ])('whose status is %s is %s', (status, expected) => {
    expect(stateOf({ status }).status).toBe(expected);
  });

  test('has its location without a scheme, from its loc, else from its own field', () => {
    const [own, other] = ['pix.efi.example/v2/1', 'pix.efi.example/v2/2'];
    expect(stateOf({ loc: { location: `https://${own}` }, location: other }).location).toBe(own);
    expect(stateOf({ loc: undefined, location: `http://${other}` }).location).toBe(other);
    expect(stateOf({ loc: undefined, location: undefined }).location).toBe('');
  });

  test('has its code where the bank built one', () => {
    expect(stateOf({ pixCopiaECola: '000201' })).toMatchObject({ qrcode: '000201' });
    expect(stateOf({})).not.toHaveProperty('qrcode');
  });
});

describe('a received Pix', () => {
  const stateOf = (more: In<typeof PixBody>) => receivedPix(PixBody.parse({ ...pix, ...more }), teller);
  const paidBy = (pagador: object) => stateOf({ gnExtras: { pagador } });
  const { name, document } = payer;

  test('has its number, amount, time, txid and key', () => {
    expect(stateOf({ gnExtras: { tarifa: '0.15' } })).toEqual({
      ...{ endToEndId: e2e, amount: 2500, at, txid: reference, chave: 'caixa@empresa.example', returns: [] },
      fee: 15,
    });
    const bare = stateOf({ txid: undefined, chave: undefined });
    expect(bare).toEqual({ endToEndId: e2e, amount: 2500, at, returns: [] });
  });

  test('has the payer that the bank names, by CPF or by CNPJ', () => {
    expect(paidBy({ nome: name, cpf: document.number }).payer).toEqual({ name, document });
    const company = { type: 'CNPJ', number: '11222333000181' };
    expect(paidBy({ nome: 'Padaria', cnpj: company.number }).payer).toEqual({ name: 'Padaria', document: company });
    expect(paidBy({ nome: 'x'.repeat(141), cpf: document.number }).payer?.name).toBe('x'.repeat(140));
  });

  test.each([
    ['masks the document', { nome: name, cpf: '***.982.247-**' }],
    ['names no document', { nome: name }],
    ['names only a document', { cpf: document.number }],
    ['leaves the name empty', { nome: '', cpf: document.number }],
  ])('has no payer when the bank %s', (_what, pagador) => {
    expect(paidBy(pagador)).not.toHaveProperty('payer');
  });

  test.each([
    ['is settled, with the time of its settlement', { solicitacao: at, liquidacao: now }, [{ at: now }]],
    ['has only the time of its request, with that time', { solicitacao: at }, [{ at }]],
    ['has no times', undefined, []],
    ['has empty times', {}, []],
  ])('is returned when a devolução %s', (_what, horario, returns) => {
    const devolucao = { id: 'a', rtrId: rtr, valor: '1.00', status: 'DEVOLVIDO' };
    const expected = returns.map((one) => ({ id: 'a', returnId: rtr, amount: 100, ...one }));
    expect(stateOf({ devolucoes: [{ ...devolucao, horario }] }).returns).toEqual(expected);
  });

  test('did not go back by a devolução that has no return id', () => {
    const devolucoes = [{ id: 'a', valor: '1.00', status: 'DEVOLVIDO', horario: { liquidacao: at } }];
    expect(stateOf({ devolucoes }).returns).toEqual([]);
  });
});

describe('a devolução of ours', () => {
  const stateOf = (more: In<typeof DevolucaoBody>) =>
    refundState(DevolucaoBody.parse({ id: reference, valor: '1.00', rtrId: rtr, ...more }), now, teller);

  test.each([
    ['pending', { status: 'EM_PROCESSAMENTO' }, { status: 'PENDING', returnId: rtr }],
    ['pending without a return id', { status: 'EM_PROCESSAMENTO', rtrId: undefined }, { status: 'PENDING' }],
    [
      'settled',
      { status: 'DEVOLVIDO', horario: { solicitacao: '2026-01-15T11:00:00Z', liquidacao: at } },
      { status: 'SETTLED', returnId: rtr, at },
    ],
    [
      'settled now, when the bank gives only the time of the request',
      { status: 'DEVOLVIDO', horario: { solicitacao: at } },
      { status: 'SETTLED', returnId: rtr, at: now },
    ],
    [
      'settled now, when the bank gives no time',
      { status: 'DEVOLVIDO' },
      { status: 'SETTLED', returnId: rtr, at: now },
    ],
    [
      'failed',
      { status: 'NAO_REALIZADO', motivo: ' Conta encerrada ' },
      { status: 'FAILED', reason: 'Conta encerrada' },
    ],
    [
      'failed without a reason of the bank',
      { status: 'NAO_REALIZADO', motivo: ' ' },
      { status: 'FAILED', reason: 'The bank did not carry out the devolução.' },
    ],
    [
      'failed for a long reason',
      { status: 'NAO_REALIZADO', motivo: 'x'.repeat(141) },
      { status: 'FAILED', reason: 'x'.repeat(140) },
    ],
  ])('is %s', (_what, body, expected) => {
    expect(stateOf(body)).toEqual(expected);
  });

  test('is not understood when it ended without a return id, or has another status', () => {
    expect(() => stateOf({ status: 'DEVOLVIDO', rtrId: undefined })).toThrow('has no return id');
    expect(() => stateOf({ status: 'DEVOLVIDA' })).toThrow(notKnown);
  });
});

describe('a sent Pix', () => {
  const stateOf = (more: In<typeof SentBody>) => paymentState(SentBody.parse({ ...sent, ...more }), now, teller);

  test('is PAID at the time of its settlement, or now when the bank gives no such time', () => {
    const paid = { status: 'PAID', endToEndId: e2e, returns: [] };
    expect(stateOf({ horario: { solicitacao: '2026-01-15T11:00:00Z', liquidacao: at } })).toEqual({ ...paid, at });
    expect(stateOf({ horario: { solicitacao: at } })).toEqual({ ...paid, at: now });
    expect(stateOf({ horario: undefined })).toEqual({ ...paid, at: now });
  });

  test('has its number under either name, and none while the bank has none', () => {
    const underWay = { status: 'EM_PROCESSAMENTO', endToEndId: undefined };
    expect(stateOf({ ...underWay, e2eId: e2e })).toEqual({ status: 'ACCEPTED', endToEndId: e2e, returns: [] });
    expect(stateOf(underWay)).toEqual({ status: 'ACCEPTED', returns: [] });
  });

  const failed = 'The bank did not carry out the payment.';
  test.each([
    ['a motivo', { motivo: 'Conta encerrada' }, { reason: 'Conta encerrada' }],
    [
      'an error in gnExtras',
      { gnExtras: { erro: { codigo: 'AC03', motivo: 'Conta' } } },
      { code: 'AC03', reason: 'Conta' },
    ],
    ['a motivo and an error in gnExtras', { motivo: 'a', gnExtras: { erro: { motivo: 'b' } } }, { reason: 'a' }],
    ['neither motivo nor gnExtras', {}, { reason: failed }],
    ['an empty code', { motivo: '', gnExtras: { erro: { codigo: '' } } }, { reason: failed }],
    ['a long code', { gnExtras: { erro: { codigo: 'x'.repeat(36) } } }, { code: 'x'.repeat(35), reason: failed }],
  ])('has the reason and the code of the bank when it failed with %s', (_what, more, expected) => {
    const error = { status: 'ERROR', endToEndId: e2e, returns: [] };
    expect(stateOf({ status: 'NAO_REALIZADO', ...more })).toEqual({ ...error, ...expected });
  });

  test('is not understood when its status is not known', () => {
    expect(() => stateOf({ status: 'DEVOLVIDO' })).toThrow(notKnown);
  });

  test('has, when read from a list, the id of its order, its amount and its fee, where present', () => {
    const listed = (more: In<typeof SentBody>) => sentPix(SentBody.parse({ ...sent, ...more }), now, teller);
    const state = { status: 'PAID', at, endToEndId: e2e, returns: [] };
    const known = { reference, endToEndId: e2e, amount: 1000, state };
    expect(listed({ gnExtras: { tarifa: '0.15' } })).toEqual({ ...known, fee: 15 });
    expect(listed({ endToEndId: undefined, e2eId: e2e })).toEqual(known);
    expect(listed({ idEnvio: undefined })).toEqual({ endToEndId: e2e, amount: 1000, state });
  });
});

describe('a rec', () => {
  const stateOf = (more: In<typeof RecBody>) => recurrenceState(RecBody.parse({ ...rec, ...more }), now, teller);
  const endedBy = (solicitante: string) => stateOf({ encerramento: { cancelamento: { solicitante } } }).endedBy;
  const endReason = (codigo: string) => stateOf({ encerramento: { cancelamento: { codigo } } }).endReason;

  test.each([
    ['CRIADA', 'CREATED'],
    ['APROVADA', 'APPROVED'],
    ['REJEITADA', 'REJECTED'],
    ['CANCELADA', 'CANCELED'],
    ['EXPIRADA', 'EXPIRED'],
  ])('with the status %s is %s since now when the bank gives no time', (status, expected) => {
    expect(stateOf({ status }).history).toEqual([{ status: expected, at: now }]);
  });

  test('has its current status since the last time that the bank gives', () => {
    const atualizacao = [{ status: 'CRIADA', data: at }];
    expect(stateOf({ status: 'APROVADA', atualizacao }).history).toEqual([
      { status: 'CREATED', at },
      { status: 'APPROVED', at },
    ]);
  });

  test('is not understood when its current status is not known, and is without an earlier one that is not', () => {
    expect(() => stateOf({ status: 'NOVA' })).toThrow(notKnown);
    expect(stateOf({ status: 'CRIADA', atualizacao: [{ status: 'NOVA', data: at }] }).history).toEqual([
      { status: 'CREATED', at },
    ]);
  });

  test.each([
    ['USUARIO_PAGADOR', 'PAYER'],
    ['PSP_PAGADOR', 'BANK'],
    ['USUARIO_RECEBEDOR', 'RECEIVER'],
    ['PSP_RECEBEDOR', 'BANK'],
    ['OUTRO', undefined],
  ])('canceled by %s has the endedBy %s', (solicitante, expected) => {
    expect(endedBy(solicitante)).toBe(expected);
  });

  test.each([
    ['ACCL', 'ACCOUNT_CANCELLATION'],
    ['DCSD', 'PAYER_DECEASED'],
    ['SLDB', 'REQUESTED_BY_PAYER'],
    ['SLCR', 'REQUESTED_BY_RECEIVER'],
    ['FRUD', 'FRAUD_SUSPICION'],
    ['XXXX', undefined],
  ])('canceled with the code %s has the reason %s', (codigo, expected) => {
    expect(endReason(codigo)).toBe(expected);
  });

  test('has the payer that approved it, with a name when the bank gives one', () => {
    const { name, document } = payer;
    expect(stateOf({ pagador: { cpf: document.number } }).payer).toEqual({ document });
    expect(stateOf({ pagador: { cpf: document.number, nome: `${name}${'x'.repeat(140)}` } }).payer).toEqual({
      ...{ document, name: `${name}${'x'.repeat(140)}`.slice(0, 140) },
    });
    expect(stateOf({ pagador: { cnpj: '11222333000181' } }).payer?.document.type).toBe('CNPJ');
    expect(stateOf({ pagador: { cpf: '***', nome: name } })).not.toHaveProperty('payer');
    expect(stateOf({})).not.toHaveProperty('payer');
  });

  test('has its id, its location without a scheme, and its code where the bank built one', () => {
    const location = 'pix.efi.example/qr/v2/rec/7';
    const known = { recurrenceId: idRec, location, history: [{ status: 'CANCELED', at: now }] };
    expect(stateOf({ loc: { location: `https://${location}` } })).toEqual(known);
    expect(stateOf({ loc: undefined })).toEqual({ ...known, location: '' });
    expect(stateOf({ dadosQR: { pixCopiaECola: '000201' } })).toEqual({ ...known, qrcode: '000201' });
  });
});

describe('a cobr', () => {
  const attempt = (more: object = {}) => ({
    ...{ tipo: 'AGND', status: 'SOLICITADA', dataLiquidacao: '2026-01-20', endToEndId: e2e },
    ...{ atualizacao: [{ status: 'SOLICITADA', data: at }], ...more },
  });
  const attemptsOf = (more: In<typeof CobrBody>) =>
    recurringChargeState(CobrBody.parse({ ...cobr, ...more }), now, teller).attempts;
  const attemptOf = (one: object, more: In<typeof CobrBody> = { status: 'ATIVA' }) =>
    attemptsOf({ ...more, tentativas: [attempt(one)] })[0];

  test.each([
    ['AGND', 'FIRST_ATTEMPT'],
    ['NTAG', 'NEW_ATTEMPT_AFTER_DUE_DATE'],
    ['RIFL', 'RESEND_DUE_TO_SETTLEMENT_ERROR'],
  ])('has an attempt of the tipo %s as a %s', (tipo, kind) => {
    expect(attemptOf({ tipo })).toEqual({
      ...{ kind, day: '2026-01-20', endToEndId: e2e, history: [{ status: 'REQUESTED', at }] },
    });
  });

  test.each([
    ['SOLICITADA', 'REQUESTED'],
    ['AGENDADA', 'SCHEDULED'],
    ['PAGA', 'PAID'],
    ['REJEITADA', 'REJECTED'],
    ['EXPIRADA', 'EXPIRED'],
    ['CANCELADA', 'CANCELED'],
  ])('has an attempt whose status %s is %s', (status, expected) => {
    expect(attemptOf({ status, atualizacao: [] })?.history).toEqual([{ status: expected, at: now }]);
  });

  test('is not understood when the kind or the status of an attempt is not known', () => {
    expect(() => attemptOf({ tipo: 'NOVA' })).toThrow(notKnown);
    expect(() => attemptOf({ status: 'NOVA' })).toThrow(notKnown);
  });

  test.each(['SOLICITADA', 'AGENDADA'])(
    'cancels an attempt that is %s, with the code of the cobr, when it is canceled itself',
    (status) => {
      const encerramento = { cancelamento: { codigo: 'SLCR' } };
      const canceled = { status: 'CANCELADA', encerramento, atualizacao: [{ status: 'CANCELADA', data: now }] };
      const one = { status, atualizacao: [{ status, data: at }] };
      const ended = attemptOf(one, canceled);
      expect(ended).toMatchObject({ code: 'SLCR' });
      expect(ended?.history.slice(1)).toEqual([{ status: 'CANCELED', at: now }]);
      expect(attemptOf(one, { ...canceled, status: 'ATIVA' })).not.toHaveProperty('code');
      expect(attemptOf(one, { ...canceled, status: 'ATIVA' })?.history).toHaveLength(1);
    },
  );

  test.each(['PAGA', 'EXPIRADA'])('leaves an attempt that is %s unchanged when it is canceled itself', (status) => {
    const one = { status, atualizacao: [{ status, data: at }] };
    const ended = attemptOf(one, { status: 'CANCELADA', encerramento: { cancelamento: { codigo: 'SLCR' } } });
    expect(ended?.history).toHaveLength(1);
    expect(ended).not.toHaveProperty('code');
  });

  test('is canceled at the last time of its cancellation, or now when the bank gives none', () => {
    const times = [
      { status: 'CANCELADA', data: at },
      { status: 'ATIVA', data: at },
      { status: 'CANCELADA', data: now },
    ];
    const end = (atualizacao: typeof times) => attemptOf({}, { status: 'CANCELADA', atualizacao })?.history.at(-1);
    expect(end(times.toReversed())).toEqual({ status: 'CANCELED', at: now });
    expect(end(times)).toEqual({ status: 'CANCELED', at: now });
    expect(end(times.slice(0, 2))).toEqual({ status: 'CANCELED', at });
    expect(end([])).toEqual({ status: 'CANCELED', at: now });
  });

  test('has the code of a rejection or of its own cancellation, and of no other end', () => {
    const codes = { rejeicao: { codigo: 'AB03' }, encerramento: { cancelamento: { codigo: 'SLBD' } } };
    expect(attemptOf({ status: 'REJEITADA', ...codes })).toMatchObject({ code: 'AB03' });
    expect(attemptOf({ status: 'CANCELADA', ...codes })).toMatchObject({ code: 'SLBD' });
    const ofCobr = { status: 'CANCELADA', encerramento: { cancelamento: { codigo: 'SLCR' } } };
    expect(attemptOf({ status: 'CANCELADA', ...codes }, ofCobr)).toMatchObject({ code: 'SLBD' });
    for (const status of ['SOLICITADA', 'AGENDADA', 'PAGA', 'EXPIRADA'])
      expect(attemptOf({ status, ...codes })).not.toHaveProperty('code');
    expect(attemptOf({ status: 'REJEITADA', rejeicao: { codigo: '' } })).not.toHaveProperty('code');
    expect(attemptOf({ status: 'REJEITADA' })).not.toHaveProperty('code');
  });
});
