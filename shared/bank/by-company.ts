import type { CallContext, UncheckedCommand } from './outcome.ts';
import type { UncheckedCharges } from './ports/charges.ts';
import type { UncheckedDirectory } from './ports/directory.ts';
import type { PreparedPayment, UncheckedPayouts } from './ports/payouts.ts';
import type { UncheckedRecurrences } from './ports/recurrences.ts';
import type { UncheckedRecurringCharges } from './ports/recurring-charges.ts';
import type { UncheckedRefunds } from './ports/refunds.ts';

/** The port of a company's bank. */
type PortOf<Port> = (companyId: string) => Promise<Port>;

function commandBy<Order>(portOf: PortOf<UncheckedCommand<Order>>): UncheckedCommand<Order> {
  return {
    submit: async (order, context) => (await portOf(context.companyId)).submit(order, context),
    find: async (order, context) => (await portOf(context.companyId)).find(order, context),
  };
}

export function chargesBy(portOf: PortOf<UncheckedCharges>): UncheckedCharges {
  return {
    open: commandBy(async (companyId) => (await portOf(companyId)).open),
    remove: commandBy(async (companyId) => (await portOf(companyId)).remove),
  };
}

export function refundsBy(portOf: PortOf<UncheckedRefunds>): UncheckedRefunds {
  return commandBy(portOf);
}

export function recurrencesBy(portOf: PortOf<UncheckedRecurrences>): UncheckedRecurrences {
  return {
    open: commandBy(async (companyId) => (await portOf(companyId)).open),
    cancel: commandBy(async (companyId) => (await portOf(companyId)).cancel),
    read: async (known, context) => (await portOf(context.companyId)).read(known, context),
  };
}

type Preparing<Order> = { readonly prepare?: (order: Order, context: CallContext) => Promise<PreparedPayment> };

/** A bank that gives no numbers before a command prepares nothing. */
function prepareBy<Order>(portOf: PortOf<Preparing<Order>>) {
  return async (order: Order, context: CallContext): Promise<PreparedPayment> => {
    const { prepare } = await portOf(context.companyId);
    return prepare === undefined ? {} : prepare(order, context);
  };
}

export function recurringChargesBy(portOf: PortOf<UncheckedRecurringCharges>): UncheckedRecurringCharges {
  return {
    prepare: prepareBy(portOf),
    schedule: commandBy(async (companyId) => (await portOf(companyId)).schedule),
    withdraw: commandBy(async (companyId) => (await portOf(companyId)).withdraw),
  };
}

export function payoutsBy(portOf: PortOf<UncheckedPayouts>): UncheckedPayouts {
  return {
    prepare: prepareBy(portOf),
    send: commandBy(async (companyId) => (await portOf(companyId)).send),
    cancel: commandBy(async (companyId) => (await portOf(companyId)).cancel),
  };
}

export function directoryBy(portOf: PortOf<UncheckedDirectory>): UncheckedDirectory {
  return {
    resolveKey: async (key, context) => (await portOf(context.companyId)).resolveKey(key, context),
    resolveAccount: async (account, context) => (await portOf(context.companyId)).resolveAccount(account, context),
    resolveCharge: async (code, context) => (await portOf(context.companyId)).resolveCharge(code, context),
  };
}
