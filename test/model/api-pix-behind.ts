import { account, companyOne } from '../support/bank-world.ts';
import { testIds } from '../support/test-ids.ts';
import { openArchive, openBank } from '@banking-order/fake-bank';
import { commandBank, payingBankOf } from '#functions/banks.ts';
import { creditUnplaced } from '#infra/operator/bank.ts';
import { bankReader } from '#shared/bank/dialects/efi/reader.ts';
import type { ReaderOf } from '#shared/bank/ports/reader.ts';
import type { Bank } from '#shared/bank/bank.ts';
import { liveConnections, readBanks } from '#shared/bank/connection.ts';
import { connections } from '#shared/bank/connections.ts';
import { knownConnections } from '#shared/bank/known-connections.ts';
import { checkBalance, comparedTogether } from '#shared/bank-events/balance.ts';
import { bankEventContext } from '#shared/bank-events/context.ts';
import { listUnplaced } from '#shared/bank-events/unplaced-credits.ts';
import { workLists } from '#shared/bank-events/work-lists.ts';
import { endBooks, cameOtherwise, endRecurrences } from './api-pix-books.ts';
import { accountOfKey, accounts, everywhere, openClients, together } from './api-pix-clients.ts';
import { checkDisputes } from './api-pix-dispute-checks.ts';
import { bankLife } from './api-pix-life.ts';
import { callbackQueue } from './api-pix-news.ts';
import { bankOperator, subject } from './api-pix-operator.ts';
import { checkPlaces, hiddenCharges, shownAt } from './api-pix-places.ts';
import { drawFaults, wayTo } from './api-pix-way.ts';
import type { BankBehind, Ground } from './bank-behind.ts';
import { drawStorm } from './bank-behind.ts';
import { beginsAt } from './bank-books.ts';
import { checkEnd } from './bank-checks.ts';
import { payersOf } from './bank-payers.ts';
import type { Wrap } from './bank-process.ts';
import { calm, serviceProcess } from './bank-process.ts';
import { checkRecurring } from './bank-recurrence-checks.ts';
import type { Store } from '#shared/platform/table/store.ts';

const hour = 3_600_000;
/** Lists are read every hour, longer than any event of the busy time is under way. */
const hoursOfLists = 30;
const daysOfLists = 12;

