import * as z from 'zod';
import type { Balance } from '../../../shared/domain/account.ts';
import type { Delivery } from '../../../shared/domain/delivery.ts';
import type { PayIn } from '../../../shared/domain/pay-in.ts';
import type { BatchPayment } from '../../../shared/domain/payout-batch.ts';
import type { Payout } from '../../../shared/domain/payout.ts';
import type { Refund } from '../../../shared/domain/refund.ts';
import { parseDelivery, parseDeliveryBody } from '../../../shared/persistence/delivery-items.ts';
import type { LedgerEntry } from '../../../shared/persistence/ledger.ts';
import { parseBalance, parseLedgerEntry } from '../../../shared/persistence/ledger.ts';
import { payInOf, refundOf } from '../../../shared/persistence/pay-ins.ts';
import { paymentOf, payoutOf } from '../../../shared/persistence/payouts.ts';
import type { Item } from '../../../shared/persistence/store.ts';

/** Everything of a company that has to agree, by kind. */
export type CompanyRecords = {
  readonly balances: Balance[];
  readonly entries: LedgerEntry[];
  readonly payIns: PayIn[];
  readonly refunds: Refund[];
  readonly payouts: Payout[];
  /** By the id of their payout. */
  readonly payments: Map<string, BatchPayment[]>;
  readonly deliveries: Delivery[];
  /** `event` and `id` inside the bytes of a delivery, by the delivery's id. */
  readonly told: Map<string, string>;
  readonly corrupt: string[];
};

const Told = z.object({ event: z.string(), id: z.string() });

/** Sorts a company's items into records. An item that cannot be read is a difference, not the end of the comparison. */
export async function readCompanyRecords(items: AsyncIterable<Item>): Promise<CompanyRecords> {
  const records: CompanyRecords = {
    ...{ balances: [], entries: [], payIns: [], refunds: [], payouts: [], deliveries: [], corrupt: [] },
    ...{ payments: new Map(), told: new Map() },
  };
  for await (const item of items) {
    try {
      sort(item, records);
    } catch (error) {
      records.corrupt.push(`${item.PK} ${item.SK}: ${error instanceof Error ? error.message : 'malformed'}`);
    }
  }
  return records;
}

function sort(item: Item, records: CompanyRecords): void {
  switch (item['entity']) {
    case 'BALANCE':
      records.balances.push(parseBalance(item));
      return;
    case 'LEDGER_ENTRY':
      records.entries.push(parseLedgerEntry(item));
      return;
    case 'PAY_IN':
      records.payIns.push(payInOf(item));
      return;
    case 'REFUND':
      records.refunds.push(refundOf(item));
      return;
    case 'PAYOUT':
      records.payouts.push(payoutOf(item));
      return;
    case 'PAYOUT_PAYMENT': {
      const payout = lastPart(item.PK);
      records.payments.set(payout, [...(records.payments.get(payout) ?? []), paymentOf(item)]);
      return;
    }
    case 'DELIVERY':
      records.deliveries.push(parseDelivery(item));
      return;
    case 'DELIVERY_BODY': {
      const told = Told.safeParse(JSON.parse(parseDeliveryBody(item)));
      if (told.success) records.told.set(lastPart(item.PK), told.data.id);
      return;
    }
    default:
      return;
  }
}

function lastPart(key: string): string {
  return key.split('#').at(-1) ?? '';
}
