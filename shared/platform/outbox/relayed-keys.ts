import { parseInstant } from '#shared/core/brasilia-time.ts';
import { keys, relayed } from '../table/keys.ts';
import type { Key } from '../table/store.ts';

/** Which sending of which delivery an item stands for. `notBefore`: the message is not to be received earlier. */
type SendingKey = {
  readonly companyId: string;
  readonly deliveryId: string;
  readonly sending: number;
  readonly notBefore?: string;
};

/** Whether INSERTs of items with this key are relayed to the queue. */
export function isRelayed({ SK }: Key): boolean {
  return SK === relayed.delivery || SK.startsWith(relayed.sending);
}

/** What the key of a relayed item says: that of a delivery means its first sending. Undefined for any other key. */
export function sendingOf(key: Key): SendingKey | undefined {
  const [, companyId = '', , deliveryId = ''] = key.PK.split('#');
  const [, number, notBefore = ''] = key.SK.split('#');
  const sending = key.SK === relayed.delivery ? 1 : Number(number);
  if (companyId === '' || deliveryId === '' || !(sending >= 1)) return undefined;
  const of = { companyId, deliveryId, sending };
  // What the parts build again is what they were taken from.
  if (isSame(key, keys.delivery(companyId, deliveryId))) return of;
  const further = keys.deliverySending(companyId, deliveryId, sending, notBefore);
  return isSame(key, further) && parseInstant(notBefore) !== undefined ? { ...of, notBefore } : undefined;
}

function isSame(a: Key, b: Key): boolean {
  return a.PK === b.PK && a.SK === b.SK;
}
