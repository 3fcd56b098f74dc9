import { certificate, privateKey } from '../bank/bank-certificate.ts';
import { account, companyOne, holder } from '../support/bank-world.ts';
import { testIds } from '../support/test-ids.ts';
import { openArchive } from '#infra/local/bank/archive.ts';
import { operations } from '#infra/local/bank/api/operations.ts';
import { openBank } from '#infra/local/bank/bank.ts';
import type { Bank as LocalBank } from '#infra/local/bank/bank.ts';
import { commandBank, payingBankOf } from '#functions/banks.ts';
import { creditUnplaced } from '#infra/operator/bank.ts';
import { bankReader } from '#shared/bank/api-pix/reader.ts';
import type { ReaderOf } from '#shared/bank/api-pix/reading.ts';
import type { Bank } from '#shared/bank/bank.ts';
import { callbackTokenHash } from '#shared/bank/connection.ts';
import { connections } from '#shared/bank/connections.ts';
import { knownConnections } from '#shared/bank/known-connections.ts';
import { listUnplaced } from '#shared/news/unplaced-credits.ts';
import { workLists } from '#shared/news/work-lists.ts';
import { endBooks, cameOtherwise, endRecurrences } from './api-pix-books.ts';
import { bankLife, modelClient } from './api-pix-life.ts';
import { newsQueue } from './api-pix-news.ts';
import { drawFaults, wayTo } from './api-pix-way.ts';
import type { BankBehind, Ground } from './bank-behind.ts';
import { drawStorm } from './bank-behind.ts';
import { beginsAt } from './bank-books.ts';
import { checkEnd } from './bank-checks.ts';
import { otherAccount } from './bank-partner.ts';
import { payersOf } from './bank-payers.ts';
import type { Wrap } from './bank-process.ts';
import { calm, serviceProcess } from './bank-process.ts';
import { checkRecurring } from './bank-recurrence-checks.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { connectedItems, connectionId } from '../support/connected-items.ts';

const accounts = [account, otherAccount];
const token = 'callbacks-of-the-bank-of-the-model';
const subject = 'CN=bank.example';
const hour = 3_600_000;
/** Lists are read every hour, longer than any news of the busy time is under way. */
const hoursOfLists = 30;
const daysOfLists = 12;

/** The bank of this machine behind the service's adapter of API Pix: both as they are, without sockets. */
export async function apiPixBehind(ground: Ground): Promise<BankBehind> {
  const { world, time, draws, mutation, now, track, counted, isQuiet, opening, see } = ground;
  const storm = drawStorm(draws);
  const clock = () => beginsAt + time.now();
  const archive = openArchive(':memory:', clock);
  const caller = { cert: '', key: '', certFile: '', keyFile: '', subject };
  const queue = newsQueue(ground, { token, subject, begin: () => begin() });
  const bank = openBank(archive, caller, clock, { ids: testIds('bank'), send: queue.hear });
  openClient(bank, opening);
  const forge = (body: object): void => void queue.hear('', JSON.stringify(body));
  const life = bankLife(bank, { time, draws, forge });
  drawFaults(bank, draws, storm);
  const way = wayTo(bank, { ...ground, life, faults: storm.faults });
  const exchange = mutation.exchange?.(way.exchange) ?? way.exchange;
  await connect(ground);

  const secret = JSON.stringify({ clientId: modelClient, clientSecret: 'secret', certificate, key: privateKey });
  const bankOver = (store: Store, mortal: Wrap): { readonly bank: Bank; readonly readerOf: ReaderOf } => {
    const known = knownConnections(store, false);
    const fetchSecret = () => Promise.resolve(secret);
    const report = (what: string): void => {
      see(`told ${what}`);
    };
    const ways = { exchangesOf: () => mortal(exchange), report };
    const of = connections({ store, known, now, fetchSecret, allowLocal: false, ...ways });
    const { settings } = world.deps;
    const ports = {
      ...payingBankOf(store, settings, world.ids, of),
      ...commandBank(store, settings, world.ids, of),
    };
    const readerOf: ReaderOf = async ({ companyId, id }) => {
      const reader = bankReader((await of(companyId, id))!.client, now);
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
  for (let days = 1; days <= daysOfLists; days += 1)
    time.at(days * 24 * hour + 1000, () => void track(() => readLists(true)));

  /** An operator asks the bank to which account it came. */
  const bookUnplaced = async (): Promise<void> => {
    for (const { endToEndId } of await listUnplaced(world.store, companyOne)) {
      const accountId = bank.serve(modelClient, 0, ({ drawer }) => drawer.find('pix', endToEndId)!.chave);
      const operator = { store: world.store, ids: world.ids, now };
      await creditUnplaced(operator, { companyId: companyOne, endToEndId, accountId });
      see('credit booked by the operator');
    }
  };

  return {
    begin,
    see: payersOf({ time, draws, books: life.payable }).see,
    seeRecurrence: life.seeRecurrence,
    readLists: async () => {
      time.at(time.now(), () => void track(() => readLists(true)));
      await time.run(time.now() + 600_000);
      await bookUnplaced();
    },
    check: () =>
      bank.serve(modelClient, 0, ({ drawer, client }) => {
        const { removed } = life;
        const books = endBooks(drawer, { accounts, opening, removed, refusals: way });
        const total = [...books.balances.values()].reduce((sum, one) => sum + one, 0);
        const recurring = endRecurrences(drawer, account);
        return [
          ...(total === client.balance
            ? []
            : [{ check: 'money' as const, text: `the bank has ${client.balance}, its documents ${total}` }]),
          ...checkEnd(world.items(), books, cameOtherwise(drawer)),
          ...checkRecurring(world.items(), books, recurring),
        ];
      }),
    commands: () => way.commands.size,
  };
}

/** The company as the bank has it: the keys of its accounts are their ids. */
function openClient(bank: LocalBank, opening: number): void {
  bank.transact((common) => {
    common.save('client', modelClient, {
      ...{ id: modelClient, secret: 'secret', nome: holder.name, cnpj: holder.document.number },
      accounts: accounts.map((chave) => ({ chave, ...atBank(chave) })),
      fingerprints: ['model'],
      scopes: operations.map(({ scope }) => scope),
      ...{ balance: opening * accounts.length, clockAheadMs: 0, webhookRequired: false },
    });
  });
  bank.serve(modelClient, 0, ({ drawer, now: criacao }) => {
    for (const hook of [...accounts.map((chave) => `pix:${chave}`), 'rec', 'cobr'])
      drawer.save('webhook', hook, { webhookUrl: `https://callbacks.example/${token}`, criacao });
  });
}

const atBank = (chave: string) =>
  ({ agencia: '0001', conta: chave === account ? '1234567' : '7654321', tipoConta: 'PAGAMENTO' }) as const;

async function connect({ world, now }: Ground): Promise<void> {
  const connection = connectedItems({
    ...{ id: connectionId, clientId: modelClient },
    ...{ companyId: companyOne, dialect: 'EFI', apiUrl: 'https://bank.example', secret: 'name', createdAt: now() },
    tokenUrl: 'https://bank.example/oauth/token',
    callback: { tokenHash: callbackTokenHash(token), subject },
    accounts: Object.fromEntries(accounts.map((chave) => [chave, { chave, ...atBank(chave) }])),
  });
  await world.store.write(connection, world.ids.uuid());
}
