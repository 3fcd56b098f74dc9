import * as z from 'zod';
import type { Document } from '#shared/core/document.ts';
import { documentTypes } from '#shared/core/document.ts';
import type { BankData, Counterpart, OwnerBank, Party } from '#shared/core/party.ts';
import type { PixKey } from '#shared/core/pix-key.ts';
import { pixKeyTypes } from '#shared/core/pix-key.ts';
import type { Submitted } from '#shared/core/resubmission.ts';
import { newerLayout } from './layout.ts';
import type { Item } from './store.ts';
import { CorruptItem } from './store.ts';

/** A schema for each member, also for optional ones: parsing would silently drop a member without a schema. */
export type Members<T> = Readonly<Record<keyof T, z.ZodType>>;
/** A schema for each member of an item and for its `entity`. */
export type ItemMembers<T> = Members<T & { entity: unknown }>;

/**
 * Parses an item by its schema.
 * @throws CorruptItem with the names of malformed attributes, never their values; also for every item of a newer
 * layout, which the schema may fit by chance
 */
export function parseItem<S extends z.ZodType>(schema: S, item: Item, itemName: string): z.output<S> {
  const newer = newerLayout(item);
  if (newer !== undefined) throw new CorruptItem(`A ${itemName} item ${newer}.`);
  const result = schema.safeParse(item);
  if (result.success) return result.data;
  const paths = result.error.issues.map(({ path }) => path.join('.') || '(item)');
  throw new CorruptItem(`A ${itemName} item is malformed: ${[...new Set(paths)].join(', ')}.`);
}

/** Returns the parser of items that have an `entity`. The parsed members leave it out. */
export function parserOf<S extends z.ZodObject<{ entity: z.ZodType }>>(
  schema: S,
  itemName: string,
): (item: Item) => Omit<z.output<S>, 'entity'> {
  return (item) => {
    const { entity: _entity, ...members } = parseItem(schema, item, itemName);
    return members;
  };
}

export const DocumentShape = z.object({ type: z.enum(documentTypes), number: z.string() } satisfies Members<Document>);
export const PartyShape = z.object({ name: z.string(), document: DocumentShape } satisfies Members<Party>);
const PixKeyShape = z.object({ type: z.enum(pixKeyTypes), key: z.string() } satisfies Members<PixKey>);
const BankDataShape = z.object({
  ispb: z.string(),
  name: z.string().exactOptional(),
  branch: z.string().exactOptional(),
  account: z.string(),
  accountType: z.string().exactOptional(),
  code: z.string().exactOptional(),
} satisfies Members<BankData>);
export const CounterpartShape = z.object({
  ...PartyShape.shape,
  bank: BankDataShape.exactOptional(),
  pix: PixKeyShape.exactOptional(),
} satisfies Members<Counterpart>);
export const OwnerBankShape = z.object({
  name: z.string(),
  document: z.string(),
  bank: BankDataShape,
  pix: PixKeyShape.exactOptional(),
} satisfies Members<OwnerBank>);
/** Members of an item of a payment that the worker submits. */
export const submissionFields = {
  dueSubmissions: z.object({ count: z.int(), latest: z.array(z.string()) }).exactOptional(),
  acceptedAt: z.string().exactOptional(),
} satisfies Members<Submitted>;
