import type { Bank, Drawer, Attempt, Cob, Session } from '@banking-order/fake-bank';
import {
  cents,
  isOpen,
  Refusal,
  pay,
  endRefundHere,
  returnPayout,
  settlePayout,
  authorize,
  end,
  refuse,
  settleAttempt,
} from '@banking-order/fake-bank';
import { instantAt } from '#shared/core/brasilia-time.ts';
import { centavos, formatAmount } from '#shared/core/money.ts';
import { chargeAtBank } from './api-pix-books.ts';
import { claimsAtBank } from './api-pix-claims.ts';
import { everywhere, modelClients, together } from './api-pix-clients.ts';
import type { Ground } from './bank-behind.ts';
import type { Draws } from './bank-books.ts';
import { beginsAt, instantOf, partsOf } from './bank-books.ts';
import type { PayableBooks } from './bank-payers.ts';
import type { VirtualTime } from './virtual-time.ts';

const minute = 60_000;

/**
 * What happens at a bank of API Pix by chance, by the moves of its control surface: payouts and refunds end, payouts
 * come back, payers pay, authorize, refuse and end, and attempts are settled.
 */
export function bankLife(
  bank: Bank,
  {
    time,
    draws,
    forge,
    connected,
    shownAt,
    see,
    isQuiet,
  }: Pick<Ground, 'see' | 'isQuiet'> & {
    readonly time: VirtualTime;
    readonly draws: Draws;
    readonly forge: (address: string, body: object) => void;
    /** Keys by which the service knows accounts. */
    readonly connected: ReadonlySet<string>;
    /** The client at which the code leads to the charge that was shown. */
    readonly shownAt: (txid: string) => string | undefined;
  },
) {
  const act = (client: string, move: (session: Session) => unknown): boolean => {
    try {
      bank.serve(client, 0, move);
      bank.callbacks.wake();
      return true;
    } catch (error) {
      // A move that came too late.
      if (error instanceof Refusal) return false;
      throw error;
    }
  };
  const later = (client: string, ms: number, move: (session: Session) => unknown): void => {
    time.at(time.now() + ms, () => {
      if (act(client, move)) react();
    });
  };
  const soon = (): number => draws.between(1000, draws.chance(0.2) ? 3_600_000 : 240_000);
  /** What has its fate. */
  const fated = new Set<string>();
  const isNew = (name: string): boolean => !fated.has(name) && fated.add(name).has(name);
  /** Charges that were removed, as what: a payment may come all the same. */
  const removed = new Map<string, Cob['status']>();
  const attemptEnds = [
    ...Array.from({ length: 65 }, () => ({ status: 'PAGA' })),
    ...Array.from({ length: 15 }, () => ({ status: 'EXPIRADA' })),
    ...Array.from({ length: 10 }, () => ({ status: 'CANCELADA', codigo: 'SLBD', solicitante: 'USUARIO_PAGADOR' })),
    // A settlement error: the bank sends it again by itself.
    ...Array.from({ length: 15 }, () => ({ status: 'CANCELADA', codigo: 'FAIL', resend: true })),
  ];

  const claims = claimsAtBank({ draws, later, see, isOver: isQuiet });

  // What comes when all has become quiet: accounts that lack what was claimed have it then.
  for (const client of modelClients)
    later(client, draws.between(60 * minute, 240 * minute), (session) =>
      session.client.accounts
        .filter(({ chave }) => connected.has(chave))
        .map(({ chave }) => pay(session, { chave, valor: '20.00' })),
    );

  /** Gives each new thing its fate. */
  const react = (): void => {
    everywhere(bank, (sessions) => {
      for (const { client, drawer } of sessions) reactAt(client.id, drawer);
    });
  };
  const reactAt = (client: string, drawer: Drawer): void => {
    for (const { idEnvio, status, valor } of drawer.list('payout'))
      if (status === 'EM_PROCESSAMENTO' && isNew(idEnvio)) {
        const isPaid = draws.chance(0.85);
        // A callback that no bank made: the payout has not failed. None before the client has a webhook.
        const address = drawer.find('webhook', 'rec')?.webhookUrl;
        if (address !== undefined && draws.chance(0.2))
          forge(address, { pix: [{ status: 'NAO_REALIZADO', gnExtras: { idEnvio, erro: { codigo: 'AC03' } } }] });
        later(client, soon(), (session) => {
          settlePayout(session, { idEnvio, status: isPaid ? 'REALIZADO' : 'NAO_REALIZADO', codigo: 'AB03' });
          if (isPaid && draws.chance(0.4))
            for (const part of partsOf(cents(valor), draws))
              later(client, draws.between(1000, 1_800_000), (next) =>
                returnPayout(next, { idEnvio, valor: formatAmount(centavos(part)) }),
              );
        });
      }
    for (const pix of drawer.list('pix')) {
      claims.consider(client, pix);
      const { endToEndId, devolucoes } = pix;
      for (const { id, status } of devolucoes)
        if (status === 'EM_PROCESSAMENTO' && isNew(id)) {
          const isDone = draws.chance(0.8);
          time.at(time.now() + soon(), () => {
            const ends = (as: 'DEVOLVIDO' | 'NAO_REALIZADO'): boolean =>
              act(client, (session) => endRefundHere(session, { endToEndId, id, status: as }));
            // A payout that came back already in part does not come back as a whole.
            if ((isDone && ends('DEVOLVIDO')) || ends('NAO_REALIZADO')) react();
          });
        }
    }
    for (const cob of drawer.list('cob')) if (cob.status.startsWith('REMOVIDA')) removed.set(cob.txid, cob.status);
    for (const { txid, tentativas } of drawer.list('cobr'))
      for (const attempt of tentativas) if (isOpen(attempt) && isNew(attempt.endToEndId)) fateOf(client, txid, attempt);
  };
  const fateOf = (client: string, txid: string, { endToEndId, dataLiquidacao }: Attempt): void => {
    const isRejected = draws.chance(0.1);
    later(client, draws.between(1000, 20 * minute), (session) =>
      settleAttempt(session, { txid, endToEndId, status: isRejected ? 'REJEITADA' : 'AGENDADA' }),
    );
    const dayMs = Date.parse(instantAt(dataLiquidacao, '00:00')) - beginsAt;
    const at = Math.max(dayMs, time.now() + 21 * minute) + draws.between(0, 20 * 60) * minute;
    const fate = draws.one(attemptEnds);
    later(client, at - time.now(), (session) => settleAttempt(session, { txid, endToEndId, ...fate }));
  };

  const find = (txid: string) =>
    everywhere(bank, (sessions) => {
      const shown = sessions.find(({ client }) => client.id === shownAt(txid));
      const cob = shown?.drawer.find('cob', txid);
      return cob && chargeAtBank(together(sessions), cob, removed);
    });
  const clientOfRec = (idRec: string): string =>
    everywhere(bank, (sessions) => sessions.find(({ drawer }) => drawer.find('rec', idRec))!.client.id);
  const payable: PayableBooks<NonNullable<ReturnType<typeof find>>> = {
    now: () => instantOf(time.now()),
    newNumber: () => '',
    charges: { get: find },
    payCharge: (txid, { amount }, force) => {
      react();
      const client = shownAt(txid)!;
      // To the bare key: of such a Pix no bank calls.
      if (draws.chance(0.1))
        act(client, (session) => {
          const known = session.client.accounts.filter(({ chave }) => connected.has(chave));
          pay(session, { chave: draws.one(known).chave, valor: '3.00' });
        });
      // Banks hand on what payers' banks wrote.
      const nome = 'Maria\u0007\n "Lima"\t\\ Souza\u0000';
      const name = draws.chance(0.4) ? { pagador: { nome, cpf: '52998224725' } } : {};
      const isPaid = act(client, (session) =>
        pay(session, { txid, valor: formatAmount(centavos(amount)), ...name, ...(force === true && { force }) }),
      );
      react();
      return isPaid;
    },
    moveCharge: ({ txid }) => {
      act(shownAt(txid)!, ({ drawer }) => {
        const cob = drawer.find('cob', txid);
        if (cob?.status === 'ATIVA') drawer.save('cob', txid, { ...cob, status: 'REMOVIDA_PELO_PSP' });
      });
      react();
    },
  };
  /** A payer sees the code of a recurrence. */
  const seeRecurrence = (idRec: string): void => {
    const fate = draws.between(0, 100);
    const move = fate < 70 ? authorize : fate < 80 ? refuse : fate < 85 ? end : undefined;
    const client = clientOfRec(idRec);
    if (move !== undefined) later(client, draws.between(1000, 10 * minute), (session) => move(session, { idRec }));
    // A payer who does not respond lets it expire; and a payer may cancel an authorization.
    if (move === undefined) later(client, 26 * 60 * minute, (session) => end(session, { idRec, status: 'EXPIRADA' }));
    else if (draws.chance(0.15))
      later(client, draws.between(31 * minute, 600 * minute), (session) => end(session, { idRec }));
  };
  return { react, payable, removed, seeRecurrence };
}
