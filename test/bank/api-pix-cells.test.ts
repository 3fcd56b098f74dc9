import { beforeEach, describe, expect, test } from 'vitest';
import { apiPixCharges, apiPixRefunds } from '#shared/bank/dialects/efi/charges.ts';
import type { Connected } from '#shared/bank/connected.ts';
import { efiPayouts } from '#shared/bank/dialects/efi/payouts.ts';
import { apiPixRecurrences } from '#shared/bank/dialects/efi/recurrences.ts';
import { apiPixRecurringCharges } from '#shared/bank/dialects/efi/recurring-charges.ts';
import { submitOnce } from '#shared/bank/bank.ts';
import type { Command, CommandOutcome } from '#shared/bank/outcome.ts';
import { checkedCharges } from '#shared/bank/ports/charges.ts';
import { checkedPayouts } from '#shared/bank/ports/payouts.ts';
import { checkedRecurrences } from '#shared/bank/ports/recurrences.ts';
import { checkedRecurringCharges } from '#shared/bank/ports/recurring-charges.ts';
import { checkedRefunds } from '#shared/bank/ports/refunds.ts';
import { centavos } from '#shared/core/money.ts';
import { collectErrors } from '../support/logged.ts';
import { account, at, byPath, context, e2e, first, payer, reference, refusal, repeated, rtr } from './bank-orders.ts';
import type { Asked } from './scripted-bank.ts';
import { accountId } from './scripted-bank.ts';
import { useConnectedBank } from './use-scripted-bank.ts';

/**
 * Every command of the ports, and what it is when the bank did it, refuses it, says nothing that can be understood, or
 * does not take it now. One row a command and call; a command without a row fails.
 */

const used = useConnectedBank();
beforeEach(() => {
  collectErrors();
});

const portsOf = (bank: Connected) => ({
  charges: checkedCharges(apiPixCharges(bank)),
  refunds: { refund: checkedRefunds(apiPixRefunds(bank)) },
  recurrences: checkedRecurrences(apiPixRecurrences(bank)),
  recurringCharges: checkedRecurringCharges(apiPixRecurringCharges(bank)),
  payouts: checkedPayouts(efiPayouts(bank)),
});
type Ports = ReturnType<typeof portsOf>;

type Row<Order> = {
  /** The command of its port, which the type of the order follows. */
  readonly commandOf: (ports: Ports) => Command<Order, unknown>;
  readonly order: Order;
  /** Method and path that tell the bank to do it. */
  readonly call: string;
  /** Method and path of the lookup. */
  readonly lookup: string;
  /** What the bank has of it once it did it. */
  readonly done: object;
  /** What a lookup finds while it did not do it; absent: nothing. */
  readonly before?: object;
  /** What comes before the call, as the location of a rec, and after it. */
  readonly beside?: Parameters<typeof byPath>[0];
  readonly refused: ReturnType<typeof refusal>;
  readonly usedAlready: ReturnType<typeof refusal>;
};
type AnyRow = Row<never>;
/** Orders differ from row to row: each is checked where it is written. */
const row = <Order>(one: Row<Order>): AnyRow => one as unknown as AnyRow;

