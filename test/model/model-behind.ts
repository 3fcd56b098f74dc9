import { account, companyOne } from '../support/bank-world.ts';
import type { Bank } from '#shared/bank/bank.ts';
import type { BankBehind, Ground } from './bank-behind.ts';
import { drawStorm } from './bank-behind.ts';
import type { Fact } from './bank-books.ts';
import { bankBooks } from './bank-books.ts';
import { applyFact } from './bank-callbacks.ts';
import { checkEnd } from './bank-checks.ts';
import { otherAccount } from './bank-partner.ts';
import { payersOf } from './bank-payers.ts';
import type { Weather } from './bank-ports.ts';
import { asSimulated, drawWays, modelBank } from './bank-ports.ts';
import type { Trouble } from './bank-process.ts';
import { calm, everyCall, serviceProcess } from './bank-process.ts';
import { checkRecurring, collectedBy } from './bank-recurrence-checks.ts';
import { recurrencePorts } from './bank-recurrence-ports.ts';
import { recurrenceBooks } from './bank-recurrences.ts';

/** The model's own bank: it speaks the ports, and tells its facts to the service. */
export function modelBehind(ground: Ground): BankBehind {
  const { world, table, time, draws, mutation, now, see, track, counted, isQuiet, opening } = ground;
  const ways = { ...drawWays(draws), ...mutation.ways };
  const storm = drawStorm(draws);
  const trouble = (): Trouble => (isQuiet() ? calm : storm.trouble);
  const faultSchedule = (): Weather => ({ faults: isQuiet() ? 0 : storm.faults, lagMs: storm.lagMs });
  const report = (fact: Fact): void => {
    spread(fact);
    if (fact.kind === 'PAYOUT' && fact.state.status === 'PAID' && draws.chance(0.3))
      time.at(time.now() + draws.between(3_600_000, 7_200_000), () => {
        contradict(fact.reference);
      });
  };
  /** A bank that says of a payment that it was paid, and later that it was not: nothing of that is true. */
  const contradict = (reference: string): void => {
    const isPaid = world
      .items()
      .some((item) => item['id'] === reference && item['entity'] === 'PAYOUT' && item['status'] === 'PAID');
    const state = { status: 'ERROR', code: 'AB09', reason: 'A mistake of the bank.', returns: [] } as const;
    if (isPaid) spread({ kind: 'PAYOUT', reference, state, mustNotify: true });
  };
  const books = bankBooks(time, draws, { ids: world.ids, ways, notify: report });
  for (const id of [account, otherAccount]) books.book(id, opening);
  const recurring = recurrenceBooks(time, draws, { ids: world.ids, books, tell: report });
  const automatic = recurrencePorts(recurring, books, { time, draws, ways, faultSchedule, counted });
  const ports = modelBank(books, draws, {
    time,
    ways,
    faultSchedule,
    counted,
    directory: asSimulated(world.bank.directory),
  });
  const connectionOf = (): Promise<string> => Promise.resolve('the model');
  const bank: Bank = { ...world.simulated, ...ports, ...automatic, connectionOf };
  const understood = mutation.bank?.(bank, draws) ?? bank;
  const bankOver: Parameters<typeof serviceProcess<Bank>>[0]['bankOver'] = (_store, mortal) =>
    everyCall(understood, mortal);
  const begin = () => serviceProcess({ store: table, bankOver }, { time, draws, trouble, counted });

  /** A callback: a process of its own that may die; the bank repeats what was not acknowledged, most of the time. */
  const callBack = (fact: Fact, afterMs: number): void => {
    const work = async (): Promise<void> => {
      await time.sleep(afterMs);
      const { store, died } = begin();
      const context = { ...{ store, ids: world.ids, at: now(), realNow: now }, companyId: companyOne };
      const applied = applyFact(fact, { ...context, requestId: world.ids.uuid(), bank: understood }, world.items).catch(
        () => false,
      );
      see(`callback ${fact.kind}`);
      if ((await Promise.race([applied, died])) === true) return;
      if (fact.mustNotify === true || draws.chance(0.5)) callBack(fact, draws.between(60_000, 600_000));
    };
    void track(work);
  };
  const spread = (fact: Fact): void => {
    const copies = fact.mustNotify === true ? draws.between(1, 3) : draws.one([0, 0, 1, 1, 2, 3]);
    for (let copy = 0; copy < copies; copy += 1)
      callBack(fact, draws.between(0, draws.chance(0.2) ? 1_800_000 : 20_000));
  };
  return {
    ...{ begin, see: payersOf({ time, draws, books }).see, seeRecurrence: recurring.seeRec },
    // It tells all that it must.
    readLists: () => Promise.resolve(),
    check: () => [
      ...checkEnd(world.items(), books, collectedBy(recurring)),
      ...checkRecurring(world.items(), books, recurring),
    ],
    commands: () => books.commands.size,
  };
}
