import type { Bank } from '../bank/bank.ts';
import type { Capabilities } from '../bank/capabilities.ts';
import { allCapabilities } from '../bank/capabilities.ts';
import { profiles } from '../bank/dialects/dialects.ts';
import type { ScheduleWindow } from '../scheduled-payments/window.ts';
import { productionWindow } from '../scheduled-payments/window.ts';
import type { BankProfile } from './profile.ts';

type Narrowable = {
  readonly bank?: Pick<Bank, 'capabilities'>;
  readonly settings?: { readonly schedule: ScheduleWindow };
};

/** Returns the members of a request's dependencies that the profile of the caller's company changes. */
export function narrowed({ bank, settings }: Narrowable, { profile, schedule }: BankProfile): Narrowable {
  return {
    ...(bank && profile !== 'FULL' && { bank: { ...bank, capabilities: narrowedBy(bank, profile) } }),
    ...(settings && schedule === 'PRODUCTION' && { settings: { ...settings, schedule: productionWindow } }),
  };
}

function narrowedBy(
  { capabilities: own }: Pick<Bank, 'capabilities'>,
  profile: Exclude<BankProfile['profile'], 'FULL'>,
): Bank['capabilities'] {
  return (companyId, connection) =>
    connection === undefined ? Promise.resolve(capabilitiesAs(profile)) : own(companyId, connection);
}

/**
 * Returns what the simulated bank can do in the place of another one. How commands are repeated and settled stays the
 * simulated bank's.
 */
function capabilitiesAs(profile: Exclude<BankProfile['profile'], 'FULL'>): Capabilities {
  const { repetition, isPolled, settlementDriver, balance } = allCapabilities;
  return { ...profiles[profile], repetition, isPolled, settlementDriver, balance };
}