const idRec = 'RN0908935620260115abcdefghijk';
const cob = (status: string) => ({
  ...{ txid: reference, status, location: 'pix.efi.example/v2/1', pixCopiaECola: `000201${'0'.repeat(40)}` },
});
const rec = (status: string) => ({
  ...{ idRec, status, loc: { id: 7, location: 'pix.efi.example/qr/v2/rec/7' } },
  atualizacao: [{ status, data: at }],
});
const attempt = (status: string, tipo = 'AGND', dataLiquidacao = '2026-01-20') => ({
  ...{ tipo, status, dataLiquidacao, endToEndId: e2e, atualizacao: [{ status, data: at }] },
});
const cobr = (...tentativas: readonly object[]) => ({ txid: reference, idRec, status: 'ATIVA', tentativas });
const charge = {
  ...{ reference, amount: centavos(2500), receiver: account, payer, description: 'x' },
  expireDateTime: '2026-01-15T13:00:00.000Z',
};
const recurrence = {
  ...{ reference, externalId: 'c-1', frequencyType: 'MONTHLY', startDate: '2026-02-01' },
  ...{ allowChargeAfterDueDate: false, receiver: payer, debtor: payer, accountId, fixedAmount: centavos(2990) },
} as const;
const instruction = {
  ...({ reference, kind: 'FIRST_ATTEMPT', charge: reference, recurrenceId: idRec, receiver: account } as const),
  ...{ amount: centavos(2990), settlementDate: '2026-01-20', adjustsToBusinessDay: true },
};
const later = { kind: 'NEW_ATTEMPT_AFTER_DUE_DATE', settlementDate: '2026-01-22' } as const;
const payment = {
  ...({ reference, initiation: 'KEY', amount: centavos(1000), payer: account, description: 'x' } as const),
  receiver: { ...payer, pix: { type: 'EMAIL', key: 'maria@example.com' } as const },
};
const toAccount = { ispb: '60701190', branch: '0001', account: '99', accountType: 'SAVINGS_ACCOUNT' } as const;
const sent = { idEnvio: reference, e2eId: e2e, valor: '10.00', status: 'EM_PROCESSAMENTO' };
const payout = {
  ...{
    commandOf: ({ payouts }: Ports) => payouts.send,
    lookup: `GET /v2/gn/pix/enviados/id-envio/${reference}`,
    done: sent,
  },
  refused: { status: 400, body: { nome: 'valor_invalido', mensagem: 'Saldo insuficiente' } } as never,
  usedAlready: { status: 409, body: { nome: 'id_envio_duplicado', mensagem: 'x' } } as never,
};

