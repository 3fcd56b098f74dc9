import { findAccountAt, findAccountByKey, readAccount } from '#shared/accounts/store.ts';
import { readPayIn } from '#shared/pay-ins/store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { ReaderOf } from '#shared/bank/ports/reader.ts';
import type { Bank, ChargeBank } from '#shared/bank/bank.ts';
import type { Dialect } from '#shared/bank/dialects/dialect.ts';
import * as dialects from '#shared/bank/dialects/dialects.ts';
import { allCapabilities } from '#shared/bank/capabilities.ts';
import { liveConnections } from '#shared/bank/connection.ts';
import type { RequestContext } from '#shared/bank/outcome.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { checkedCharges } from '#shared/bank/ports/charges.ts';
import type { UncheckedDefences } from '#shared/bank/ports/defences.ts';
import { checkedDefences } from '#shared/bank/ports/defences.ts';
import { checkedDirectory } from '#shared/bank/ports/directory.ts';
import { checkedKeys } from '#shared/bank/ports/keys.ts';
import { checkedPayouts } from '#shared/bank/ports/payouts.ts';
import { checkedRecurrences } from '#shared/bank/ports/recurrences.ts';
import { checkedRecurringCharges } from '#shared/bank/ports/recurring-charges.ts';
import { checkedRefunds } from '#shared/bank/ports/refunds.ts';
import type { Connected } from '#shared/bank/connected.ts';
import { connectedCapabilities } from '#shared/bank/connected-capabilities.ts';
import {
  chargesBy,
  defencesBy,
  directoryBy,
  keysBy,
  payoutsBy,
  recurrencesBy,
  recurringChargesBy,
  refundsBy,
} from '#shared/bank/by-connection.ts';
import type { ConnectedOf } from '#shared/bank/connections.ts';
import { connections } from '#shared/bank/connections.ts';
import type { KnownConnections } from '#shared/bank/known-connections.ts';
import { knownConnections } from '#shared/bank/known-connections.ts';
import { report } from '#shared/bank/report.ts';
import { secretsManager } from '#shared/bank/secret.ts';
import { forbiddenByState } from '#shared/core/errors.ts';
import { log } from '#shared/platform/log.ts';
import { systemClock } from '#shared/platform/clock.ts';
import {
  hasSimulatedBank,
  simulatedCharges,
  simulatedDirectory,
  simulatedKeys,
  simulatedPayouts,
  simulatedRecurrences,
  simulatedRecurringCharges,
  simulatedRefunds,
  simulatedTimeouts,
} from '#simulated-bank';
import type { BankData } from '#shared/core/party.ts';
import type { PixKey } from '#shared/core/pix-key.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import type { Dependencies, RealTimeDependencies, Settings } from '#shared/platform/dependencies.ts';
import type { BankEventDependencies } from '#shared/bank-events/context.ts';
import { dependencies, realTimeDependencies } from '#shared/platform/dependencies.ts';

/*
 * The one file that chooses the bank behind the service: the company's own bank if the company is connected, else the
 * simulated bank, which production does not have. Each function takes only the ports that it uses, so the bundler
 * leaves out the other ports and the code that only they need.
 */

type Can = Pick<Bank, 'capabilities' | 'connectionOf'>;
type Receiving = Can & Pick<Bank, 'charges' | 'recurrences'>;
type Refunding = Can & Pick<Bank, 'refunds'>;
type Defending = Can & Pick<Bank, 'defences'>;
type Registering = Can & Pick<Bank, 'keys'>;
type Paying = Can & Pick<Bank, 'directory' | 'payouts'>;
export type CommandBank = Receiving & Refunding & Defending & Registering & ChargeBank & Pick<Bank, 'payouts'>;
type BankSettings = Pick<Settings, 'pixHost' | 'ispb' | 'allowLocalTargets'>;

/** Milliseconds of a clock that only goes forward, for deadlines. */
type Elapsed = { readonly elapsedMs: () => number };
const elapsed: Elapsed = { elapsedMs: () => performance.now() };

