import type { Ids } from '#shared/core/identifiers.ts';
import type { Store } from '#shared/platform/table/store.ts';
import * as real from '#functions/banks.ts';
import { world } from '../world/current.ts';

/*
 * functions/banks.ts for the service: companies of the simulation tools have the simulated bank as it is, the others
 * the model bank.
 */

type Settings = Parameters<typeof real.commandBank>[1];

export const payingBankOf = (...given: Parameters<typeof real.payingBankOf>) =>
  world().banks.choose(real.payingBankOf(...given));
export const payoutBank = (...given: Parameters<typeof real.payoutBank>) =>
  world().banks.choose(real.payoutBank(...given));
export const commandBank = (store: Store, settings: Settings, ids: Ids) =>
  world().banks.choose(real.commandBank(store, settings, ids));

const chosen = <D extends { readonly bank: object }>(deps: D): D => ({
  ...deps,
  bank: world().banks.choose(deps.bank),
});
export const payingDependencies = () => chosen(real.payingDependencies());
export const defendingDependencies = () => chosen(real.defendingDependencies());
export const receivingDependencies = () => chosen(real.receivingDependencies());
export const keyDependencies = () => chosen(real.keyDependencies());
export const chargeDependencies = () => chosen(real.chargeDependencies());
export const clockDependencies = () => chosen(real.clockDependencies());
export const capabilityDependencies = () => chosen(real.capabilityDependencies());
export const bankEventDependencies = () => chosen(real.bankEventDependencies());
