import type { CallContext, RequestContext, UncheckedCommand } from './outcome.ts';
import type { UncheckedCharges } from './ports/charges.ts';
import type { UncheckedDefences } from './ports/defences.ts';
import type { UncheckedDirectory } from './ports/directory.ts';
import type { UncheckedKeys } from './ports/keys.ts';
import type { PreparedPayment, UncheckedPayouts } from './ports/payouts.ts';
import type { UncheckedRecurrences } from './ports/recurrences.ts';
import type { UncheckedRecurringCharges } from './ports/recurring-charges.ts';
import type { UncheckedRefunds } from './ports/refunds.ts';

/** Returns the port of the connection in the context. */
type PortOf<Port> = (context: Pick<RequestContext, 'companyId' | 'connection'>) => Promise<Port>;

function commandBy<Order>(portOf: PortOf<UncheckedCommand<Order>>): UncheckedCommand<Order> {
  return {
    submit: async (order, context) => (await portOf(context)).submit(order, context),
    find: async (order, context) => (await portOf(context)).find(order, context),
  };
}

export function chargesBy(portOf: PortOf<UncheckedCharges>): UncheckedCharges {
  return {
    open: commandBy(async (context) => (await portOf(context)).open),
    remove: commandBy(async (context) => (await portOf(context)).remove),
  };
}

export function defencesBy(portOf: PortOf<UncheckedDefences>): UncheckedDefences {
  return commandBy(portOf);
}

export function keysBy(portOf: PortOf<UncheckedKeys>): UncheckedKeys {
  return {
    register: commandBy(async (context) => (await portOf(context)).register),
    remove: commandBy(async (context) => (await portOf(context)).remove),
  };
}

export function refundsBy(portOf: PortOf<UncheckedRefunds>): UncheckedRefunds {
  return commandBy(portOf);
}

export function recurrencesBy(portOf: PortOf<UncheckedRecurrences>): UncheckedRecurrences {
  return {
    open: commandBy(async (context) => (await portOf(context)).open),
    cancel: commandBy(async (context) => (await portOf(context)).cancel),
    read: async (known, context) => (await portOf(context)).read(known, context),
  };
}

type Preparing<Order> = { readonly prepare?: (order: Order, context: CallContext) => Promise<PreparedPayment> };

/** Prepares nothing at a bank that issues no end-to-end id before the command. */
function prepareBy<Order>(portOf: PortOf<Preparing<Order>>) {
  return async (order: Order, context: CallContext): Promise<PreparedPayment> => {
    const { prepare } = await portOf(context);
    return prepare === undefined ? {} : prepare(order, context);
  };
}

export function recurringChargesBy(portOf: PortOf<UncheckedRecurringCharges>): UncheckedRecurringCharges {
  return {
    prepare: prepareBy(portOf),
    schedule: commandBy(async (context) => (await portOf(context)).schedule),
    withdraw: commandBy(async (context) => (await portOf(context)).withdraw),
  };
}

export function payoutsBy(portOf: PortOf<UncheckedPayouts>): UncheckedPayouts {
  return {
    prepare: prepareBy(portOf),
    send: commandBy(async (context) => (await portOf(context)).send),
    cancel: commandBy(async (context) => (await portOf(context)).cancel),
  };
}

export function directoryBy(portOf: PortOf<UncheckedDirectory>): UncheckedDirectory {
  return {
    resolveKey: async (question, context) => (await portOf(context)).resolveKey(question, context),
    resolveAccount: async (account, context) => (await portOf(context)).resolveAccount(account, context),
    resolveCharge: async (code, context) => (await portOf(context)).resolveCharge(code, context),
  };
}
