import type { bankWorld } from '../support/bank-world.ts';
import type { Bank } from '#shared/bank/bank.ts';
import type { Exchanges } from '#shared/bank/calls/exchange.ts';
import type { BankReader } from '#shared/bank/ports/reader.ts';
import type { JobKind } from '#shared/jobs/jobs.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { BankWays, Draws } from './bank-books.ts';
import type { Problem } from './bank-checks.ts';
import type { PayInAnswer } from './bank-partner.ts';
import type { PortWays } from './bank-ports.ts';
import type { ServiceProcess, Trouble } from './bank-process.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A service that is wrong in one way: what it does instead of what it should. */
export type Mutation = {
  readonly ways?: Partial<PortWays & BankWays>;
  /** The bank as the wrong service understands it. */
  readonly bank?: (bank: Bank, draws: Draws) => Bank;
  /** The table as a wrong service uses it. */
  readonly store?: (store: Store) => Store;
  readonly forgets?: readonly JobKind[];
  /** The way to a bank of API Pix, as the wrong service has it. */
  readonly exchange?: (exchange: Exchanges) => Exchanges;
  /** The wrong service's reader at a bank of API Pix; `told`: the bodies of callbacks. */
  readonly reader?: (reader: BankReader, receivedBodies: () => readonly string[]) => BankReader;
};

/** What a bank of the model stands on. */
export type Ground = {
  readonly world: ReturnType<typeof bankWorld>;
  /** As the service has it. */
  readonly table: Store;
  readonly time: VirtualTime;
  readonly draws: Draws;
  readonly mutation: Mutation;
  readonly now: () => string;
  readonly isQuiet: () => boolean;
  readonly see: (event: string) => void;
  readonly counted: () => void;
  /** Work of the service that the model waits for before it looks. */
  readonly track: (work: () => Promise<unknown>) => Promise<void>;
  readonly problems: Problem[];
  /** Centavos of each account. */
  readonly opening: number;
};

/** A bank behind the service, with all that comes from it. */
export type BankBehind = {
  /** A process of the service, and the bank as it reaches it. */
  readonly begin: () => ServiceProcess<Bank>;
  /** A payer sees the code of a charge, or of a recurrence. */
  readonly see: (payIn: Pick<PayInAnswer, 'conciliationId'>) => void;
  readonly seeRecurrence: (id: string) => void;
  /** What the service reads of the bank once it has long been quiet. */
  readonly readLists: () => Promise<void>;
  readonly check: () => readonly Problem[];
  /** Commands that reached the bank, each counted once. */
  readonly commands: () => number;
};

/** The bank's reads lag behind its writes by less than two minutes, whatever was under way. */
const longestLagMs = 80_000;

type Storm = { readonly faults: number; readonly lagMs: number; readonly trouble: Trouble };

/** How bad a life is. */
export function drawStorm(draws: Draws): Storm {
  return {
    ...{ faults: draws.one([0.05, 0.15, 0.35]), lagMs: draws.one([0, 30_000, longestLagMs, longestLagMs]) },
    trouble: { crash: draws.one([0.002, 0.01, 0.05]), store: draws.one([0.002, 0.01, 0.05]) },
  };
}
