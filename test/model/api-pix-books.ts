import type { Drawer, Attempt, Cob, Devolucao, Payout, Pix } from '@banking-order/fake-bank';
import { cents } from '@banking-order/fake-bank';
import type { ChargeState } from '#shared/bank/ports/charges.ts';
import type { PaymentState } from '#shared/bank/ports/payouts.ts';
import type { RefundState } from '#shared/bank/ports/refunds.ts';
import { centavos } from '#shared/core/money.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { accountOfKey } from './api-pix-clients.ts';
import { idOfReference } from '#shared/bank-events/recurring.ts';
import type { EndBooks } from './bank-checks.ts';
import type { EndRecurrences } from './bank-recurrence-checks.ts';

// What a bank of API Pix has, read from its own documents, not by the adapter: the checks compare with that.

type Documents = Pick<Drawer, 'find' | 'list'>;

const once = <State>(state: State) => [{ at: 0, state }];
/** Our id behind a reference of the bank. */
const idOf = (reference: string): string => idOfReference(reference) ?? reference;

/** A charge; `removed`: what it was before a payment that came all the same. */
export function chargeAtBank(drawer: Documents, cob: Cob, removed: ReadonlyMap<string, Cob['status']>) {
  const payments = cob.payments.map((id) => {
    const { endToEndId, valor, horario } = drawer.find('pix', id)!;
    return { endToEndId, amount: centavos(cents(valor)), at: horario, returns: [] };
  });
  const status = statusOfCob[removed.get(cob.txid) ?? cob.status];
  const state: ChargeState = { txid: cob.txid, location: cob.loc.location, status, payments };
  const { criacao, expiracao } = cob.calendario;
  return {
    order: {
      ...{ receiver: { id: accountOfKey(cob.chave) }, amount: centavos(cents(cob.valor.original)) },
      expireDateTime: plusSeconds(criacao, expiracao),
    },
    history: once(state),
    ...{ txid: cob.txid, isPaidAllTheSame: cob.status === 'CONCLUIDA' },
  };
}

const statusOfCob = {
  ATIVA: 'ACTIVE',
  CONCLUIDA: 'PAID',
  REMOVIDA_PELO_USUARIO_RECEBEDOR: 'REMOVED',
  REMOVIDA_PELO_PSP: 'DROPPED',
} as const satisfies Record<Cob['status'], ChargeState['status']>;

function paymentAtBank({ status, horario, endToEndId }: Payout) {
  const { solicitacao, liquidacao = solicitacao } = horario;
  const states: Record<Payout['status'], PaymentState> = {
    EM_PROCESSAMENTO: { status: 'ACCEPTED', returns: [] },
    REALIZADO: { status: 'PAID', at: liquidacao, endToEndId, returns: [] },
    NAO_REALIZADO: { status: 'ERROR', reason: 'NAO_REALIZADO', returns: [] },
  };
  return { endToEndId, order: {}, history: once(states[status]) };
}

function refundAtBank({ status, rtrId, horario }: Devolucao) {
  const { solicitacao, liquidacao = solicitacao } = horario;
  const states: Record<Devolucao['status'], RefundState> = {
    EM_PROCESSAMENTO: { status: 'PENDING' },
    DEVOLVIDO: { status: 'SETTLED', returnId: rtrId, at: liquidacao },
    NAO_REALIZADO: { status: 'FAILED', reason: 'NAO_REALIZADO' },
  };
  return { history: once(states[status]) };
}

const sum = (amounts: readonly number[]): number => amounts.reduce((total, one) => total + one, 0);

/** Centavos of the accounts of these keys, by all that moved them. */
export function balanceOf(drawer: Documents, isOurs: (chave: string) => boolean, opening: number): number {
  const received = drawer.list('pix').filter(({ chave }) => isOurs(chave));
  const sent = drawer.list('payout').filter(({ chave, status }) => isOurs(chave) && status !== 'NAO_REALIZADO');
  const returned = received
    .flatMap(({ devolucoes }) => devolucoes)
    .filter(({ status }) => status !== 'NAO_REALIZADO')
    .map(({ valor }) => cents(valor));
  return (
    opening +
    sum(received.map(({ valor }) => cents(valor))) -
    sum(returned) -
    sum(sent.map(({ valor }) => cents(valor))) +
    sum(sent.flatMap(({ devolucoes }) => devolucoes.map(({ valor }) => cents(valor))))
  );
}

