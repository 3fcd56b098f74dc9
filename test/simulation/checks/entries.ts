import { companyPrefix, keys } from '#shared/platform/table/keys.ts';
import type { Item, Value } from '#shared/platform/table/store.ts';
import type { Finding } from '../world/history.ts';
import type { Change } from '../world/table.ts';

/** Kinds whose entries stand on the other side of the order that they store: of a transfer within the company. */
const ofOtherSide = new Set(['PAYOUT_RECEIVED', 'REFUND_RECEIVED']);
/** Kinds without any reference. */
const ofNothing = new Set(['OPENING', 'DEPOSIT']);
const byReturn = new Set(['REFUND_SETTLED', 'REFUND']);
const ofRefund = new Set([...byReturn, 'REFUND_RESERVED', 'REFUND_RETURNED']);
/** Money that came in from outside its order: the same commit marks it as received. */
const received = new Set(['PAYOUT_RECEIVED', 'REFUND_RECEIVED', 'PAYOUT_RETURNED_LATE', 'UNMATCHED_CREDIT']);
/** Payments of a batch above this are not marked one by one. */
const mostMarked = 40;

const textOf = (item: Item | undefined, name: string): string => {
  const value = item?.[name];
  return typeof value === 'string' ? value : '';
};
const memberOf = (value: Value | undefined, name: string): Value | undefined =>
  typeof value === 'object' && value !== null && name in value
    ? (value as Readonly<Record<string, Value>>)[name]
    : undefined;
/** Name and number of a party, whose document is a text in an account's data. */
const partyOf = (value: Value | undefined): string => {
  const document = memberOf(value, 'document');
  return JSON.stringify([memberOf(value, 'name'), memberOf(document, 'number') ?? document]);
};

/** An entry of a credit has its account, payer, amount and payment; of a return, also its number. */
function checkCredit(entry: Item, items: readonly Item[], report: (text: string) => void): void {
  const credit = items.find((item) => item['entity'] === 'CREDIT');
  if (credit === undefined) {
    report('there is no such credit');
    return;
  }
  if (credit['accountId'] !== entry['accountId']) report('the credit is of another account');
  if (partyOf(entry['counterparty']) !== partyOf(credit['payer'])) report('the other side is not who paid');
  const numbered =
    entry['kind'] === 'UNMATCHED_CREDIT' ? credit : items.find((item) => item['id'] === entry['refundId']);
  if (numbered === undefined) {
    report('there is no such return');
    return;
  }
  const isReserve = entry['kind'] === 'REFUND_RESERVED' || entry['kind'] === 'REFUND_RETURNED';
  const expected = isReserve ? '' : textOf(numbered, 'endToEndId');
  if (textOf(entry, 'endToEndId') !== expected) report(`its number is ${expected}`);
  const moved = Math.max(Math.abs(Number(entry['available'])), Math.abs(Number(entry['reserved'])));
  if (moved !== numbered['amount']) report('it has another amount');
}

/** Every entry names what its order, refund and payment had when it was booked. */
export function entryChecks(finding: Finding) {
  /** Orders with their payments and refunds, and credits with their returns, by partition and sort key. */
  const orders = new Map<string, Map<string, Item>>();
  const follow = (item: Item): void => {
    if (!item.PK.includes('#ORDER#') && !item.PK.includes('#CREDIT#')) return;
    const inOrder = orders.get(item.PK) ?? new Map<string, Item>();
    orders.set(item.PK, inOrder.set(item.SK, item));
  };
  const check = (entry: Item, committed: readonly Item[]): void => {
    const [kind, orderId, endToEndId] = [textOf(entry, 'kind'), textOf(entry, 'orderId'), textOf(entry, 'endToEndId')];
    const report = (text: string): void => {
      finding('an entry names what its order has', `${kind} ${textOf(entry, 'id')}: ${text}`, [orderId]);
    };
    const references = ['orderId', 'refundId', 'creditId', 'disputeId', 'endToEndId', 'controlNumber', 'counterparty'];
    const named = references.filter((name) => name in entry);
    if (ofNothing.has(kind)) {
      if (named.length > 0) report(`it names ${named.join()}`);
      return;
    }
    const isOfItem = (item: Item, entity: string): boolean =>
      item['entity'] === entity && textOf(item, 'endToEndId') === endToEndId;
    if (kind === 'BANK_FEE' && !committed.some((item) => isOfItem(item, 'BANK_FEE')))
      report('it names another payment');
    const isMarked = committed.filter((item) => item['entity'] === 'PAYOUT_PAYMENT').length <= mostMarked;
    if (received.has(kind) && isMarked && !committed.some((item) => isOfItem(item, 'RECEIVED_PIX')))
      report(`no money was received as ${endToEndId}`);
    const companyId = /^C#([^#]+)#/u.exec(entry.PK)?.[1] ?? '';
    const creditId = textOf(entry, 'creditId');
    if (creditId !== '' && !kind.startsWith('MED_'))
      checkCredit(entry, [...(orders.get(keys.credit(companyId, creditId).PK)?.values() ?? [])], report);
    else if (kind === 'UNMATCHED_CREDIT') report('it names no credit');
    if (orderId === '') return;
    const { PK, SK } = keys.order(companyId, orderId);
    const inOrder = orders.get(PK);
    const order = inOrder?.get(SK);
    if (order === undefined || !entry.PK.startsWith(companyPrefix(companyId))) {
      report('there is no such order');
      return;
    }
    const isOwn = textOf(order, 'accountId') === textOf(entry, 'accountId');
    if (isOwn === ofOtherSide.has(kind)) report(`the order is of the account ${textOf(order, 'accountId')}`);
    const otherSide = ofOtherSide.has(kind) ? 'ownerBank' : order['entity'] === 'PAYOUT' ? 'receiver' : 'payer';
    const [shown, expected] = [entry['counterparty'], order[otherSide]];
    if (kind !== 'BANK_FEE' && kind !== 'UNMATCHED_CREDIT' && partyOf(shown) !== partyOf(expected))
      report(`the other side is ${partyOf(expected)}, and not ${partyOf(shown)}`);
    const items = [...(inOrder?.values() ?? [])];
    if (ofRefund.has(kind)) {
      const refund = items.find((item) => item['entity'] === 'REFUND' && item['id'] === entry['refundId']);
      if (refund === undefined) report('there is no such refund');
      else if (byReturn.has(kind) ? textOf(refund, 'endToEndId') !== endToEndId : endToEndId !== '')
        report(`the refund has the number ${textOf(refund, 'endToEndId')}, and not ${endToEndId}`);
    }
    if (kind === 'PAY_IN' && textOf(order, 'endToEndId') !== endToEndId) report('the pay-in has another number');
    if (order['entity'] !== 'PAYOUT' || received.has(kind) || kind === 'BANK_FEE') return;
    const numbers = items.map((item) => textOf(item, 'endToEndId'));
    if (!numbers.includes(endToEndId)) report(`no payment of the order is ${endToEndId}`);
    if (textOf(order, 'controlNumber') !== textOf(entry, 'controlNumber')) report('the payout has another number');
  };
  return (changes: readonly Change[]): void => {
    const items = changes.flatMap(({ after }) => after ?? []);
    for (const item of items) follow(item);
    for (const { before, after } of changes)
      if (before === undefined && after?.['entity'] === 'LEDGER_ENTRY') check(after, items);
  };
}
