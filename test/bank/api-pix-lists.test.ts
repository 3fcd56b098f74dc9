import { describe, expect, test } from 'vitest';
import type { Exchange } from '#shared/bank/calls/response.ts';
import { isMissing, judge } from '#shared/bank/dialects/efi/response.ts';
import { CobBody, CobrBody, PixBody, RecBody, SentBody } from '#shared/bank/dialects/efi/shapes.ts';
import {
  chargeState,
  paymentState,
  receivedPix,
  recurrenceState,
  recurringChargeState,
} from '#shared/bank/dialects/efi/states.ts';
import { each } from '../support/each.ts';
import { fc } from '../support/properties.ts';
import { e2e } from './bank-orders.ts';

/** A bank promises no order of its lists and no end of its answers: what they say does not depend on either. */

const now = '2026-02-01T12:00:00.000Z';
const teller = { notKnown: () => undefined };
const idRec = 'RN0908935620260115abcdefghijk';
const txid = '0123456789abcdef0123456789abcd00';
const passed = (statuses: readonly string[]) =>
  statuses.map((status, hour) => ({ status, data: `2026-01-15T${String(10 + hour)}:00:00.000Z` }));
/** The same list in any order, some items said again. */
const asListed = <T>(items: readonly T[]): fc.Arbitrary<readonly T[]> =>
  fc
    .subarray([...items])
    .chain((again) => fc.shuffledSubarray([...items, ...again], { minLength: items.length + again.length }));
const strip = (history: readonly { readonly status: string }[]): readonly string[] =>
  history.map(({ status }) => status).filter((status, place, all) => status !== all[place - 1]);

describe('a history of the bank', () => {
  const recs = [
    [
      ['CRIADA', 'APROVADA'],
      ['CREATED', 'APPROVED'],
    ],
    [
      ['CRIADA', 'REJEITADA'],
      ['CREATED', 'REJECTED'],
    ],
    [
      ['CRIADA', 'APROVADA', 'CANCELADA'],
      ['CREATED', 'APPROVED', 'CANCELED'],
    ],
  ] as const;
  test.each(recs)(
    'the history %s of a rec is ordered by its times, in any order of the bank’s list',
    (bankStatuses, statuses) => {
      const status = bankStatuses.at(-1);
      fc.assert(
        fc.property(asListed(passed(bankStatuses)), (atualizacao) => {
          const rec = RecBody.parse({ idRec, status, loc: { id: 7, location: 'x' }, atualizacao });
          const { history } = recurrenceState(rec, now, teller);
          expect(strip(history)).toEqual(statuses);
          expect(history.at(-1)?.at).toBe(passed(bankStatuses).at(-1)?.data);
        }),
      );
    },
  );

  const attempts = [
    [
      ['SOLICITADA', 'AGENDADA', 'PAGA'],
      ['REQUESTED', 'SCHEDULED', 'PAID'],
    ],
    [
      ['SOLICITADA', 'AGENDADA', 'EXPIRADA'],
      ['REQUESTED', 'SCHEDULED', 'EXPIRED'],
    ],
    [
      ['SOLICITADA', 'REJEITADA'],
      ['REQUESTED', 'REJECTED'],
    ],
    [
      ['SOLICITADA', 'AGENDADA', 'CANCELADA'],
      ['REQUESTED', 'SCHEDULED', 'CANCELED'],
    ],
  ] as const;
  test.each(attempts)(
    'the history %s of an attempt is ordered by its times, in any order of the bank’s list',
    (bankStatuses, statuses) => {
      fc.assert(
        fc.property(asListed(passed(bankStatuses)), (atualizacao) => {
          const tentativa = {
            tipo: 'AGND',
            status: bankStatuses.at(-1),
            dataLiquidacao: '2026-01-20',
            endToEndId: e2e,
          };
          const cobr = CobrBody.parse({ txid, idRec, status: 'ATIVA', tentativas: [{ ...tentativa, atualizacao }] });
          const [attempt] = recurringChargeState(cobr, now, teller).attempts;
          expect(strip(attempt?.history ?? [])).toEqual(statuses);
        }),
      );
    },
  );
});

