import type { Bank } from '#shared/bank/bank.ts';
import type { Repetition } from '#shared/bank/capabilities.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import { returnId } from '#shared/core/identifiers.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { payingBankOf } from '#functions/banks.ts';
import type { Books, Draws, Fact } from '#test/model/bank-books.ts';
import { bankBooks, presentOf } from '#test/model/bank-books.ts';
import { payersOf } from '#test/model/bank-payers.ts';
import { asSimulated, drawWays, modelBank } from '#test/model/bank-ports.ts';
import type { KeyAtBank } from '#test/model/bank-key-ports.ts';
import { keyPorts } from '#test/model/bank-key-ports.ts';
import type { RecurrenceBooks } from '#test/model/bank-recurrences.ts';
import { recurrenceBooks } from '#test/model/bank-recurrences.ts';
import { recurrencePorts } from '#test/model/bank-recurrence-ports.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';
import type { Ask } from '#test/support/rights.ts';
import type { ReceivedAtBank } from '../crowd/world-types.ts';
import { repetitionChecks } from '../checks/repetitions.ts';
import type { Actors, Weather } from './actors.ts';
import type { Finding } from './history.ts';

/** The bank of one company, with books of its own. */
type CompanyBank = {
  readonly books: Books;
  readonly recurring: RecurrenceBooks;
  readonly payers: ReturnType<typeof payersOf>;
  readonly ports: Omit<Bank, 'directory'> & Pick<Bank, 'directory'>;
  readonly repetition: Repetition;
  readonly spells: ReturnType<typeof spellsOf>;
  readonly received: () => readonly ReceivedAtBank[];
  /** The keys that it has registered, and those it had. */
  readonly keys: readonly KeyAtBank[];
};

/** The bank's reads lag behind its writes by less than two minutes. */
const longestLagMs = 80_000;

type Options = {
  readonly time: VirtualTime;
  readonly draws: Draws;
  readonly actors: Actors;
  readonly faultSchedule: () => Weather;
  readonly ids: Ids;
  readonly store: Store;
  readonly settings: Parameters<typeof payingBankOf>[1];
  readonly tell: (companyId: string, fact: Fact) => void;
  readonly told: (occurrence: string) => void;
  readonly finding: Finding;
  /** A call of a company's own bank begins with the secret of its connection. */
  readonly ask: Ask;
  /** The company's account that an order of a payment pays, by what the table knows of the order. */
  readonly ownAccount: (companyId: string, reference: string) => string | undefined;
};

/** The banks of the companies that have one; all others have the simulated bank of the service. */
export function banksOf(options: Options) {
  const { actors, told, ask, time } = options;
  const repetitions = repetitionChecks(options.finding, time.now, longestLagMs);
  const banks = new Map<string, CompanyBank>();
  /** A call goes to the company's own bank, by the company that the call names: in its context, else first. */
  const route =
    (path: readonly string[], original: (...given: unknown[]) => unknown) =>
    (...given: unknown[]): unknown => {
      const bank = banks.get(companyNamed(given));
      if (bank === undefined) return original(...given);
      told(`bank: ${path.join('.')}`);
      // What a bank can do stands in the connection.
      if (path[0] !== 'capabilities' && path[0] !== 'connectionOf') ask(['bank'], `bank ${path.join('.')}`);
      repetitions.submitted(path.join('.'), referenceIn(given), actors.present());
      if (path.at(-1) === 'submit' && bank.spells.isClosed()) return actors.step({ name: 'closed bank' }, () => closed);
      const call = path.reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], bank.ports);
      return actors.step({ name: `bank ${path.join('.')}` }, () => (call as typeof original)(...given));
    };
  const wrap = (part: unknown, path: readonly string[]): unknown => {
    if (typeof part === 'function') return route(path, part as (...given: unknown[]) => unknown);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, wrap(inner, [...path, name])]));
  };
  return {
    of: (companyId: string): CompanyBank | undefined => banks.get(companyId),
    add: (companyId: string): CompanyBank => {
      const bank = companyBank(companyId, options);
      banks.set(companyId, bank);
      return bank;
    },
    /** A day begins. */
    dawn: (): void => {
      for (const { spells } of banks.values()) spells.dawn();
    },
    /** The same ports, each call by its company. */
    choose: <Ports extends object>(ports: Ports): Ports => wrap(ports, []) as Ports,
  };
}

