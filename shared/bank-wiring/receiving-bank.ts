import type { Bank } from '../bank/bank.ts';
import { receivingBankOf } from './bank-ports.ts';
import type { Dependencies } from '../platform/dependencies.ts';
import { dependencies } from '../platform/dependencies.ts';

/** For the functions that receive; those that pay carry other ports, so that each stays small. */
export type ReceivingDependencies = Dependencies & {
  readonly bank: Pick<Bank, 'charges' | 'recurrences' | 'refunds'>;
};

export function receivingDependencies(): ReceivingDependencies {
  const base = dependencies();
  return { ...base, bank: receivingBankOf(base.store, base.settings) };
}
