import type { Actor } from '#shared/core/transition.ts';
import { transitions } from '#functions/transitions.ts';
import type { JsonObject } from './schemas.ts';

type Rows = readonly (readonly [from: string, trigger: string, to: string])[];

/** What moves and how, as data for clients: the tables by which the service itself decides. */
export const documentedMoves: JsonObject = Object.fromEntries(
  Object.entries<Readonly<Record<Actor, Rows>>>(transitions).map(([resource, { bank, service }]) => [
    resource,
    [...documented(bank, 'bank'), ...documented(service, 'service')],
  ]),
);

function documented(rows: Rows, by: Actor): readonly JsonObject[] {
  return rows.map(([from, trigger, to]) => ({ from, trigger, to, by }));
}
