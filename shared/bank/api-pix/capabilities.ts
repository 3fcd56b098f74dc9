import type { Capabilities } from '../capabilities.ts';
import type { BankConnection, NarrowedCapabilities } from '../connection.ts';

/** What Efí can do by API Pix 2.9 and its own payouts. */
const efi: Capabilities = {
  charges: true,
  refunds: true,
  recurrences: true,
  payouts: {
    byKey: true,
    staticCode: true,
    dynamicCode: true,
    dynamicCodeInParts: false,
    accountTypes: ['CHECKING_ACCOUNT', 'SAVINGS_ACCOUNT'],
    ted: false,
    cancel: false,
  },
  keyLookup: 'NONE',
  balance: true,
  whoResends: 'bank',
  repetition: {
    refund: 'REFUSED',
    recurrence: 'REFUSED',
    recurrenceEnd: 'REFUSED',
    recurringCharge: 'REFUSED',
    payout: 'REFUSED',
  },
  isPolled: true,
  whoMoves: 'bank',
};

/** What a company's bank can do: the dialect, less what its contract leaves out. */
export function connectedCapabilities({
  control,
  capabilities: narrowed = {},
}: Pick<BankConnection, 'control' | 'capabilities'>): Capabilities {
  const both = (one: boolean, other: boolean | undefined): boolean => one && other !== false;
  const { payouts = {} }: NarrowedCapabilities = narrowed;
  return {
    ...efi,
    whoMoves: control === undefined ? 'bank' : 'tools',
    charges: both(efi.charges, narrowed.charges),
    refunds: both(efi.refunds, narrowed.refunds),
    recurrences: both(efi.recurrences, narrowed.recurrences),
    balance: both(efi.balance, narrowed.balance),
    payouts: {
      byKey: both(efi.payouts.byKey, payouts.byKey),
      staticCode: both(efi.payouts.staticCode, payouts.staticCode),
      dynamicCode: both(efi.payouts.dynamicCode, payouts.dynamicCode),
      dynamicCodeInParts: both(efi.payouts.dynamicCodeInParts, payouts.dynamicCodeInParts),
      ted: both(efi.payouts.ted, payouts.ted),
      cancel: both(efi.payouts.cancel, payouts.cancel),
      accountTypes: efi.payouts.accountTypes.filter((type) => payouts.accountTypes?.includes(type) !== false),
    },
  };
}
