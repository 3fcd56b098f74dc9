import { commandBank } from '#functions/banks.ts';
import type { Bank } from '#shared/bank/bank.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { bankSettings } from '#shared/platform/settings.ts';
import type { Item, Store } from '#shared/platform/table/store.ts';
import type { Draws, Fact } from '#test/model/bank-books.ts';
import { instantOf } from '#test/model/bank-books.ts';
import { applyFact } from '#test/model/bank-callbacks.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';
import type { Actors } from './actors.ts';

type Over = {
  readonly actors: Actors;
  readonly store: Store;
  readonly isCalm: () => boolean;
  readonly finding: (invariant: string, text: string, ids: readonly string[]) => void;
  readonly add: (kind: string, text: string) => void;
  /** The company's own bank behind these ports. */
  readonly choose: <Ports extends object>(ports: Ports) => Ports;
  readonly itemsOf: (companyId: string, entity: string) => readonly Item[];
};

const longestCallMs = 29_000;

/**
 * The events of a bank: once or more often, in any order, or not at all when lists and look-ups find them. A lost event
 * is mostly repeated.
 */
export function callbacksOf(time: VirtualTime, draws: Draws, over: Over): (companyId: string, fact: Fact) => void {
  const { actors, store, isCalm, finding, add, choose, itemsOf } = over;
  const callBack = async (companyId: string, fact: Fact): Promise<void> => {
    add('bank', `${fact.kind} ${fact.reference}`);
    const now = (): string => instantOf(Math.floor(time.now()));
    const result = await actors.invoke({ name: 'bank-callback', timeoutMs: longestCallMs, companyId }, () => {
      // Of these ports the callbacks use those that every bank here has.
      const bank = choose(commandBank(store, bankSettings(), randomIds)) as unknown as Bank;
      const context = { store, ids: randomIds, at: now(), realNow: now, companyId, requestId: randomIds.uuid(), bank };
      return applyFact(fact, context, (entity) => itemsOf(companyId, entity));
    });
    if (isCalm() && result !== undefined && 'error' in result)
      finding('every bank event is applied', `${fact.kind} ${fact.reference}: ${String(result.error)}`, [
        fact.reference,
      ]);
    const isReceived = result !== undefined && 'ended' in result && result.ended;
    if (!isReceived && (fact.mustNotify === true || draws.chance(0.5)))
      later(companyId, fact, draws.between(60_000, 600_000));
  };
  const later = (companyId: string, fact: Fact, ms: number): void => {
    time.at(time.now() + ms, () => {
      void callBack(companyId, fact);
    });
  };
  return (companyId, fact) => {
    const copies =
      fact.mustNotify === true ? draws.between(1, 3) : isCalm() ? draws.one([1, 1, 2]) : draws.one([0, 0, 1, 1, 2]);
    for (let copy = 0; copy < copies; copy += 1)
      later(companyId, fact, draws.between(0, draws.chance(0.2) ? 1_800_000 : 20_000));
  };
}
