/**
 * The actor of a transition. `bank`: the bank, or a simulation tool in its place. `bankAlone`: the bank, including
 * transitions that no tool can cause. `service`: this service.
 */
export type Actor = 'bank' | 'bankAlone' | 'service';

type Row<Status extends string> = readonly [from: Status, trigger: string, to: Status];
type Rows<Status extends string> = readonly Row<Status>[];

/**
 * The transitions of a resource by actor: status before, trigger (a simulation tool's value or an event's name), status
 * after. No other code changes a status. `bankAlone`: transitions that the bank can cause but no tool.
 */
export type TransitionTable<Status extends string = string> = Readonly<Record<'bank' | 'service', Rows<Status>>> & {
  readonly bankAlone?: Rows<Status>;
};

type RowOf<T extends TransitionTable> =
  | T['bank'][number]
  | T['service'][number]
  | (T extends { readonly bankAlone: Rows<string> } ? T['bankAlone'][number] : never);
export type TriggerOf<T extends TransitionTable> = RowOf<T>[1];
type StatusAfter<T extends TransitionTable> = RowOf<T>[2];

/** Whether a resource has the trigger, in any status. */
export function isTrigger<T extends TransitionTable>(table: T, text: string): text is TriggerOf<T> {
  return [...rowsOf(table, 'bankAlone'), ...table.service].some((row) => row[1] === text);
}

/** The next status; undefined when the transition is not allowed. */
export function nextStatus<T extends TransitionTable>(
  table: T,
  from: string,
  trigger: TriggerOf<T>,
  by: Actor,
): StatusAfter<T> | undefined {
  return rowsOf(table, by).find((row) => row[0] === from && row[1] === trigger)?.[2];
}

function rowsOf(table: TransitionTable, by: Actor): Rows<string> {
  return by === 'bankAlone' ? [...table.bank, ...(table.bankAlone ?? [])] : table[by];
}

/** Returns the triggers that bank and tools have in a status, for the error of a forbidden transition. */
export function triggersFrom<T extends TransitionTable>(table: T, from: string): readonly TriggerOf<T>[] {
  return table.bank.filter((row) => row[0] === from).map((row) => row[1]);
}

/** Every trigger of bank or service, once, in the table's order. */
export function triggersOf<T extends TransitionTable, By extends 'bank' | 'service'>(
  table: T,
  by: By,
): readonly T[By][number][1][] {
  return [...new Set(table[by].map((row) => row[1]))];
}