const knownByStore = new WeakMap<Store, KnownConnections>();
const connectedByStore = new WeakMap<Store, ConnectedOf>();

function knownOf(store: Store): KnownConnections {
  const known = knownByStore.get(store) ?? knownConnections(store, hasSimulatedBank);
  knownByStore.set(store, known);
  return known;
}

/** Returns the connected banks of the process: all its calls share their tokens and TLS sessions. */
function connectedBanks(store: Store, { allowLocalTargets }: Pick<BankSettings, 'allowLocalTargets'>): ConnectedOf {
  const more = { now: systemClock, fetchSecret: secretsManager(), allowLocal: allowLocalTargets, report };
  const connected = connectedByStore.get(store) ?? connections({ store, known: knownOf(store), ...more });
  connectedByStore.set(store, connected);
  return connected;
}

/** Returns a function that finds a port: of the bank behind a connection, or without one of the simulated bank. */
function portOf<Port>(
  connected: ConnectedOf,
  own: (connected: Connected) => Port,
  simulated: Port | undefined,
): (context: Pick<RequestContext, 'companyId' | 'connection'>) => Promise<Port> {
  return async ({ companyId, connection }) => {
    if (connection === undefined) return requireSimulated(simulated);
    const bank = await connected(companyId, connection);
    // Nothing was sent: due commands of this connection stay due.
    if (bank === undefined) throw new BankUnavailable('The connection to the bank has ended.');
    return own(bank);
  };
}

/** The port of a bank, by the dialect of its connection. @throws Error for a port that its capabilities exclude */
function byDialect<Port>(
  table: Readonly<Partial<Record<Dialect, (bank: Connected) => Port>>>,
): (bank: Connected) => Port {
  return (bank) => {
    const own = table[bank.connection.dialect];
    if (own === undefined) throw new Error('The bank of the account has no such operation.');
    return own(bank);
  };
}

function requireSimulated<Port>(simulated: Port | undefined): Port {
  if (simulated === undefined) throw notConnected('no bank yet: the company is not connected');
  return simulated;
}

/** Returns the port of the simulated bank, for callers that submit no commands to other banks. */
function simulatedPort<Port>(simulated: Port | undefined): () => Promise<Port> {
  return () => Promise.resolve().then(() => requireSimulated(simulated));
}

/** Builds the 409 of an account without a bank. `connectionOf` and `capabilities` throw it before any write. */
function notConnected(cause: string): Error {
  return forbiddenByState('accountId', 'INVALID_VALUE', `The account has ${cause}.`);
}

function capabilitiesOf(store: Store): Can {
  const known = knownOf(store);
  return {
    connectionOf: async (companyId, accountId) => {
      const banks = await known.list(companyId);
      const serving = banks.serving.get(accountId);
      if (serving !== undefined || (hasSimulatedBank && liveConnections(banks).length === 0)) return serving;
      log('warn', 'Cannot find the bank of an account: no connection of the company names it', {
        companyId,
        accountId,
      });
      throw notConnected('no bank yet: no connection of the company names it');
    },
    capabilities: async (companyId, id) => {
      if (id === undefined) {
        if (!hasSimulatedBank) throw notConnected('no bank yet: the company is not connected');
        return allCapabilities;
      }
      const connection = await known.find(companyId, id);
      if (connection === undefined || connection.endedAt !== undefined) {
        log('warn', 'Cannot use a bank connection: it has ended', { companyId, connectionId: id });
        throw notConnected('no such bank any more: the connection has ended');
      }
      return connectedCapabilities(connection);
    },
  };
}

/**
 * Returns the ports for outgoing money. The directory also finds the environment's own accounts and charges.
 *
 * @param connected The companies' own banks. Default: the connected banks of the process.
 */
