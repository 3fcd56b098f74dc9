import type { Capabilities } from './capabilities.ts';
import type { BankConnection, NarrowedCapabilities } from './connection.ts';
import { capabilities } from './dialects/dialects.ts';

/** Returns the capabilities of a company's bank: the dialect's, less those that its contract excludes. */
export function connectedCapabilities({
  dialect,
  control,
  capabilities: narrowed = {},
}: Pick<BankConnection, 'dialect' | 'control' | 'capabilities'>): Capabilities {
  const all = capabilities[dialect];
  const both = (a: boolean, b: boolean | undefined): boolean => a && b !== false;
  const { payouts = {} }: NarrowedCapabilities = narrowed;
  return {
    ...all,
    settlementDriver: control === undefined ? 'bank' : 'tools',
    charges: both(all.charges, narrowed.charges),
    refunds: both(all.refunds, narrowed.refunds),
    claims: both(all.claims, narrowed.claims),
    recurrences: both(all.recurrences, narrowed.recurrences),
    balance: both(all.balance, narrowed.balance),
    payouts: {
      byKey: both(all.payouts.byKey, payouts.byKey),
      staticCode: both(all.payouts.staticCode, payouts.staticCode),
      dynamicCode: both(all.payouts.dynamicCode, payouts.dynamicCode),
      dynamicCodeInParts: both(all.payouts.dynamicCodeInParts, payouts.dynamicCodeInParts),
      ted: both(all.payouts.ted, payouts.ted),
      cancel: both(all.payouts.cancel, payouts.cancel),
      tedAccountTypes: all.payouts.tedAccountTypes,
      accountTypes: all.payouts.accountTypes.filter((type) => payouts.accountTypes?.includes(type) !== false),
    },
  };
}
