import type { Infracao, Pix, Session } from '@banking-order/fake-bank';
import { cents, claim, decideClaim, operations, returnByMed } from '@banking-order/fake-bank';
import { centavos, formatAmount } from '#shared/core/money.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Draws } from './bank-books.ts';

const minute = 60_000;
const hour = 60 * minute;
const daySeconds = 86_400;

/** A move at a client of the bank after so many milliseconds. */
type Later = (client: string, ms: number, move: (session: Session) => unknown) => void;

type Claimed = { readonly client: string; readonly endToEndId: string; readonly idInfracao: string };

const text = (amount: number): string => formatAmount(centavos(amount));

/** Centavos of a Pix that have not gone back and are not about to. */
function leftOf({ drawer }: Session, endToEndId: string): number {
  const { valor, devolucoes } = drawer.find('pix', endToEndId)!;
  return devolucoes
    .filter(({ status }) => status !== 'NAO_REALIZADO')
    .reduce((left, devolucao) => left - cents(devolucao.valor), cents(valor));
}

/** The begin of a defence that the service has not sent. */
export const inApp = 'In the app';

/** Whether another account of the company sent a Pix: its number names this bank. */
export function isOwnPix({ endToEndId }: Pick<Pix, 'endToEndId'>): boolean {
  return endToEndId.startsWith('E09089356');
}

/**
 * What happens to received payments that their payers claim back (MED), by chance: claims that are opened one after
 * another, defended in the bank's own app, accepted, rejected and canceled, and money that the banks return with a
 * claim, before its end, after it, and without one.
 */
export function claimsAtBank({
  draws,
  later,
  see,
  isOver,
}: {
  readonly draws: Draws;
  readonly later: Later;
  readonly see: (event: string) => void;
  /** Whether no claim is opened any more: what happens of them must be heard. */
  readonly isOver: () => boolean;
}) {
  const considered = new Set<string>();

  /** Returns a part of what is left, or all of it. */
  const takeBack = (session: Session, endToEndId: string, wanted: number, natureza: string): void => {
    const amount = Math.min(wanted, leftOf(session, endToEndId));
    if (amount < 1) return;
    returnByMed(session, { endToEndId, valor: text(amount), natureza });
    see('returned by MED');
  };
  const decide = (session: Session, { idInfracao }: Claimed, status: Infracao['status'], valor?: string): void => {
    decideClaim(session, { idInfracao, status, ...(valor !== undefined && { valor }) });
    see(`claim ${status}${valor === '0.00' ? ' before its return' : ''}`);
  };
  const accept = (claimed: Claimed, ms: number): void => {
    const { client, endToEndId, idInfracao } = claimed;
    const order = draws.one(['TOGETHER', 'TOGETHER', 'TOGETHER', 'CLAIM_FIRST', 'MONEY_FIRST', 'NO_MONEY'] as const);
    const parts = draws.one([1, 1, 2, 3]);
    const betweenMs = draws.between(1000, draws.chance(0.5) ? 2 * minute : 90 * minute);
    later(client, ms, (session) => {
      const { valor, natureza, endToEndId: of } = session.drawer.find('infracao', idInfracao)!;
      const wanted = Math.min(Math.ceil(cents(valor) / parts), leftOf(session, of));
      // A refund of the partner has taken it: nothing is left to return.
      if (wanted < 1) decide(session, claimed, 'REJEITADA');
      else if (order === 'TOGETHER') {
        decide(session, claimed, 'ACEITA', text(wanted));
        see('returned by MED');
      } else if (order === 'MONEY_FIRST') {
        takeBack(session, endToEndId, wanted, natureza);
        later(client, betweenMs, (after) => {
          decide(after, claimed, 'ACEITA', '0.00');
        });
      } else {
        decide(session, claimed, 'ACEITA', '0.00');
        if (order === 'CLAIM_FIRST')
          later(client, betweenMs, (after) => {
            takeBack(after, endToEndId, wanted, natureza);
          });
        // The account had nothing, and the banks gave up.
        else see('claim accepted without money');
      }
    });
  };
  /** A claim is defended, and ends, or stays open. */
  const live = (claimed: Claimed, again: number): void => {
    const { client, endToEndId } = claimed;
    if (draws.chance(0.15))
      later(client, draws.between(minute, hour), (session) => {
        defendInApp(session, claimed);
        see('defended in the app');
      });
    const end = draws.between(0, 100);
    const ms = draws.between(minute, draws.chance(0.3) ? 10 * minute : 2 * hour);
    if (end < 35 && !isOwnPix({ endToEndId })) accept(claimed, ms);
    else if (end < 65)
      later(client, ms, (session) => {
        decide(session, claimed, end < 50 ? 'REJEITADA' : 'CANCELADA_EFI');
      });
    else {
      see('claim stays open');
      return;
    }
    // One after another: sooner than the end of the first is heard, or later.
    if (again > 0) open(client, endToEndId, ms + draws.between(1000, 90 * minute), again - 1);
  };
  const open = (client: string, endToEndId: string, ms: number, again: number): void => {
    later(client, ms, (session) => {
      const { valor } = session.drawer.find('pix', endToEndId)!;
      // All that is left, a part, or all that was paid: more than is left when some went back.
      const asked = draws.one([{}, {}, { valor: text(Math.ceil(cents(valor) / draws.one([2, 3]))) }, { valor }]);
      const limit = plusSeconds(session.now, draws.one([1800, daySeconds, daySeconds, 2 * daySeconds, 7 * daySeconds]));
      const { idInfracao } = claim(session, {
        ...{ endToEndId, ...asked, prazoFinalizacao: limit },
        natureza: draws.one(['MED_FRAUDE', 'MED_OPERACIONAL']),
      });
      see(again === 0 ? 'claim' : 'claim of two');
      live({ client, endToEndId, idInfracao }, again);
    });
  };

  return {
    /** Gives a received payment its fate, once. */
    consider: (client: string, { endToEndId, valor }: Pix): void => {
      if (isOver() || considered.has(endToEndId)) return;
      considered.add(endToEndId);
      if (!draws.chance(0.85)) return;
      if (draws.chance(0.8) || isOwnPix({ endToEndId })) {
        open(client, endToEndId, draws.between(1000, 4 * minute), draws.one([0, 0, 1]));
        return;
      }
      const parts = draws.one([1, 1, 2]);
      const natureza = draws.one(['MED_FRAUDE', 'MED_OPERACIONAL', 'MED_PIX_AUTOMATICO']);
      const ms = draws.between(1000, hour);
      later(client, ms, (session) => {
        takeBack(session, endToEndId, Math.ceil(cents(valor) / parts), natureza);
        see('returned by MED without a claim');
      });
      if (draws.chance(0.3)) open(client, endToEndId, ms + draws.between(1000, hour), 0);
    },
  };
}

/** The receiver defends a claim in the app of its bank, which takes the same as by its API. */
function defendInApp(session: Session, { idInfracao }: Claimed): void {
  const operation = operations.find(({ path }) => path.endsWith('/defesa'))!;
  const body = { analise: 'rejeitado', justificativa: `${inApp}, of ${idInfracao}` };
  operation.run(session, { params: { idInfracao }, query: new URLSearchParams(), body, headers: {} });
}