const rows: Readonly<Record<string, AnyRow>> = {
  'charges.open': row({
    ...{ commandOf: ({ charges }) => charges.open, order: charge, done: cob('ATIVA') },
    ...{ call: `PUT /v2/cob/${reference}`, lookup: `GET /v2/cob/${reference}` },
    refused: refusal('CobOperacaoInvalida', 'O campo valor é inválido.'),
    usedAlready: refusal('CobOperacaoInvalida', 'A cobrança não está ATIVA.'),
  }),
  'charges.remove': row({
    ...{ commandOf: ({ charges }) => charges.remove, order: charge, done: cob('REMOVIDA_PELO_USUARIO_RECEBEDOR') },
    ...{ call: `PATCH /v2/cob/${reference}`, lookup: `GET /v2/cob/${reference}`, before: cob('ATIVA') },
    refused: refusal('CobOperacaoInvalida', 'Operação não permitida.'),
    usedAlready: refusal('CobOperacaoInvalida', 'A cobrança não está ATIVA.'),
  }),
  'refunds.refund': row({
    commandOf: ({ refunds }) => refunds.refund,
    order: { reference, endToEndId: e2e, amount: centavos(100) },
    ...{ call: `PUT /v2/pix/${e2e}/devolucao/${reference}`, lookup: `GET /v2/pix/${e2e}/devolucao/${reference}` },
    done: { id: reference, rtrId: rtr, valor: '1.00', status: 'EM_PROCESSAMENTO', horario: { solicitacao: at } },
    refused: refusal('PixDevolucaoInvalida', 'O valor excede o saldo da transação.'),
    usedAlready: refusal('PixDevolucaoInvalida', 'O id já foi utilizado.'),
  }),
  'recurrences.open': row({
    ...{ commandOf: ({ recurrences }) => recurrences.open, order: recurrence, done: rec('CRIADA') },
    ...{ call: 'POST /v2/rec', lookup: `GET /v2/rec/${idRec}` },
    beside: {
      'POST /v2/locrec': { status: 201, body: { id: 7, location: 'pix.efi.example/qr/v2/rec/7' } },
      'GET /v2/locrec/7': { status: 200, body: { id: 7, location: 'x' } },
      'GET /v2/rec': { status: 200, body: { recs: [], parametros: { paginacao: { quantidadeDePaginas: 1 } } } },
    },
    refused: refusal('RecOperacaoInvalida', 'O campo valor é inválido.'),
    usedAlready: refusal('RecOperacaoInvalida', 'A location já está sendo utilizada.'),
  }),
  'recurrences.cancel': row({
    commandOf: ({ recurrences }) => recurrences.cancel,
    ...{ order: { reference, recurrenceId: idRec }, done: rec('CANCELADA'), before: rec('APROVADA') },
    ...{ call: `PATCH /v2/rec/${idRec}`, lookup: `GET /v2/rec/${idRec}` },
    refused: refusal('RecOperacaoInvalida', 'Operação não permitida.'),
    usedAlready: refusal('RecOperacaoInvalida', 'A recorrência encontra-se expirada, cancelada ou rejeitada.'),
  }),
  'recurringCharges.schedule': row({
    ...{ commandOf: ({ recurringCharges }) => recurringCharges.schedule, order: instruction },
    ...{ call: `PUT /v2/cobr/${reference}`, lookup: `GET /v2/cobr/${reference}`, done: cobr(attempt('SOLICITADA')) },
    refused: refusal('CobROperacaoInvalida', 'O valor difere do valor da recorrência.'),
    usedAlready: refusal('CobROperacaoInvalida', 'O txid encontra-se em uso.'),
  }),
  'recurringCharges.schedule, a new attempt': row({
    ...{ commandOf: ({ recurringCharges }) => recurringCharges.schedule, order: { ...instruction, ...later } },
    ...{ call: `POST /v2/cobr/${reference}/retentativa/2026-01-22`, lookup: `GET /v2/cobr/${reference}` },
    done: cobr(attempt('REJEITADA'), attempt('SOLICITADA', 'NTAG', '2026-01-22')),
    before: cobr(attempt('REJEITADA')),
    refused: refusal('CobROperacaoInvalida', 'A política não permite tentativas.'),
    usedAlready: refusal('CobROperacaoInvalida', 'Há tentativa vigente para a data.'),
  }),
  'recurringCharges.withdraw': row({
    commandOf: ({ recurringCharges }) => recurringCharges.withdraw,
    order: { ...instruction, reason: 'REQUESTED_BY_RECEIVER' },
    ...{ call: `PATCH /v2/cobr/${reference}`, lookup: `GET /v2/cobr/${reference}` },
    ...{ done: cobr(attempt('CANCELADA')), before: cobr(attempt('AGENDADA')) },
    refused: refusal('CobROperacaoInvalida', 'Fora do prazo.'),
    usedAlready: refusal('CobROperacaoInvalida', 'A tentativa não finalizada impede a operação.'),
  }),
  'payouts.send, by key': row({ ...payout, order: payment, call: `PUT /v3/gn/pix/${reference}` }),
  'payouts.send, to an account': row({
    ...{ ...payout, call: `PUT /v3/gn/pix/${reference}` },
    order: { ...payment, initiation: 'MANUAL', receiver: { ...payer, bank: toAccount } } as const,
  }),
  'payouts.send, by code': row({
    ...{ ...payout, call: `PUT /v2/gn/pix/${reference}/qrcode` },
    order: { ...payment, initiation: 'DYNAMIC_QRCODE', qrcodeData: '000201dynamic' } as const,
  }),
};

/** Efí stops no payment: the capability is off, and the command is refused without a call. */
const withoutCall = ['payouts.cancel'];

test('every command of the ports has a row', () => {
  const commands = Object.entries(portsOf(used.connected)).flatMap(([port, members]) =>
    Object.entries(members).flatMap(([name, member]) =>
      typeof member === 'object' && 'submit' in member ? [`${port}.${name}`] : [],
    ),
  );
  const named = Object.keys(rows).map((name) => name.split(',')[0]);
  expect([...new Set([...named, ...withoutCall])].toSorted()).toEqual(commands.toSorted());
});

