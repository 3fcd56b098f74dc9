/** Who triggers a transition. One that a simulation tool forces stands for the bank's callback. */
export type Actor = 'bank' | 'service';

type Row<Status extends string> = readonly [from: Status, trigger: string, to: Status];

/**
 * The transitions of a resource, by their actor: the status before, the trigger (the value that a simulation tool
 * sends, or the name of what happened), the status after. No other code changes a status.
 */
export type TransitionTable<Status extends string = string> = Readonly<Record<Actor, readonly Row<Status>[]>>;

export type TriggerOf<T extends TransitionTable> = T[Actor][number][1];
type StatusAfter<T extends TransitionTable> = T[Actor][number][2];

/** Whether a resource knows the trigger, in whatever status: a tool may ask for any. */
export function isTrigger<T extends TransitionTable>(table: T, text: string): text is TriggerOf<T> {
  return [...table.bank, ...table.service].some((row) => row[1] === text);
}

/** The status to which a trigger leads from this one; undefined when the transition is not allowed. */
export function nextStatus<T extends TransitionTable>(
  table: T,
  from: string,
  trigger: TriggerOf<T>,
  by: Actor,
): StatusAfter<T> | undefined {
  return table[by].find((row) => row[0] === from && row[1] === trigger)?.[2];
}

/** The triggers of a bank's callback in a status: the error of a transition that is not allowed names them. */
export function triggersFrom<T extends TransitionTable>(table: T, from: string): readonly TriggerOf<T>[] {
  return table.bank.filter((row) => row[0] === from).map((row) => row[1]);
}

/** Every trigger of an actor, once, in the order of the table. */
export function triggersOf<T extends TransitionTable, By extends Actor>(table: T, by: By): readonly T[By][number][1][] {
  return [...new Set(table[by].map((row) => row[1]))];
}
