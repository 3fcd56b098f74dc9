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
 * How a command goes to the bank when it may have it already: one that it would carry out again only once an operator
 * has allowed it. Of two concurrent runs one takes the permission.
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

/** An operator's leave to submit a command once more that its bank may carry out again, by our reference. */
export function repetitionPut(companyId: string, reference: string): Put {
  return { put: { ...keys.repetition(companyId, reference), entity: 'REPETITION' } };
}