export function payingBankOf(
  store: Store,
  settings: BankSettings,
  ids: Ids,
  connected = connectedBanks(store, settings),
): Paying {
  const own = {
    pixHost: settings.pixHost,
    account: (companyId: string, accountId: string) => readAccount(store, companyId, accountId),
    accountOfKey: (companyId: string, key: PixKey) => findAccountByKey(store, companyId, key),
    accountAt: (companyId: string, bank: BankData) => findAccountAt(store, companyId, bank),
    charge: (companyId: string, orderId: string) => readPayIn(store, companyId, orderId),
  };
  const directory = portOf(
    connected,
    (bank) => dialects.directory[bank.connection.dialect](bank, own),
    simulatedDirectory?.(own),
  );
  return { directory: checkedDirectory(directoryBy(directory)), ...payoutBank(store, settings, ids, connected) };
}

export function payoutBank(
  store: Store,
  settings: BankSettings,
  ids: Ids,
  connected = connectedBanks(store, settings),
): Can & Pick<Bank, 'payouts'> {
  const payouts = portOf(connected, byDialect(dialects.payouts), simulatedPayouts?.({ ispb: settings.ispb, ids }));
  return { ...capabilitiesOf(store), payouts: checkedPayouts(payoutsBy(payouts)) };
}

/** The simulated bank remembers which commands it let time out. */
function timeoutsOf(store: Store): ReturnType<NonNullable<typeof simulatedTimeouts>> {
  return simulatedTimeouts?.(store) ?? (() => Promise.resolve(false));
}

/** Returns the ports for incoming money. */
function receivingBank(store: Store, settings: BankSettings, connected = connectedBanks(store, settings)): Receiving {
  const { pixHost, ispb } = settings;
  const isTimeout = timeoutsOf(store);
  const charges = portOf(connected, byDialect(dialects.charges), simulatedCharges?.({ pixHost, isTimeout }));
  const recurrences = portOf(
    connected,
    byDialect(dialects.recurrences),
    simulatedRecurrences?.({ pixHost, ispb, isTimeout }),
  );
  return {
    ...capabilitiesOf(store),
    charges: checkedCharges(chargesBy(charges)),
    recurrences: checkedRecurrences(recurrencesBy(recurrences)),
  };
}

/** Returns the port for refunds. */
function refundingBank(store: Store, settings: BankSettings, connected = connectedBanks(store, settings)): Refunding {
  const isTimeout = timeoutsOf(store);
  const refunds = portOf(connected, byDialect(dialects.refunds), simulatedRefunds?.({ isTimeout }));
  return { ...capabilitiesOf(store), refunds: checkedRefunds(refundsBy(refunds)) };
}

/** Returns the port for defences. The simulated bank has none: it takes a defence with the commit. */
function defendingBank(store: Store, settings: BankSettings, connected = connectedBanks(store, settings)): Defending {
  const defences = portOf(connected, byDialect(dialects.defences), undefined);
  return { ...capabilitiesOf(store), defences: checkedDefences(defencesBy(defences)) };
}

/** Returns the port for PIX keys of accounts. */
function registeringBank(
  store: Store,
  settings: BankSettings,
  connected = connectedBanks(store, settings),
): Registering {
  const keys = portOf(connected, byDialect(dialects.keys), simulatedKeys?.());
  return { ...capabilitiesOf(store), keys: checkedKeys(keysBy(keys)) };
}

function chargeBank(
  store: Store,
  settings: BankSettings,
  ids: Ids,
  connected = connectedBanks(store, settings),
): ChargeBank {
  const simulated = simulatedRecurringCharges?.({ ispb: settings.ispb, ids });
  const charges = portOf(connected, byDialect(dialects.recurringCharges), simulated);
  return { ...capabilitiesOf(store), recurringCharges: checkedRecurringCharges(recurringChargesBy(charges)) };
}

/** Every port by which commands are given, for the workers. */
export function commandBank(
  store: Store,
  settings: BankSettings,
  ids: Ids,
  connected = connectedBanks(store, settings),
): CommandBank {
  return {
    ...receivingBank(store, settings, connected),
    ...refundingBank(store, settings, connected),
    ...defendingBank(store, settings, connected),
    ...registeringBank(store, settings, connected),
    ...chargeBank(store, settings, ids, connected),
    ...payoutBank(store, settings, ids, connected),
  };
}

