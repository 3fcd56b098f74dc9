import { setTimeout as sleep } from 'node:timers/promises';
import { BankUnavailable } from '../bank/outcome.ts';
import type { BankControl } from '../bank/connection.ts';
import { readConnection } from '../bank/connection.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { forbiddenByState, notFound } from '../core/errors.ts';
import { childSequence } from '../core/identifiers.ts';
import { openPayments } from '../payouts/payment-orders.ts';
import { selectPayments } from '../payouts/states.ts';
import { parsePayoutWithPayments } from '../payouts/store.ts';
import { readOrderItems } from '../platform/order-items.ts';
import type { Store } from '../platform/table/store.ts';
import { openRefund } from '../refunds/model.ts';
import { parsePayInWithRefunds } from '../refunds/store.ts';
import { readCharge } from '../scheduled-payments/store.ts';
import { readSubscription } from '../subscriptions/store.ts';

/*
 * The tools where a company's bank runs on this machine: that bank does it, and calls back. They move nothing here.
 */

type Where = { readonly store: Store; readonly companyId: string };
type Wanted = { readonly id: string; readonly status: string };
/** One thing that payers or other banks do, as the control surface of the bank calls it. */
type Deed = { readonly name: string; readonly body: object };

const answersWithinMs = 2000;
/** A callback is worked off within so long. */
const movesWithinMs = 2000;
const looksEveryMs = 50;

async function ask({ url, client }: BankControl, { name, body }: Deed): Promise<void> {
  const answer = await fetch(`${url}/${name}`, {
    ...{ method: 'POST', body: JSON.stringify({ client, ...body }) },
    signal: AbortSignal.timeout(answersWithinMs),
  }).catch(() => {
    throw new BankUnavailable('The bank of this machine does not answer: npm start -- --bank api-pix starts it.');
  });
  if (!answer.ok) throw forbiddenByState('status', 'TRANSITION_NOT_ALLOWED', `The bank says: ${await answer.text()}`);
}

async function controlOf({ store, companyId }: Where): Promise<BankControl> {
  const control = (await readConnection(store, companyId))?.control;
  if (control === undefined) throw notFound('Bank');
  return control;
}

/** Has the bank do it, and waits for what its callbacks move. @returns what the user of the tool reads */
async function haveDone(
  where: Where,
  { id, status }: Wanted,
  deeds: readonly Deed[],
  read: () => Promise<string>,
): Promise<string> {
  const [first] = deeds;
  if (first === undefined)
    throw forbiddenByState('status', 'TRANSITION_NOT_ALLOWED', `A bank by API Pix does not say ${status} by itself.`);
  const control = await controlOf(where);
  const before = await read();
  for (const deed of deeds) await ask(control, deed);
  const until = performance.now() + movesWithinMs;
  let after = await read();
  while (after === before && performance.now() < until) {
    await sleep(looksEveryMs);
    after = await read();
  }
  const moved = after === before ? `status ${before}: the callback was not heard yet` : `status ${before} → ${after}`;
  return `${id}: the bank did ${first.name}; ${moved}.`;
}

/** @throws RequestError 404; 409 for what the bank does not do */
export async function moveOrderAtBank(where: Where, wanted: Wanted): Promise<string> {
  const { store, companyId } = where;
  const find = async () => {
    const items = await readOrderItems(store, companyId, wanted.id);
    const payIn = items && parsePayInWithRefunds(items);
    const payout = items && payIn === undefined ? parsePayoutWithPayments(items) : undefined;
    if (payIn === undefined && payout === undefined) throw notFound('Order');
    return { payIn, payout };
  };
  const { payIn, payout } = await find();
  const deeds = payIn ? payInDeeds(payIn, wanted) : payout ? payoutDeeds(payout, wanted) : [];
  return haveDone(where, wanted, deeds, async () => {
    const found = await find();
    // A payment of a batch moves before its payout does.
    const parts = found.payout?.payments.map(({ status }) => status) ?? [];
    return [found.payIn?.payIn.status ?? found.payout?.payout.status, ...parts].join(' ');
  });
}

function payInDeeds(
  { payIn, refunds }: NonNullable<ReturnType<typeof parsePayInWithRefunds>>,
  { status }: Wanted,
): readonly Deed[] {
  if (status === 'PAID') return [{ name: 'pay', body: { txid: bankId(payIn.id) } }];
  const refund = openRefund(refunds);
  if (status !== 'REFUNDED' || refund === undefined) return [];
  return [{ name: 'end-refund', body: { endToEndId: payIn.endToEndId, id: refund.id, status: 'DEVOLVIDO' } }];
}

function payoutDeeds(
  found: NonNullable<ReturnType<typeof parsePayoutWithPayments>>,
  { id, status }: Wanted,
): readonly Deed[] {
  const said = { PAID: 'REALIZADO', ERROR: 'NAO_REALIZADO' }[status];
  if (said === undefined) return [];
  const meant = new Set(selectPayments(found, status, childSequence(id)).parts.map(({ sequence }) => sequence));
  return openPayments(found)
    .filter(({ sequence }) => meant.has(sequence))
    .map(({ order }) => ({ name: 'settle-payout', body: { idEnvio: bankId(order.reference), status: said } }));
}

/** @throws RequestError 404; 409 for what the bank does not do */
export async function moveSubscriptionAtBank(where: Where, wanted: Wanted): Promise<string> {
  const find = async () => {
    const found = await readSubscription(where.store, where.companyId, wanted.id, 'LATEST');
    if (found === undefined) throw notFound('Subscription');
    return found.subscription;
  };
  const name = { ACCEPTED: 'authorize', REJECTED: 'refuse', CANCELED: 'end' }[wanted.status];
  const { providerId: idRec } = await find();
  return haveDone(where, wanted, name === undefined ? [] : [{ name, body: { idRec } }], async () => {
    const { status } = await find();
    return status;
  });
}

/** What the payer's bank says of an attempt (API Pix, `tentativas`). */
const attempts: Readonly<Record<string, object>> = {
  ACCEPTED: { status: 'AGENDADA' },
  COMPLETED: { status: 'PAGA' },
  REJECTED: { status: 'REJEITADA' },
  CANCELED_INSUFFICIENT_BALANCE: { status: 'EXPIRADA' },
  CANCELED_SETTLEMENT_ERROR: { status: 'CANCELADA', codigo: 'FAIL' },
};

/** @throws RequestError 404; 409 for what the bank does not do */
export async function moveChargeAtBank(where: Where, wanted: Wanted): Promise<string> {
  const find = async () => {
    const charge = await readCharge(where.store, where.companyId, wanted.id);
    if (charge === undefined) throw notFound('Scheduled payment');
    return charge.payment;
  };
  const body = attempts[wanted.status];
  const txid = bankId((await find()).id);
  return haveDone(where, wanted, body === undefined ? [] : [{ name: 'attempt', body: { txid, ...body } }], async () => {
    const { status } = await find();
    return status;
  });
}

/** The bank's own clock of the company. */
export async function turnBankClock(where: Where, now: Instant): Promise<void> {
  await ask(await controlOf(where), { name: 'clock', body: { now } });
}

function bankId(reference: string): string {
  return reference.replaceAll('-', '');
}
