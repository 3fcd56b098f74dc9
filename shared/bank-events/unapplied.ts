import type { ReceivedPix, SentPix } from '../bank/ports/reader.ts';
import { childSequence, parentOrderId } from '../core/identifiers.ts';
import { parseReceivedPix } from '../credits/received.ts';
import { parsePayoutWithPayments } from '../payouts/store.ts';
import { keys } from '../platform/table/keys.ts';
import type { Item, Key } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';
import type { BankEventContext } from './context.ts';
import { readMany } from './own.ts';
import { isAppliedPayment } from './payouts.ts';
import { idOfReference } from './recurring.ts';

/*
 * Most payments of a list are in the table already, as the bank lists them. These functions read the items of a page
 * together and return only the payments that may change something. Such a payment is then applied as if it were alone.
 */

type Lookup = (key: Key) => Item | undefined;

/** Returns the received payments that are not credited with the listed amount and fee, or have returns. */
export async function unappliedReceived(
  { store, companyId }: Pick<BankEventContext, 'store' | 'companyId'>,
  listed: readonly ReceivedPix[],
): Promise<readonly ReceivedPix[]> {
  const keysOf = ({ endToEndId, fee }: ReceivedPix) => ({
    credit: keys.receivedPix(companyId, endToEndId),
    fee: hasFee(fee) ? [keys.bankFee(companyId, endToEndId, 'RECEIVED')] : [],
  });
  const wanted = listed.map((pix) => [pix, keysOf(pix)] as const);
  const itemOf = await readMany(
    store,
    wanted.flatMap(([, { credit, fee }]) => [credit, ...fee]),
  );
  const isApplied = ({ returns, amount }: ReceivedPix, { credit, fee }: ReturnType<typeof keysOf>): boolean => {
    const item = itemOf(credit);
    if (item === undefined || returns.length > 0 || !hasAll(itemOf, fee)) return false;
    return readable(() => parseReceivedPix(item))?.amount === amount;
  };
  return wanted.filter(([pix, found]) => !isApplied(pix, found)).map(([pix]) => pix);
}

/** Returns the sent payments that have not ended in the table as they are listed, with their fee. */
export async function unappliedSent(
  { store, companyId, connection }: Pick<BankEventContext, 'store' | 'companyId' | 'connection'>,
  listed: readonly SentPix[],
): Promise<readonly SentPix[]> {
  const keysOf = ({ reference = '', endToEndId, fee, state }: SentPix) => {
    const id = idOfReference(reference);
    if (id === undefined) return undefined;
    const [orderId, sequence] = [parentOrderId(id), childSequence(id)];
    const isCharged = endToEndId !== undefined && state.status === 'PAID' && hasFee(fee);
    return {
      id,
      order: keys.order(companyId, orderId),
      child: sequence === undefined ? [] : [keys.payoutChild(companyId, orderId, sequence)],
      fee: isCharged ? [keys.bankFee(companyId, endToEndId, 'SENT')] : [],
    };
  };
  const wanted = listed.map((sent) => [sent, keysOf(sent)] as const);
  const itemOf = await readMany(
    store,
    wanted.flatMap(([, found]) => (found === undefined ? [] : [found.order, ...found.child, ...found.fee])),
  );
  const isApplied = (sent: SentPix, found: ReturnType<typeof keysOf>): boolean => {
    if (found === undefined || !hasAll(itemOf, found.fee)) return false;
    const order = itemOf(found.order);
    const items = found.child.flatMap((key) => itemOf(key) ?? []);
    const payout = order && readable(() => parsePayoutWithPayments({ order, items }));
    return payout !== undefined && isAppliedPayment(payout, found.id, connection.id, sent);
  };
  return wanted.filter(([sent, found]) => !isApplied(sent, found)).map(([sent]) => sent);
}

function hasFee(fee: number | undefined): boolean {
  return fee !== undefined && fee > 0;
}

function hasAll(itemOf: Lookup, wanted: readonly Key[]): boolean {
  return wanted.every((key) => itemOf(key) !== undefined);
}

/** A malformed item fails the payment to which it belongs, when that is applied, and not its page. */
function readable<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof CorruptItem) return undefined;
    throw error;
  }
}
