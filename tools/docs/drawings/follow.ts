import type { Resource } from '#functions/transitions.ts';
import { transitions } from '#functions/transitions.ts';
import type { Actor, TransitionTable } from '#shared/core/transition.ts';
import { nextStatus } from '#shared/core/transition.ts';
import { eventOf } from './events.ts';
import type { Journey } from './journeys.ts';
import type { Language } from './languages.ts';

export type Lane = 'partner' | 'service' | 'bank';
/** One line of a drawing: a message from lane to lane, or a text in the service's lane, such as a new status. */
export type Line =
  | { readonly from: Lane; readonly to: Lane; readonly kind: 'call' | 'answer' | 'event'; readonly label: string }
  | { readonly becomes: string };

const tables: Readonly<Record<Resource, TransitionTable>> = transitions;

/** Returns every row of a resource with its actor. Rows that a bank alone can cause have the actor `bank`. */
export function rowsOf(resource: Resource) {
  const table = tables[resource];
  const rows = { bank: [...table.bank, ...(table.bankAlone ?? [])], service: table.service };
  return (['bank', 'service'] as const).flatMap((by) =>
    rows[by].map(([from, trigger, to]) => ({ from, trigger, to, by })),
  );
}

/** Returns the first status of a resource: no other status leads to it. @throws Error unless there is exactly one. */
export function firstStatus(resource: Resource): string {
  const rows = rowsOf(resource);
  const first = new Set(
    rows.map(({ from }) => from).filter((state) => !rows.some(({ from, to }) => to === state && from !== state)),
  );
  const [status] = first;
  if (status === undefined || first.size !== 1)
    throw new Error(`${resource} has not exactly one first status: ${[...first].join(', ')}.`);
  return status;
}

/** The lines of a journey. @throws Error for a transition that the tables do not have. */
export function follow({ name, before = {}, steps }: Journey, language: Language): readonly Line[] {
  const statuses = new Map(Object.entries(before));
  const next = (resource: Resource, trigger: string, by: Actor): string => {
    const from = statuses.get(resource) ?? 'nothing';
    const to = nextStatus(tables[resource], from, trigger, by);
    if (to === undefined)
      throw new Error(`${name}: the table of ${resource} has no transition ${trigger} from ${from}.`);
    return to;
  };
  const became = (resource: Resource, trigger: string, to: string): readonly Line[] => {
    const from = statuses.get(resource);
    statuses.set(resource, to);
    const change = from === undefined || from === to ? to : `${from} → ${to}`;
    const event = eventOf(resource, { trigger, to });
    return [
      { becomes: `${resource} ${change}` },
      ...(event === undefined ? [] : [{ from: 'service', to: 'partner', kind: 'event', label: event } as const]),
    ];
  };
  return steps.flatMap((step): readonly Line[] => {
    if ('makes' in step) return became(step.makes, step.as, step.as);
    if ('moves' in step) {
      const { moves, trigger, by, label } = step;
      const to = next(moves, trigger, by);
      const text = label?.[language];
      const cause: Line | undefined =
        text === undefined
          ? undefined
          : by === 'service'
            ? { becomes: text }
            : { from: 'bank', to: 'service', kind: 'call', label: text };
      return [...(cause === undefined ? [] : [cause]), ...became(moves, trigger, to)];
    }
    const { calls, begins = [], asks, then = [] } = step;
    const status = Object.keys(calls.responses).at(-1);
    return [
      { from: 'partner', to: 'service', kind: 'call', label: `${calls.method} ${calls.path}` },
      ...begins.flatMap((resource) => became(resource, '', firstStatus(resource))),
      ...(asks === undefined ? [] : [{ from: 'service', to: 'bank', kind: 'call', label: asks[language] } as const]),
      ...then.flatMap(({ moves, trigger, by }) => {
        return became(moves, trigger, next(moves, trigger, by));
      }),
      { from: 'service', to: 'partner', kind: 'answer', label: String(status) },
    ];
  });
}
