import * as z from 'zod';
import type { Item } from './store.ts';
import { CorruptItem } from './store.ts';

/**
 * An item as its schema says. An item that is not what it should be is an error with the faulty attributes' names in it
 * (never their values): it is neither dropped nor served.
 */
export function parsed<S extends z.ZodType>(schema: S, item: Item, what: string): z.output<S> {
  const result = schema.safeParse(item);
  if (result.success) return result.data;
  const paths = result.error.issues.map(({ path }) => path.join('.') || '(item)');
  throw new CorruptItem(`A ${what} item is malformed: ${[...new Set(paths)].join(', ')}.`);
}

/** Shapes that several items share. */
export const DocumentShape = z.object({ type: z.enum(['CPF', 'CNPJ']), number: z.string() });
export const PartyShape = z.object({ name: z.string(), document: DocumentShape });
export const PixKeyShape = z.object({ type: z.enum(['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'RANDOM']), key: z.string() });
export const BankDataShape = z.object({
  ispb: z.string(),
  name: z.string().exactOptional(),
  branch: z.string().exactOptional(),
  account: z.string(),
  accountType: z.string().exactOptional(),
  code: z.string().exactOptional(),
});
export const CounterpartShape = PartyShape.extend({
  bank: BankDataShape.exactOptional(),
  pix: PixKeyShape.exactOptional(),
});
export const OwnerBankShape = z.object({
  name: z.string(),
  document: z.string(),
  bank: BankDataShape,
  pix: PixKeyShape.exactOptional(),
});