export type PayingDependencies = Dependencies & Elapsed & { readonly bank: Paying };

export function payingDependencies(): PayingDependencies {
  const base = dependencies();
  return { ...base, ...elapsed, bank: payingBankOf(base.store, base.settings, base.ids) };
}

export type ReceivingDependencies = Dependencies & Elapsed & { readonly bank: Receiving & Refunding };

export function receivingDependencies(): ReceivingDependencies {
  const base = dependencies();
  const { store, settings } = base;
  return { ...base, ...elapsed, bank: { ...receivingBank(store, settings), ...refundingBank(store, settings) } };
}

export type DefendingDependencies = Dependencies & Elapsed & { readonly bank: Defending };

export function defendingDependencies(): DefendingDependencies {
  const base = dependencies();
  return { ...base, ...elapsed, bank: defendingBank(base.store, base.settings) };
}

export type KeyDependencies = Dependencies & Elapsed & { readonly bank: Registering };

export function keyDependencies(): KeyDependencies {
  const base = dependencies();
  return { ...base, ...elapsed, bank: registeringBank(base.store, base.settings) };
}

export type ChargeDependencies = Dependencies & Elapsed & { readonly bank: ChargeBank };

export function chargeDependencies(): ChargeDependencies {
  const base = dependencies();
  return { ...base, ...elapsed, bank: chargeBank(base.store, base.settings, base.ids) };
}

export type CapabilityDependencies = Dependencies & { readonly bank: Can };

/** Returns the dependencies of operations that ask what a company's bank can do, and call none of its ports. */
export function capabilityDependencies(): CapabilityDependencies {
  const base = dependencies();
  return { ...base, bank: capabilitiesOf(base.store) };
}

/** Dependencies of the endpoint that advances a company's clock. The endpoint itself runs on real time. */
export type ClockDependencies = RealTimeDependencies & Elapsed & { readonly bank: CommandBank };

/** Returns dependencies with only the simulated bank: the worker run-company-jobs calls the other banks. */
export function clockDependencies(): ClockDependencies {
  const base = realTimeDependencies();
  const { store, settings, ids } = base;
  const { pixHost, ispb } = settings;
  const isTimeout = simulatedTimeouts?.(store) ?? (() => Promise.resolve(false));
  const port = simulatedPort;
  const bank: CommandBank = {
    ...capabilitiesOf(store),
    charges: checkedCharges(chargesBy(port(simulatedCharges?.({ pixHost, isTimeout })))),
    recurrences: checkedRecurrences(recurrencesBy(port(simulatedRecurrences?.({ pixHost, ispb, isTimeout })))),
    refunds: checkedRefunds(refundsBy(port(simulatedRefunds?.({ isTimeout })))),
    defences: checkedDefences(defencesBy(port<UncheckedDefences>(undefined))),
    keys: checkedKeys(keysBy(port(simulatedKeys?.()))),
    recurringCharges: checkedRecurringCharges(recurringChargesBy(port(simulatedRecurringCharges?.({ ispb, ids })))),
    payouts: checkedPayouts(payoutsBy(port(simulatedPayouts?.({ ispb, ids })))),
  };
  return { ...base, ...elapsed, bank };
}

/** Finds the reader of the bank behind a connection, for callbacks and lists. */
function bankReaders(store: Store, settings: BankSettings): ReaderOf {
  const connected = connectedBanks(store, settings);
  return async ({ companyId, id }) => {
    const bank = await connected(companyId, id);
    if (bank === undefined) throw new BankUnavailable('The connection to the bank has ended.');
    return dialects.reader[bank.connection.dialect](bank, systemClock);
  };
}

/** Returns the dependencies of the workers that read bank events. */
export function bankEventDependencies(): BankEventDependencies {
  const base = dependencies();
  const bank = {
    ...receivingBank(base.store, base.settings),
    ...chargeBank(base.store, base.settings, base.ids),
  };
  return { ...base, bank, readerOf: bankReaders(base.store, base.settings) };
}