type Removed = ReadonlyMap<string, Cob['status']>;
type Refusals = Pick<EndBooks, 'refused' | 'refusedAgain'>;

/** Everything that the bank has. */
export function endBooks(
  drawer: Documents,
  {
    accounts,
    opening,
    removed,
    refusals,
  }: { accounts: readonly string[]; opening: number; removed: Removed; refusals: Refusals },
): EndBooks {
  const devolucoes = drawer.list('pix').flatMap((pix: Pix) => pix.devolucoes);
  return {
    ...refusals,
    balances: new Map(accounts.map((id) => [id, balanceOf(drawer, (chave) => accountOfKey(chave) === id, opening)])),
    payments: eachOf(drawer.list('payout').map((one) => [idOf(one.idEnvio), paymentAtBank(one)])),
    charges: new Map(drawer.list('cob').map((cob) => [cob.txid, chargeAtBank(drawer, cob, removed)])),
    refunds: eachOf(
      devolucoes.filter(({ natureza }) => natureza === 'ORIGINAL').map((one) => [one.id, refundAtBank(one)]),
    ),
  };
}

/** All of one id: two clients may have carried it out. */
function eachOf<T>(found: readonly (readonly [string, T])[]): ReadonlyMap<string, readonly T[]> {
  return new Map([...Map.groupBy(found, ([id]) => id)].map(([id, all]) => [id, all.map(([, one]) => one)] as const));
}

/** What came to an account without a cob: by a cobr, or to its bare key. */
export const cameOtherwise =
  (drawer: Documents) =>
  (accountId: string): number =>
    sum(
      drawer
        .list('pix')
        .filter(
          ({ chave, txid }) => accountOfKey(chave) === accountId && (txid === undefined || !drawer.find('cob', txid)),
        )
        .map(({ valor }) => cents(valor)),
    );

const statusOfRec = {
  CRIADA: 'CREATED',
  APROVADA: 'APPROVED',
  REJEITADA: 'REJECTED',
  EXPIRADA: 'EXPIRED',
  CANCELADA: 'CANCELED',
} as const;
const statusOfAttempt = {
  SOLICITADA: 'REQUESTED',
  AGENDADA: 'SCHEDULED',
  PAGA: 'PAID',
  REJEITADA: 'REJECTED',
  EXPIRADA: 'EXPIRED',
  CANCELADA: 'CANCELED',
} as const satisfies Record<Attempt['status'], string>;
const kindOfAttempt = {
  AGND: 'FIRST_ATTEMPT',
  NTAG: 'NEW_ATTEMPT_AFTER_DUE_DATE',
  RIFL: 'RESEND_DUE_TO_SETTLEMENT_ERROR',
} as const;

export function endRecurrences(drawer: Documents, accountId: string): EndRecurrences {
  return {
    recs: new Map(
      drawer
        .list('rec')
        .map((rec) => [
          rec.idRec,
          { history: once({ history: [{ status: statusOfRec[rec.status], at: rec.criacao }] }) },
        ]),
    ),
    cobrs: new Map(
      drawer.list('cobr').map((cobr) => [
        cobr.txid,
        {
          order: { charge: cobr.txid, amount: cents(cobr.valor.original), receiver: { id: accountId } },
          history: once({
            attempts: cobr.tentativas.map(({ tipo, endToEndId, dataLiquidacao: day, status, atualizacao }) => ({
              ...{ kind: kindOfAttempt[tipo], endToEndId, day },
              history: [{ status: statusOfAttempt[status], at: atualizacao.at(-1)?.data ?? cobr.criacao }],
            })),
          }),
        },
      ]),
    ),
  };
}
