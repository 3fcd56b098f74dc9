import type { KeyValidation } from '#shared/pix-keys/model.ts';
import { parseKeyValidation } from '#shared/pix-keys/store.ts';
import type { Item } from '#shared/platform/table/store.ts';
import type { KeyAtBank } from '#test/model/bank-key-ports.ts';
import type { Finding } from '../world/history.ts';

/**
 * When all is quiet, no key waits for its bank, and a company's bank has exactly the keys that its accounts have: none
 * is shown that it does not know, and none is left there that the service has given up.
 */
export function checkKeys(finding: Finding, own: readonly Item[], atBank: readonly KeyAtBank[]): void {
  const registered = new Map(
    atBank.filter(({ untilMs }) => untilMs === Infinity).map(({ order, key }) => [order.reference, key]),
  );
  for (const item of own) {
    if (item['entity'] !== 'KEY_VALIDATION') continue;
    const validation = parseKeyValidation(item);
    const { id, status, askedAt, connection } = validation;
    const report = (text: string): void => {
      finding('keys of the accounts are those of their bank', `key ${id} is ${status}: ${text}`, [id]);
    };
    if (askedAt !== undefined) report(`its bank was asked at ${askedAt} and has not answered`);
    const wrong = connection === undefined ? undefined : differenceOf(validation, registered.get(id));
    if (wrong !== undefined) report(wrong);
  }
}

function differenceOf({ status, key }: KeyValidation, registered: string | undefined): string | undefined {
  if (status === 'CONFIRMED' && registered !== key) return `its bank has ${registered ?? 'no such key'}`;
  return status !== 'CONFIRMED' && registered !== undefined ? 'its bank has registered it' : undefined;
}
