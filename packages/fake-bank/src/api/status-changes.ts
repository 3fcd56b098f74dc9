import type { Attempt, AttemptStatus, CobR, CobRStatus, Rec, RecStatus } from '../model.ts';
import { cobrNotice, recNotice } from './notices.ts';
import type { Session } from '../session.ts';
import { brasiliaDay } from '../time.ts';

/** Whether an attempt can still settle. */
export const isOpen = ({ status }: Pick<Attempt, 'status'>): boolean =>
  status === 'SOLICITADA' || status === 'AGENDADA';

/** Changes the status of a recurrence, adds it to the history, and notifies the receiver. */
export function moveRecurrence(session: Session, rec: Rec, status: RecStatus, more: Partial<Rec> = {}): Rec {
  const next: Rec = { ...rec, ...more, status, atualizacao: [...rec.atualizacao, { status, data: session.now }] };
  session.drawer.save('rec', rec.idRec, next);
  session.notify('rec', 'recs', recNotice(next));
  return next;
}

/** Ends a recurrence. The payer's bank then cancels its charges with an open attempt on a later day, with `CCLD`. */
export function endRecurrence(
  session: Session,
  rec: Rec,
  status: 'REJEITADA' | 'CANCELADA' | 'EXPIRADA',
  encerramento?: Rec['encerramento'],
): Rec {
  const next = moveRecurrence(session, rec, status, encerramento === undefined ? {} : { encerramento });
  const today = brasiliaDay(session.now);
  for (const cobr of session.drawer.list('cobr'))
    if (
      cobr.idRec === rec.idRec &&
      cobr.tentativas.some((tentativa) => isOpen(tentativa) && tentativa.dataLiquidacao > today)
    ) {
      const descricao = 'Autorização cancelada.';
      cancelCharge(session, cobr, { solicitante: 'PSP_PAGADOR', codigo: 'CCLD', descricao });
    }
  return next;
}

type CancellationOf = NonNullable<NonNullable<CobR['encerramento']>['cancelamento']>;

/** Cancels a recurring charge with its open attempts. */
export function cancelCharge(session: Session, cobr: CobR, cancelamento: CancellationOf): CobR {
  const tentativas = cobr.tentativas.map((tentativa) =>
    isOpen(tentativa) ? moveAttempt(tentativa, 'CANCELADA', session.now) : tentativa,
  );
  return moveCharge(session, cobr, 'CANCELADA', { tentativas, encerramento: { cancelamento } });
}

/** Changes a recurring charge and notifies the receiver. The history gets a status only if it is another one. */
export function moveCharge(session: Session, cobr: CobR, status: CobRStatus, more: Partial<CobR> = {}): CobR {
  const update = status === cobr.status ? [] : [{ status, data: session.now }];
  const next: CobR = { ...cobr, ...more, status, atualizacao: [...cobr.atualizacao, ...update] };
  session.drawer.save('cobr', cobr.txid, next);
  session.notify('cobr', 'cobsr', cobrNotice(session, next));
  return next;
}

/** Returns an attempt with a new status, also in its history. */
export function moveAttempt(
  attempt: Attempt,
  status: AttemptStatus,
  at: string,
  more: Pick<Attempt, 'rejeicao'> = {},
): Attempt {
  return { ...attempt, ...more, status, atualizacao: [...attempt.atualizacao, { status, data: at }] };
}
