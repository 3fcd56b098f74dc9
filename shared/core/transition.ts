/** What triggers a transition. A simulation tool stands for the bank's callback. */
export type Actor = 'bank' | 'service';

type Row<Status extends string> = readonly [from: Status, trigger: string, to: Status];

/**
 * The transitions of a resource, by actor: status before, trigger (a simulation tool's value or an event's name),
 * status after. No other code changes a status.
 */
export type TransitionTable<Status extends string = string> = Readonly<Record<Actor, readonly Row<Status>[]>>;

export type TriggerOf<T extends TransitionTable> = T[Actor][number][1];
type StatusAfter<T extends TransitionTable> = T[Actor][number][2];

/** Whether a resource has the trigger, in any status. */
export function isTrigger<T extends TransitionTable>(table: T, text: string): text is TriggerOf<T> {
  return [...table.bank, ...table.service].some((row) => row[1] === text);
}

/** The next status; undefined when the transition is not allowed. */
export function nextStatus<T extends TransitionTable>(
  table: T,
  from: string,
  trigger: TriggerOf<T>,
  by: Actor,
): StatusAfter<T> | undefined {
  return table[by].find((row) => row[0] === from && row[1] === trigger)?.[2];
}

/** The bank's triggers in a status, for the error of a forbidden transition. */
export function triggersFrom<T extends TransitionTable>(table: T, from: string): readonly TriggerOf<T>[] {
  return table.bank.filter((row) => row[0] === from).map((row) => row[1]);
}

/** Every trigger of an actor, once, in the table's order. */
export function triggersOf<T extends TransitionTable, By extends Actor>(table: T, by: By): readonly T[By][number][1][] {
  return [...new Set(table[by].map((row) => row[1]))];
}