describe('the attempts of a cobr, of which some are resends', () => {
  const days = ['2026-01-20', '2026-01-22'] as const;
  const codes = ['SLBD', 'SLCR', 'BLCK', 'FAIL', 'ACCT', undefined] as const;
  const numberOf = (place: number): string => `${e2e.slice(0, -1)}${place}`;
  const attempt = (
    place: number,
    more: { tipo: string; day?: string; code?: string | undefined; status?: string },
  ) => ({
    ...{ tipo: more.tipo, status: more.status ?? 'CANCELADA', dataLiquidacao: more.day ?? days[0] },
    endToEndId: numberOf(place),
    atualizacao: passed(['SOLICITADA', more.status ?? 'CANCELADA']),
    ...(more.code !== undefined && { encerramento: { cancelamento: { codigo: more.code } } }),
  });
  const codesOf = (tentativas: readonly object[], more: object = {}) =>
    recurringChargeState(
      CobrBody.parse({ txid, idRec, status: 'CANCELADA', tentativas, ...more }),
      now,
      teller,
    ).attempts.map(({ code }) => code);

  test.each(codes)(
    'keep the end code %s on the last one only, and get the settlement error FAIL on those before it',
    (code) => {
      for (const resends of each([1, 2, 3])) {
        const first = attempt(0, { tipo: 'AGND' });
        const between = Array.from({ length: resends - 1 }, (_, place) => attempt(place + 1, { tipo: 'RIFL' }));
        const last = attempt(resends, { tipo: 'RIFL', code });
        expect(codesOf([first, ...between, last])).toEqual([...Array.from({ length: resends }, () => 'FAIL'), code]);
      }
    },
  );

  test.each(codes)('take the end code %s of the cobr for the last one when only the cobr has an end code', (code) => {
    const ends = code === undefined ? {} : { encerramento: { cancelamento: { codigo: code } } };
    const list = [attempt(0, { tipo: 'AGND' }), attempt(1, { tipo: 'RIFL' })];
    expect(codesOf(list, ends)).toEqual(['FAIL', code]);
  });

  test('are read in the order of their creation, and those that were sent again as FAIL', () => {
    const createdAttempts = [
      attempt(0, { tipo: 'AGND', status: 'EXPIRADA' }),
      attempt(1, { tipo: 'NTAG', day: days[1] }),
      ...[2, 3, 4].map((place) => attempt(place, { tipo: 'RIFL', day: days[1], code: 'SLBD' })),
    ].map((one, hour) => ({
      ...one,
      atualizacao: one.atualizacao.map(({ status }, at) => ({
        status,
        data: `2026-01-22T${10 + hour}:0${at}:00.000Z`,
      })),
    }));
    fc.assert(
      fc.property(fc.shuffledSubarray(createdAttempts, { minLength: createdAttempts.length }), (tentativas) => {
        const cobr = CobrBody.parse({ txid, idRec, status: 'ATIVA', tentativas });
        const { attempts } = recurringChargeState(cobr, now, teller);
        expect(attempts.map(({ endToEndId }) => endToEndId)).toEqual([0, 1, 2, 3, 4].map(numberOf));
        expect(attempts.map(({ code }) => code)).toEqual([undefined, 'FAIL', 'FAIL', 'FAIL', 'SLBD']);
      }),
    );
  });

  test('are resends of their own day alone', () => {
    const other = [
      attempt(0, { tipo: 'AGND', code: 'SLBD' }),
      attempt(1, { tipo: 'NTAG', day: days[1] }),
      attempt(2, { tipo: 'RIFL', day: days[1], code: 'SLBD' }),
    ];
    expect(codesOf(other)).toEqual(['SLBD', 'FAIL', 'SLBD']);
    expect(codesOf([attempt(0, { tipo: 'AGND', code: 'SLBD' }), attempt(1, { tipo: 'NTAG' })])).toEqual([
      'SLBD',
      undefined,
    ]);
  });

  test.each(['PAGA', 'EXPIRADA', 'REJEITADA'])(
    'do not keep the cancellation code of the last one when it is %s',
    (status) => {
      const list = [attempt(0, { tipo: 'AGND' }), attempt(1, { tipo: 'RIFL', status, code: 'SLBD' })];
      expect(codesOf(list)).toEqual(['FAIL', undefined]);
    },
  );

  test('are all returned with their end-to-end ids, except one that has none', () => {
    const list = [
      attempt(0, { tipo: 'AGND' }),
      attempt(1, { tipo: 'RIFL' }),
      { ...attempt(2, { tipo: 'RIFL' }), endToEndId: undefined },
    ];
    const { attempts } = recurringChargeState(
      CobrBody.parse({ txid, idRec, status: 'ATIVA', tentativas: list }),
      now,
      teller,
    );
    expect(attempts.map(({ endToEndId }) => endToEndId)).toEqual([numberOf(0), numberOf(1)]);
  });
});