/** The bank of this machine behind the service's adapter of API Pix: both as they are, without sockets. */
export async function apiPixBehind(ground: Ground): Promise<BankBehind> {
  const { world, time, draws, mutation, now, track, counted, isQuiet, opening, see, problems } = ground;
  const storm = drawStorm(draws);
  const clock = () => beginsAt + time.now();
  const archive = openArchive(':memory:', clock);
  const caller = { cert: '', key: '', certFile: '', keyFile: '', subject };
  const queue = callbackQueue(ground, { subject, begin: () => begin() });
  const bank = openBank(archive, caller, clock, { ids: testIds('bank'), send: queue.hear });
  openClients(bank);
  const operator = bankOperator(bank, ground);
  const forge = (address: string, body: object): void => void queue.hear(address, JSON.stringify(body));
  const { connected } = operator;
  const bankActivity = bankLife(bank, {
    time,
    draws,
    forge,
    connected,
    see,
    isQuiet,
    shownAt: (txid) => shownAt(world.items(), txid),
  });
  drawFaults(bank, draws, storm);
  const way = wayTo(bank, { ...ground, bankActivity, operator, faults: storm.faults });
  const exchange = mutation.exchange?.(way.exchange) ?? way.exchange;
  await operator.begin();

  const bankOver = (store: Store, mortal: Wrap): { readonly bank: Bank; readonly readerOf: ReaderOf } => {
    const known = knownConnections(store, false);
    const { fetchSecret } = operator;
    const report = (message: string): void => {
      see(`told ${message}`);
    };
    const ways = { exchangesOf: () => mortal(exchange), report };
    const connect = connections({ store, known, now, fetchSecret, allowLocal: false, ...ways });
    const { settings } = world.deps;
    const ports = {
      ...payingBankOf(store, settings, world.ids, connect),
      ...commandBank(store, settings, world.ids, connect),
    };
    const readerOf: ReaderOf = async ({ companyId, id }) => {
      const reader = bankReader((await connect(companyId, id))!.client, now);
      return mutation.reader?.(reader, queue.told) ?? reader;
    };
    return { bank: mutation.bank?.(ports, draws) ?? ports, readerOf };
  };
  const trouble = () => (isQuiet() ? calm : storm.trouble);
  const begin = () => {
    const {
      store,
      died,
      bank: own,
    } = serviceProcess({ store: ground.table, bankOver }, { time, draws, trouble, counted });
    return { store, died, ...own };
  };

  operator.moveAtTimes(begin);

  const readLists = async (isDaily: boolean): Promise<void> => {
    const { store, died, bank: own, readerOf } = begin();
    const run = {
      store,
      now,
      remainingMs: () => Infinity,
      failed: () => {
        see('lists failed');
      },
    };
    const deps = { ...world.deps, store, bank: own, now, realNow: now, readerOf };
    const read = workLists(run, deps, isDaily ? 'DAILY' : 'HOURLY').then(
      ({ counts }) => {
        if ((counts.MissedByCallback ?? 0) > 0) see('missed by callback');
      },
      // The table failed: the next run reads on.
      () => {
        see('lists failed');
      },
    );
    await Promise.race([read, died]);
    see(isDaily ? 'lists of a day' : 'lists of an hour');
  };
  for (let hours = 1; hours <= hoursOfLists; hours += 1)
    time.at(hours * hour - 1000, () => void track(() => readLists(false)));
  // While all is under way, more often than later.
  for (const share of [0.2, 0.4, 0.6, 0.8, 1.2, 1.4, 1.6])
    time.at(share * hour, () => void track(() => readLists(false)));
  for (let days = 1; days <= daysOfLists; days += 1)
    time.at(days * 24 * hour + 1000, () => void track(() => readLists(true)));

  /** The balances of the banks are the sum of the entries, which no account that moved leaves in doubt. */
  const compareBalances = async (): Promise<void> => {
    const { store, bank: own, readerOf } = begin();
    const deps = { ...world.deps, store, bank: own, now, realNow: now, readerOf };
    const live = liveConnections(await readBanks(world.store, companyOne));
    for (const together of comparedTogether(live)) {
      const contexts = await Promise.all(together.map(({ id }) => bankEventContext(deps, companyOne, id)));
      const [first, ...more] = contexts.flatMap((context) =>
        context === undefined ? [] : [{ context, readAt: now() }],
      );
      if (first === undefined) continue;
      const group = [first, ...more] as const;
      const difference = await checkBalance(group);
      if (difference !== 0) problems.push({ check: 'money', text: `the service sees ${difference} more at its banks` });
      see('balances compared');
      if (group.length > 1) see('balances compared together');
    }
  };
  /** An operator asks the bank to which account it came. @returns whether there was any */
  const bookUnplaced = async (): Promise<boolean> => {
    const unplaced = await listUnplaced(world.store, companyOne);
    for (const { endToEndId } of unplaced) {
      const chave = everywhere(bank, (sessions) => together(sessions).find('pix', endToEndId)!.chave);
      const accountId = accountOfKey(chave);
      const deps = { store: world.store, ids: world.ids, now };
      await creditUnplaced(deps, { companyId: companyOne, endToEndId, accountId });
      see('credit booked by the operator');
    }
    return unplaced.length > 0;
  };
  // Before the lists of days end: what went back of it meanwhile is in them.
  time.at(3 * hour, () => void track(bookUnplaced));

  return {
    begin,
    see: payersOf({ time, draws, books: bankActivity.payable }).see,
    seeRecurrence: bankActivity.seeRecurrence,
    readLists: async () => {
      do {
        time.at(time.now(), () => void track(() => readLists(true)));
        await time.run(time.now() + 600_000);
      } while (await bookUnplaced());
      time.at(time.now(), () => void track(compareBalances));
      await time.run(time.now() + 600_000);
    },
    check: () =>
      everywhere(bank, (sessions) => {
        const { removed } = bankActivity;
        const items = world.items();
        const all = together(sessions, hiddenCharges(sessions, items));
        const books = endBooks(all, { accounts, opening, removed, refusals: way });
        const recurring = endRecurrences(all, account);
        return [
          ...checkPlaces(sessions, items, operator.brought),
          ...checkEnd(items, books, cameOtherwise(all)),
          ...checkRecurring(items, books, recurring),
          ...checkDisputes(items, all),
        ];
      }),
    commands: () => way.commands.size,
  };
}
