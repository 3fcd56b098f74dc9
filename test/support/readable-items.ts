import { PackedMembers, PackedText } from '#shared/platform/table/packed.ts';
import { sendingOf } from '#shared/platform/outbox/relayed-keys.ts';
import type { Item, Value } from '#shared/platform/table/store.ts';

/** Items never change once they are written, and models look at all of them after every step. */
const known = new WeakMap<Item, Item>();

/** An item with what is packed in it, and what the key of a delivery says, written out for the eyes of a test. */
export function readable(item: Item): Item {
  const before = known.get(item);
  if (before !== undefined) return before;
  const read = unpacked(item);
  known.set(item, read);
  return read;
}

function unpacked(item: Item): Item {
  const { facts, ...rest } = item;
  if (item['entity'] === 'DELIVERY_BODY') return { ...item, body: PackedText.parse(item['body']) };
  if (item['entity'] === 'DELIVERY') return { ...item, id: sendingOf(item)?.deliveryId ?? '' };
  if (!(facts instanceof Uint8Array)) return item;
  return { ...rest, PK: item.PK, SK: item.SK, ...(PackedMembers.parse(facts) as Readonly<Record<string, Value>>) };
}