describe('the devoluções of a Pix or a cob', () => {
  const buildDevolucao = (place: number, status = 'DEVOLVIDO') => ({
    ...{ id: `d${place}`, rtrId: `D0908935620260115120${place}abcdefghijk`, valor: `${place}.00`, status },
    horario: { liquidacao: now },
  });
  /** Open, failed and ended ones, mixed. */
  const devolucoes = [
    buildDevolucao(1, 'EM_PROCESSAMENTO'),
    buildDevolucao(2),
    buildDevolucao(3, 'NAO_REALIZADO'),
    buildDevolucao(4),
    buildDevolucao(5),
  ];
  const money = [2, 4, 5];

  test('are all returned that are DEVOLVIDO, in any order, for a sent Pix, a received Pix and a cob', () => {
    const pix = { endToEndId: e2e, valor: '20.00', horario: now };
    fc.assert(
      fc.property(fc.shuffledSubarray(devolucoes, { minLength: devolucoes.length }), (listed) => {
        const amounts = (returns: readonly { readonly amount: number }[] | undefined) =>
          (returns ?? []).map(({ amount }) => amount / 100).toSorted((one, other) => one - other);
        const sent = SentBody.parse({ endToEndId: e2e, valor: '20.00', status: 'REALIZADO', devolucoes: listed });
        expect(amounts(paymentState(sent, now, teller).returns)).toEqual(money);
        const received = PixBody.parse({ ...pix, devolucoes: listed });
        expect(amounts(receivedPix(received, teller).returns)).toEqual(money);
        const cob = { txid, status: 'CONCLUIDA', pix: [pix, { ...pix, devolucoes: listed }, pix] };
        expect(chargeState(CobBody.parse(cob), teller).payments.map((one) => amounts(one.returns))).toEqual([
          [],
          money,
          [],
        ]);
      }),
    );
  });
});

describe('the response to a command', () => {
  /** Specification of API Pix and Efí: a definite violation. */
  const refusing = [400, 404, 410, 422];
  const strings = fc.oneof(
    fc.constantFrom('valor_invalido', 'O valor é inválido.', 'Saldo insuficiente', 'chave_nao_encontrada', 'conflito'),
    fc.string(),
  );
  const bodies = fc.oneof(
    fc.record({ type: fc.oneof(fc.constant('https://x/error/PixInvalido'), strings), title: strings, detail: strings }),
    fc.record({ nome: strings, mensagem: strings }),
    fc.record({ type: strings, violacoes: fc.array(fc.record({ razao: strings, propriedade: strings })) }),
    fc.json().map((text): unknown => JSON.parse(text)),
    fc.constant(undefined),
  );
  const statuses = fc.oneof(
    fc.integer({ min: 100, max: 599 }),
    fc.constantFrom(409, 402, 405, 408, 412, 423, 425, 451),
  );

  test('is a refusal only with the status 400, 404, 410 or 422, whatever its body contains', () => {
    fc.assert(
      fc.property(statuses, bodies, (status, body) => {
        fc.pre(!refusing.includes(status));
        const { is } = judge({ status, body });
        expect(is).not.toBe('REFUSED');
        expect(is === 'OK').toBe(status >= 200 && status < 300 && body !== undefined);
        expect(is === 'NOT_NOW').toBe([401, 403, 429].includes(status));
        expect(isMissing({ status, body })).toBe(false);
      }),
      { numRuns: 2000 },
    );
    // Every status once with a body that would be a refusal: none is left to chance.
    for (let status = 100; status < 600; status += 1) {
      const body = { type: 'x/PixInvalido', nome: 'valor_invalido', detail: 'O valor é inválido.' };
      expect([status, judge({ status, body }).is === 'REFUSED']).toEqual([status, refusing.includes(status)]);
    }
  });

  test('is never a refusal when it did not arrive, or has no error code', () => {
    const none: readonly Exchange[] = [{ status: 'NO_ANSWER' }, { status: 'NOT_CONNECTED', cause: 'x' }];
    for (const exchange of none)
      expect(judge(exchange).is).toBe(exchange.status === 'NO_ANSWER' ? 'UNKNOWN' : 'NOT_NOW');
    fc.assert(
      fc.property(fc.constantFrom(...refusing), strings, strings, (status, title, detail) => {
        for (const body of [{ title, detail }, { type: '', title }, { type: 'https://x/', detail }, [], '<html>', null])
          expect(judge({ status, body }).is).toBe('UNKNOWN');
      }),
    );
  });

  test.each(['já foi utilizado', 'ja utilizado', 'já existe', 'em uso', 'duplicado', 'já cadastrado', 'já está pago'])(
    'is never a refusal when a field of its body contains "%s"',
    (text) => {
      for (const status of each(refusing))
        for (const body of [
          { type: 'x/PixInvalido', detail: `O id ${text}.` },
          { type: 'x/PixInvalido', title: text },
          { nome: 'x', mensagem: text },
          { nome: `id_${text.replaceAll(' ', '_')}`, mensagem: 'x' },
          { type: 'x/PixInvalido', violacoes: [{ razao: 'x' }, { razao: text }] },
        ])
          expect(judge({ status, body }).is).toBe('UNKNOWN');
    },
  );
});

test.each(['10.00', '010.00', '0000000010.00'])('an amount of the bank is read when it is written %s', (valor) => {
  expect(PixBody.parse({ endToEndId: e2e, valor, horario: now }).valor).toBe(1000);
});
