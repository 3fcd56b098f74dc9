import { transitions } from '#functions/transitions.ts';
import type { TransitionTable } from '#shared/core/transition.ts';
import { finalStatuses } from '#test/support/final-statuses.ts';
import type { Violation } from '../journal.ts';
import type { Resource } from './resources.ts';

/** The table of transitions of each kind, and the status that it begins with. */
const tables = {
  PAY_IN: { table: 'PAY_IN', begins: 'PENDING' },
  REFUND: { table: 'REFUND', begins: 'PENDING' },
  PAYOUT: { table: 'PAYOUT', begins: 'PENDING' },
  PAYMENT: { table: 'PAYOUT', begins: 'PENDING' },
  SUBSCRIPTION: { table: 'SUBSCRIPTION', begins: 'INITIAL' },
  SCHEDULED_PAYMENT: { table: 'SCHEDULED_PAYMENT', begins: 'INITIAL' },
} as const;

/** Those that keep every status that they had. */
const keepHistory = new Set<Resource['kind']>(['SUBSCRIPTION', 'SCHEDULED_PAYMENT']);

/**
 * A history begins where it must, goes on by rows of the table, and is longer than before or the same. The others show
 * only their current status: rows lead to it from the one that was seen last, and none from a final one.
 * @param seen the statuses of the last reading; undefined before the first one
 */
export function findStatusViolations(resource: Resource, seen: readonly string[] | undefined): readonly Violation[] {
  const { kind, id, statuses: now } = resource;
  const { table, begins } = tables[kind];
  const faults: Violation[] = [];
  const holds = (is: boolean, invariant: string): void => {
    const text = `${kind} ${id}: before ${seen?.join(' ') ?? 'nothing'}, now ${now.join(' ')}`;
    if (!is) faults.push({ invariant, text, ids: [id] });
  };
  const last = seen?.at(-1);
  const isFinal = finalStatuses[table].some((status) => status === last);
  // By a list of its own: a wrong row of the table must not hide it.
  holds(!isFinal || now.at(-1) === last, 'a final status stays');
  if (keepHistory.has(kind)) {
    holds(now[0] === begins, 'a history begins with its first status');
    holds(
      (seen ?? []).every((status, place) => now[place] === status),
      'a history only grows',
    );
    const moves = now.slice(1).map((to, place) => [now[place] ?? '', to] as const);
    holds(
      moves.every(([from, to]) => rowsOf(kind).some((row) => row[0] === from && row[2] === to)),
      moving,
    );
  } else holds(isReached(kind, last ?? begins, now[0] ?? ''), moving);
  return faults;
}
const moving = 'a status changes only by an allowed transition';

type Row = readonly [string, string, string];

function rowsOf(kind: Resource['kind']): readonly Row[] {
  const table: TransitionTable = transitions[tables[kind].table];
  const rows = [...table.bank, ...(table.bankAlone ?? []), ...table.service];
  // The table of payouts is that of each payment: of a batch some may end in one way, some in another.
  return kind === 'PAYOUT' ? [...rows, ['PENDING', 'PAID', 'PARTIALLY_PAID']] : rows;
}

/** Whether rows lead from one status to the other, over others or directly. */
function isReached(kind: Resource['kind'], from: string, to: string): boolean {
  const found = [from];
  for (const one of found)
    found.push(
      ...rowsOf(kind).flatMap(([before, , after]) => (before === one && !found.includes(after) ? [after] : [])),
    );
  return found.includes(to);
}