/** Our reference of a command, which is its first argument. */
function referenceIn([order]: readonly unknown[]): string {
  return typeof order === 'object' && order !== null && 'reference' in order ? String(order.reference) : '';
}

function companyNamed(given: readonly unknown[]): string {
  const [first] = given;
  const last = given.at(-1);
  if (typeof last === 'object' && last !== null && 'companyId' in last) return String(last.companyId);
  return typeof first === 'string' ? first : '';
}

function companyBank(companyId: string, options: Options): CompanyBank {
  const { time, draws, faultSchedule, ids, store, settings, tell, ownAccount } = options;
  // The third kind needs operators, who are in this world.
  const ways = { ...drawWays(draws), ...(draws.chance(0.3) && { repetition: 'CARRIED_OUT_AGAIN' as const }) };
  const lagMs = draws.one([0, 30_000, longestLagMs]);
  const spells = spellsOf(time, draws, faultSchedule);
  const bankWeather = () => {
    const { unavailable } = faultSchedule();
    if (unavailable === 0) return { faults: 0, lagMs: 0 };
    return { faults: spells.isStormy() ? 0.5 : unavailable * 3, lagMs };
  };
  const over = { time, draws, ways, faultSchedule: bankWeather, counted: () => undefined };
  const books = bankBooks(time, draws, {
    ...{ ids, ways, pixHost: settings.pixHost },
    ownAccount: ({ reference }) => ownAccount(companyId, reference),
    notify: (fact) => {
      tell(companyId, fact);
    },
  });
  const recurring = recurrenceBooks(time, draws, {
    ...{ ids, books },
    tell: (fact) => {
      tell(companyId, fact);
    },
  });
  const registrations = keyPorts(books, { ...over, ids });
  const { directory } = payingBankOf(store, settings, ids);
  const ports = {
    ...modelBank(books, draws, { ...over, directory: asSimulated(directory) }),
    ...recurrencePorts(recurring, books, over),
    keys: registrations.keys,
    // These banks list no claims, and take defences in an app of their own.
    defences: { submit: () => Promise.resolve(closed), find: () => Promise.resolve(closed) },
    // One connection a company, which its records keep.
    connectionOf: () => Promise.resolve(companyId),
  };
  const payers = payersOf({ time, draws, books });
  const received = () => receivedFromOthers(books, ids);
  return { books, recurring, payers, ports, keys: registrations.atBank, repetition: ways.repetition, spells, received };
}

/** What payers paid who are no account of the company: these alone say nothing of who they are. */
function receivedFromOthers(books: Books, ids: Ids): readonly ReceivedAtBank[] {
  return [...books.charges.values()].flatMap((charge) =>
    presentOf(charge)
      .payments.filter(({ payer }) => payer === undefined)
      .map(({ endToEndId, amount }) => {
        const giveBack = (back: number): string => {
          books.book(charge.order.receiver.id, 0 - back);
          return returnId(endToEndId.slice(1, 9), books.now(), ids);
        };
        return { endToEndId, amount, giveBack };
      }),
  );
}

const minute = 60_000;

/** What a bank answers that takes no commands. */
const closed = { outcome: 'NOT_NOW', cause: '429' } as const;
/** A spell begins by so many times the chance of an outage: likelier after a night, when requests come. */
const spellShares = { halfHour: 4, dawn: 20 } as const;

/**
 * Spells in which every other call of a bank goes wrong, so that a question after a lost answer is lost, too; or in
 * which it takes no command, while its directory and its books can be read: all commands are left to the workers.
 */
function spellsOf(time: VirtualTime, draws: Draws, faultSchedule: () => Weather) {
  let untilMs = 0;
  let kind: 'STORMY' | 'CLOSED' = 'STORMY';
  const begin = (): void => {
    kind = draws.one(['STORMY', 'CLOSED']);
    untilMs = time.now() + draws.one([2, 15, 90]) * minute;
  };
  const turn = (): void => {
    if (draws.chance(spellShares.halfHour * faultSchedule().outage)) begin();
    time.at(time.now() + 30 * minute, turn);
  };
  turn();
  const is = (one: typeof kind): boolean => kind === one && time.now() < untilMs && faultSchedule().outage > 0;
  return {
    isStormy: () => is('STORMY'),
    isClosed: () => is('CLOSED'),
    dawn: (): void => {
      if (draws.chance(spellShares.dawn * faultSchedule().outage))
        time.at(time.now() + draws.between(0, 10 * minute), begin);
    },
  };
}
