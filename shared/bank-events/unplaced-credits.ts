import * as z from 'zod';
import type { ReceivedPix } from '../bank/ports/reader.ts';
import type { BankConnection } from '../bank/connection.ts';
import { report } from '../bank/report.ts';
import type { Instant } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import { receivedKey } from '../credits/received.ts';
import { StoredCentavos } from '../platform/ledger/ledger.ts';
import { keys } from '../platform/table/keys.ts';
import type { ItemMembers } from '../platform/table/parse.ts';
import { parserOf } from '../platform/table/parse.ts';
import type { Item, Store } from '../platform/table/store.ts';
import { queryAll } from '../platform/table/store.ts';
import { readMany } from './own.ts';

/**
 * Money that came to a connection with several accounts, when neither key nor charge shows to which of them. No entry
 * has it until an operator books it (`bank:credit`), or the bank or the connection shows its account.
 */
export type UnplacedCredit = {
  readonly endToEndId: string;
  readonly amount: Centavos;
  readonly at: Instant;
  /** The key that it was sent to, where the bank names it. */
  readonly chave?: string;
  readonly txid?: string;
  /** The bank's fee for it. */
  readonly fee?: Centavos;
  /** The connection whose bank received it. */
  readonly connection?: string;
};

const UnplacedItem = z.object({
  entity: z.literal('UNPLACED_CREDIT'),
  endToEndId: z.string(),
  amount: StoredCentavos,
  at: z.string(),
  chave: z.string().exactOptional(),
  txid: z.string().exactOptional(),
  fee: StoredCentavos.exactOptional(),
  connection: z.string().exactOptional(),
} satisfies ItemMembers<UnplacedCredit>);
const parseUnplaced: (item: Item) => UnplacedCredit = parserOf(UnplacedItem, 'unplaced credit');

/** Stores an unplaced credit for the operator's list, and reports it the first time. @returns whether it is new */
export async function keepUnplaced(
  store: Store,
  { companyId, id: connection }: Pick<BankConnection, 'companyId' | 'id'>,
  pix: ReceivedPix,
): Promise<boolean> {
  const { endToEndId } = pix;
  const facts = pick(pix, 'endToEndId', 'amount', 'at', 'chave', 'txid', 'fee');
  const item = { ...keys.unplacedCredit(companyId, endToEndId), entity: 'UNPLACED_CREDIT', ...facts, connection };
  const { ok } = await store.writeOne({ put: item, when: { is: 'absent' } });
  if (ok) report('CreditsUnplaced', { companyId, endToEndId });
  return ok;
}

/** Reads an unplaced credit, which may be credited meanwhile; undefined when it was never stored. */
export async function readUnplaced(
  store: Store,
  companyId: string,
  endToEndId: string,
): Promise<UnplacedCredit | undefined> {
  const [item] = await store.read([keys.unplacedCredit(companyId, endToEndId)]);
  return item && parseUnplaced(item);
}

/** Lists the unplaced credits of a company that are not credited to an account yet. */
export async function listUnplaced(store: Store, companyId: string): Promise<readonly UnplacedCredit[]> {
  const { PK: partition } = keys.unplacedCredit(companyId, '');
  const kept: UnplacedCredit[] = [];
  for await (const item of queryAll(store, { partition })) kept.push(parseUnplaced(item));
  const keyOf = ({ endToEndId }: UnplacedCredit) => receivedKey(companyId, endToEndId);
  const itemOf = await readMany(store, kept.map(keyOf));
  return kept.filter((credit) => itemOf(keyOf(credit)) === undefined);
}
