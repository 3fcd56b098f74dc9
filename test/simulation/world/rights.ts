import type { FunctionAccess } from '#functions/access.ts';
import { routes } from '#functions/routes.ts';
import { workerNames, workers } from '#functions/workers.ts';
import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import type { Ask, Right } from '#test/support/rights.ts';
import { accessDenied, rightsOf } from '#test/support/rights.ts';
import type { Actors } from './actors.ts';
import type { History } from './history.ts';

/**
 * What each function may do, by its access: outside production every endpoint may hold a slow response. What a bank
 * says by itself is applied with the rights of the worker that applies it.
 */
function accesses(): ReadonlyMap<string, FunctionAccess> {
  return new Map<string, FunctionAccess>([
    ...routes.map(({ contract, access }) => [contract.operationId, { ...access, slowCalls: 'holds' }] as const),
    ...workerNames.map((name) => [name, workers[name].access] as const),
    ['bank-callback', workers['apply-callbacks'].access],
  ]);
}

/** The judge of rights: each use is counted, and one that a function's access does not name is refused and found. */
export function rightsJudge(actors: Actors, { finding, met }: Pick<History, 'finding' | 'met'>) {
  const granted = new Map([...accesses()].map(([name, access]) => [name, rightsOf(access)] as const));
  /** The first of these rights that the function lacks; without one, all are counted as used. */
  const lackingOf = (name: string, needed: readonly Right[], call: string): Right | undefined => {
    const lacking = needed.find((right) => granted.get(name)?.has(right) === false);
    if (lacking === undefined) for (const right of needed) met(`right ${name}: ${right}`);
    else
      finding(
        'a function uses only its access rights',
        `${name} has no right ${lacking}: ${call}`,
        call.split(/[ #]/u),
      );
    return lacking;
  };
  /** Of the current invocation; operators and the world itself may do all. */
  const ask: Ask = (needed, call) => {
    const actor = actors.present();
    if (actor === undefined || !granted.has(actor.name)) return;
    const lacking = lackingOf(actor.name, needed, call);
    if (lacking !== undefined) throw accessDenied(lacking, call);
  };
  return {
    ask,
    /** Whether an event source may do it, which has the rights of the function that it calls. */
    maySource: (name: WorkerName, right: Right, call: string): boolean => lackingOf(name, [right], call) === undefined,
  };
}
