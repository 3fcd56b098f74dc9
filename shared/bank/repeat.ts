import { keys } from '../platform/table/keys.ts';
import type { Put, Store } from '../platform/table/store.ts';
import type { Again, Bank } from './bank.ts';
import type { Capabilities } from './capabilities.ts';

type RepeatContext = {
  readonly store: Store;
  readonly companyId: string;
  readonly bank: Pick<Bank, 'capabilities'>;
};

/**
 * Returns how to repeat a command that the bank may have already. A command that the bank would carry out again is
 * repeated only after an operator allowed it. Of two concurrent runs only one uses the permission.
 */
export async function repeating(
  { store, companyId, bank }: RepeatContext,
  command: keyof Capabilities['repetition'],
  { reference, connection }: { readonly reference: string; readonly connection: string | undefined },
): Promise<Again> {
  const { repetition } = await bank.capabilities(companyId, connection);
  const leave = { delete: keys.repetition(companyId, reference), when: { is: 'present' } } as const;
  const mayRepeat = async () => (await store.write([leave], crypto.randomUUID())).ok;
  return { repetition: repetition[command], mayRepeat };
}

/**
 * Returns the write of an operator's permission to repeat, once, a command that its bank may carry out again. It is
 * stored by our reference.
 */
export function repetitionPut(companyId: string, reference: string): Put {
  return { put: { ...keys.repetition(companyId, reference), entity: 'REPETITION' } };
}
