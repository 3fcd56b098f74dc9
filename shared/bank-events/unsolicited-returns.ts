import * as z from 'zod';
import type { ReturnedPayment } from '../bank/ports/shapes.ts';
import type { BankConnection } from '../bank/connection.ts';
import { report } from '../bank/report.ts';
import type { Instant } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import { StoredCentavos } from '../platform/ledger/ledger.ts';
import { keys } from '../platform/table/keys.ts';
import type { ItemMembers } from '../platform/table/parse.ts';
import { parserOf } from '../platform/table/parse.ts';
import type { Item, Store } from '../platform/table/store.ts';
import { queryAll } from '../platform/table/store.ts';

/**
 * Unsolicited return: money that the bank sent back to a payer, neither requested nor by a claim that can be booked. No
 * entry has it.
 */
export type UnsolicitedReturn = {
  readonly returnId: string;
  /** The payment that went back. */
  readonly endToEndId: string;
  readonly amount: Centavos;
  readonly at: Instant;
  /** The connection whose bank sent it. */
  readonly connection?: string;
};

const UnsolicitedReturnItem = z.object({
  entity: z.literal('FOREIGN_RETURN'),
  returnId: z.string(),
  endToEndId: z.string(),
  amount: StoredCentavos,
  at: z.string(),
  connection: z.string().exactOptional(),
} satisfies ItemMembers<UnsolicitedReturn>);
const parseUnsolicitedReturn: (item: Item) => UnsolicitedReturn = parserOf(UnsolicitedReturnItem, 'unsolicited return');

/**
 * Stores an unsolicited return for the operator's list, unless a dispute has booked it meanwhile, and reports it the
 * first time. @returns whether it is new
 */
export async function keepUnsolicitedReturn(
  store: Store,
  { companyId, id: connection }: Pick<BankConnection, 'companyId' | 'id'>,
  endToEndId: string,
  { returnId, amount, at }: ReturnedPayment,
): Promise<boolean> {
  const key = keys.unsolicitedReturn(companyId, returnId);
  const facts = { entity: 'FOREIGN_RETURN', returnId, endToEndId, amount, at, connection };
  const unbooked = { check: keys.disputeReturn(companyId, returnId), when: { is: 'absent' } } as const;
  const kept = { put: { ...key, ...facts }, when: { is: 'absent' } } as const;
  const { ok } = await store.write([unbooked, kept], crypto.randomUUID());
  if (ok) report('UnsolicitedReturns', { companyId, endToEndId });
  return ok;
}

/** Lists all unsolicited returns of a company. */
export async function listUnsolicitedReturns(store: Store, companyId: string): Promise<readonly UnsolicitedReturn[]> {
  const { PK: partition } = keys.unsolicitedReturn(companyId, '');
  const found: UnsolicitedReturn[] = [];
  for await (const item of queryAll(store, { partition })) found.push(parseUnsolicitedReturn(item));
  return found;
}