describe.each(Object.entries(rows))(
  '%s',
  (_name, { commandOf, order, call, lookup, done, before, beside, ...bodies }) => {
    const carriedOut = {
      ...beside,
      // By which a rec is found.
      ...{ 'GET /v2/locrec/7': { status: 200, body: { id: 7, location: 'x', idRec } } },
      [lookup]: { status: 200, body: done },
    };
    const nothing = before === undefined ? {} : { [lookup]: { status: 200, body: before } };
    /** The bank answers the command so, and a lookup finds what `finds` says. */
    const submit = async (
      response: ReturnType<Parameters<typeof used.server.answers>[0]>,
      finds: Parameters<typeof byPath>[0] = nothing,
      options: Parameters<typeof submitOnce>[3] = first,
    ): Promise<CommandOutcome<unknown>> => {
      used.server.answers(byPath({ ...beside, ...finds, [call]: response }));
      return submitOnce(commandOf(portsOf(used.connected)), order, context, options);
    };
    const times = (): number => used.server.asked.filter(isCall).length;
    const isCall = ({ method, path }: Asked): boolean => `${method} ${path}` === call;

    test('is DONE after one call when the bank carries it out', async () => {
      // A rec is read for its code.
      expect(await submit({ status: 201, body: done }, { [lookup]: { status: 200, body: done } })).toMatchObject({
        outcome: 'DONE',
      });
      expect(times()).toBe(1);
    });

    test('is REFUSED on a definite violation, unless the look-up finds it carried out', async () => {
      expect(await submit(bodies.refused)).toMatchObject({ outcome: 'REFUSED' });
      expect(await submit(bodies.refused, carriedOut)).toMatchObject({ outcome: 'DONE' });
    });

    test.each([
      ['no response', 'DROP' as const],
      ['500', { status: 500, body: { type: 'x/ErroInternoDoServidor' } }],
      ['503', { status: 503 }],
      ['a body that is no JSON', { status: 200, body: '<html>' }],
      ['400 without a code', { status: 400, body: {} }],
      ['"used already"', undefined],
    ])('is unknown after %s, never refused', async (_what, response = bodies.usedAlready) => {
      expect(await submit(response)).toMatchObject({ outcome: 'UNKNOWN' });
      const calls = times();
      // The lookup before a repetition finds it: it is not sent to the bank again.
      expect(await submit(response, carriedOut, repeated)).toMatchObject({ outcome: 'DONE' });
      expect(times()).toBe(calls);
    });

    test('is repeated by the same call, with the same reference, when the bank does not have it', async () => {
      await submit('DROP');
      await submit(bodies.usedAlready, nothing, repeated);
      const [one, other] = used.server.asked.filter(isCall);
      expect(other).toEqual(one);
    });

    test.each([
      ['401 to the token and to a new token', { status: 401 }],
      ['403', { status: 403, body: { type: 'x/AcessoNegado' } }],
      ['429', { status: 429, headers: { 'retry-after': '7' } }],
    ])(
      'is NOT_NOW after %s, and UNKNOWN when an earlier attempt may have been carried out',
      async (_what, response) => {
        expect(await submit(response)).toMatchObject({ outcome: 'NOT_NOW' });
        used.server.clock.now = '2026-01-15T12:10:00.000Z';
        await used.connectAgain();
        expect(await submit(response, nothing, repeated)).toMatchObject({ outcome: 'UNKNOWN' });
      },
    );

    test('is NOT_NOW, without a call, when the bank cannot be connected to', async () => {
      await used.server.closeNow();
      expect(await submit('DROP')).toMatchObject({ outcome: 'NOT_NOW' });
      expect(used.server.asked).toEqual([]);
    });
  },
);
