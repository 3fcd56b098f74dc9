import * as z from 'zod';
import type { Drawer, Infracao } from '@banking-order/fake-bank';
import { cents } from '@banking-order/fake-bank';
import { returnableAmount } from '#shared/credits/model.ts';
import { parseCredit, parseCreditReturn } from '#shared/credits/store.ts';
import type { Dispute } from '#shared/disputes/model.ts';
import { isUndecided, missingAmount } from '#shared/disputes/model.ts';
import { parseDispute } from '#shared/disputes/store.ts';
import { parsePayIn } from '#shared/pay-ins/store.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { refundableAmount } from '#shared/refunds/model.ts';
import { parseRefund } from '#shared/refunds/store.ts';
import { accountBalances } from '#test/support/account-balances.ts';
import { readable } from '../support/readable-items.ts';
import { inApp, isOwnPix } from './api-pix-claims.ts';
import type { Check, Problem } from './bank-checks.ts';

// The disputes of the service beside the claims of the bank and what it took back, read from its own documents.

type Documents = Pick<Drawer, 'find' | 'list'>;
type Expect = (isTrue: boolean, check: Check, text: string) => void;

const Defence = z.object({
  id: z.string(),
  disputeId: z.string(),
  text: z.string(),
  status: z.string(),
});

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);

/** What the service has of disputes. */
type Here = ReturnType<typeof disputesHere>;

function disputesHere(all: readonly Item[]) {
  const items = all.map(readable);
  const itemsOf = (entity: string): Item[] => items.filter((item) => item['entity'] === entity);
  const disputes = itemsOf('DISPUTE').map(parseDispute);
  const refunds = itemsOf('REFUND').map(parseRefund);
  const returns = itemsOf('CREDIT_RETURN').map(parseCreditReturn);
  return {
    itemsOf,
    disputes,
    balances: accountBalances(items),
    payIns: itemsOf('PAY_IN')
      .map(parsePayIn)
      .map((payIn) => ({ payIn, refunds: refunds.filter(({ orderId }) => orderId === payIn.id) })),
    credits: itemsOf('CREDIT')
      .map(parseCredit)
      .map((credit) => ({ credit, returns: returns.filter(({ creditId }) => creditId === credit.id) })),
    defences: itemsOf('DEFENCE').map((item) => Defence.parse(item)),
    /** Ids of returns by the dispute that booked them. */
    booked: itemsOf('DISPUTE_RETURN').map(({ returnId, disputeId }) => ({ returnId, disputeId })),
    unsolicited: itemsOf('FOREIGN_RETURN').map(({ returnId }) => returnId),
  };
}

/** What the banks took back. */
function takenBackAt(bank: Documents) {
  return bank
    .list('pix')
    .flatMap((pix) =>
      pix.devolucoes
        .filter(({ natureza }) => natureza.startsWith('MED_'))
        .map(({ rtrId, valor, horario }) => ({ pix, rtrId, amount: cents(valor), at: horario.solicitacao })),
    );
}

/** Everything that must be true of disputes once it has long been quiet. */
export function checkDisputes(all: readonly Item[], bank: Documents): readonly Problem[] {
  const problems: Problem[] = [];
  const expect: Expect = (isTrue, check, text) => {
    if (!isTrue) problems.push({ check, text });
  };
  const here = disputesHere(all);
  checkTakenBack(here, bank, expect);
  checkBlocked(here, expect);
  checkClaims(here, bank, expect);
  checkDefences(here, bank, expect);
  checkGoneBack(here, bank, expect);
  checkNotifications(here, expect);
  return problems;
}

/** Each return of the banks is booked once, by its dispute and in one entry, and nothing else is. */
function checkTakenBack({ disputes, booked, balances, unsolicited }: Here, bank: Documents, expect: Expect): void {
  const entries = balances.flatMap((one) => one.entries).filter(({ kind }) => kind === 'MED_RETURNED');
  const known = new Set<unknown>();
  for (const { pix, rtrId, amount } of takenBackAt(bank)) {
    known.add(rtrId);
    const [first, ...more] = booked.filter(({ returnId }) => returnId === rtrId);
    const name = `return ${rtrId} of ${amount}`;
    expect(first !== undefined && more.length === 0, 'taken back', `${name} is booked by ${first ? 'many' : 'none'}`);
    expect(!unsolicited.includes(rtrId), 'taken back', `${name} is also one that nobody explains`);
    const dispute = disputes.find(({ id }) => id === first?.disputeId);
    if (dispute === undefined) continue;
    const { id, endToEndId, status, returnedAmount } = dispute;
    expect(
      endToEndId === pix.endToEndId && status === 'ACCEPTED' && returnedAmount === amount,
      'taken back',
      `${name} of ${pix.endToEndId} is in dispute ${id} of ${endToEndId}: ${status} ${returnedAmount}`,
    );
    const moved = entries.filter(({ disputeId }) => disputeId === id).map((one) => one.available + one.blocked);
    expect(moved.length === 1 && moved[0] === -amount, 'taken back', `${name} is in entries of ${moved.join()}`);
  }
  for (const { disputeId } of entries) {
    const returns = booked.filter((one) => one.disputeId === disputeId && known.has(one.returnId));
    expect(returns.length === 1, 'taken back', `dispute ${disputeId} took back by ${returns.length} returns`);
  }
}

/** What is blocked is of undecided disputes, and they lack only what the account lacks. */
function checkBlocked({ disputes, balances, itemsOf }: Here, expect: Expect): void {
  for (const { accountId, available, blocked } of balances) {
    const undecided = disputes.filter((one) => one.accountId === accountId && isUndecided(one));
    const held = sum(undecided.map(({ blockedAmount }) => blockedAmount));
    expect(blocked === held, 'blocked', `${accountId} has ${blocked} blocked, its disputes ${held}`);
    const isShort = undecided.some((one) => missingAmount(one) > 0);
    expect(!isShort || available <= 0, 'blocked', `${accountId} has ${available} while a dispute lacks some`);
    const jobs = itemsOf('MED_BLOCK').filter(({ PK }) => PK.includes(accountId));
    expect(jobs.length === (isShort ? 1 : 0), 'blocked', `${accountId} has ${jobs.length} jobs, short ${isShort}`);
  }
  for (const dispute of disputes.filter((one) => !isUndecided(one)))
    expect(dispute.blockedAmount === 0, 'blocked', `ended dispute ${dispute.id} blocks ${dispute.blockedAmount}`);
}

/** A claim that is open at the bank has an open dispute, and one that has ended an ended one. */
function checkClaims(here: Here, bank: Documents, expect: Expect): void {
  const { disputes } = here;
  for (const claim of bank.list('infracao')) {
    const [dispute, ...more] = disputes.filter(({ claimId }) => claimId === claim.idInfracao);
    const name = `claim ${claim.idInfracao}, ${claim.status},`;
    expect(more.length === 0, 'claims', `${name} has ${more.length + 1} disputes`);
    if (dispute !== undefined) checkClaim(here, dispute, claim, bank, expect);
    // What another account of the company paid is not disputed, unless it was received before that was known.
    else if (!isOwnPix(claim)) checkUndisputed(here, claim, expect);
  }
  for (const [endToEndId, all] of Map.groupBy(disputes, (one) => one.endToEndId)) {
    const open = all.filter(isUndecided).map(({ id }) => id);
    expect(open.length <= 1, 'claims', `${endToEndId} is in ${open.length} open disputes`);
    const { orderId, creditId } = all[0]!;
    const named =
      orderId === undefined
        ? here.credits.find(({ credit }) => credit.id === creditId)?.credit.disputeId
        : here.payIns.find(({ payIn }) => payIn.id === orderId)?.payIn.disputeId;
    expect(named === open[0], 'claims', `the payment ${endToEndId} names dispute ${named}, ${open.join()} is open`);
  }
}

const endOf: Readonly<Record<Infracao['status'], Dispute['status']>> = {
  ABERTA: 'OPEN',
  EM_DEFESA: 'DEFENDED',
  ACEITA: 'ACCEPTED',
  REJEITADA: 'REJECTED',
  CANCELADA_EFI: 'CANCELED',
};

/** A claim that no dispute names: nothing was left, or it had ended before it was heard of. */
function checkUndisputed(here: Here, claim: Infracao, expect: Expect): void {
  if (claim.status !== 'ABERTA' && claim.status !== 'EM_DEFESA') return;
  const { endToEndId } = claim;
  const payIn = here.payIns.find((one) => one.payIn.endToEndId === endToEndId);
  const credit = here.credits.find((one) => one.credit.endToEndId === endToEndId);
  const left = payIn === undefined ? credit && returnableAmount(credit) : refundableAmount(payIn);
  expect(left === 0, 'claims', `claim ${claim.idInfracao}, ${claim.status}, has no dispute; ${left} is left`);
}

function checkClaim(
  { disputes, booked }: Here,
  dispute: Dispute,
  claim: Infracao,
  bank: Documents,
  expect: Expect,
): void {
  const returns = takenBackAt(bank).filter(({ pix }) => pix.endToEndId === claim.endToEndId);
  const since = returns.filter(({ at }) => at >= claim.criadoEm);
  // The service cannot tell which of two claims a return belongs to: it takes the one that is open here.
  const isTaken = dispute.status === 'ACCEPTED' && returns.length > 0;
  const isAccepted = claim.status === 'ACEITA';
  // An accepted claim whose return never came: the dispute stays.
  const isUnpaid = isAccepted && isUndecided(dispute) && since.length === 0;
  // The return was heard of before the claim, and booked by a dispute of its own.
  const isSettled =
    isAccepted &&
    dispute.status === 'CANCELED' &&
    since.some(({ rtrId }) => {
      const id = booked.find(({ returnId }) => returnId === rtrId)?.disputeId;
      return disputes.some((other) => other.id === id && other.claimId === undefined);
    });
  expect(
    dispute.status === endOf[claim.status] || isTaken || isUnpaid || isSettled,
    'claims',
    `claim ${claim.idInfracao} is ${claim.status}, its dispute ${dispute.id} ${dispute.status}`,
  );
}

/** The bank has what was sent, and has not what it refused. */
function checkDefences({ disputes, defences }: Here, bank: Documents, expect: Expect): void {
  const claimOf = (disputeId: string): Infracao | undefined => {
    const { claimId = '' } = disputes.find(({ id }) => id === disputeId) ?? {};
    return bank.find('infracao', claimId);
  };
  for (const { id, disputeId, text, status } of defences) {
    const { defesa = '' } = claimOf(disputeId) ?? {};
    const isThere = defesa.startsWith(text);
    expect(status !== 'PENDING', 'left', `defence ${id} is on its way`);
    expect(isThere === (status === 'SENT'), 'defence', `defence ${id} is ${status}, the bank has "${defesa}"`);
    const isOpen = disputes.some((one) => one.id === disputeId && one.status === 'OPEN');
    expect(status !== 'SENT' || !isOpen, 'defence', `defence ${id} is SENT, its dispute is OPEN`);
  }
  for (const { idInfracao, defesa = inApp } of bank.list('infracao')) {
    if (defesa.startsWith(inApp)) continue;
    const own = defences.filter(({ text, status }) => defesa.startsWith(text) && status === 'SENT');
    expect(own.length === 1, 'defence', `claim ${idInfracao} has "${defesa}", which is ${own.length} defences`);
  }
}

/** A payment shows what went back of it, and is REFUNDED or RETURNED once all has. */
function checkGoneBack({ payIns, credits }: Here, bank: Documents, expect: Expect): void {
  const goneBack = (endToEndId: string): number =>
    sum(
      (bank.find('pix', endToEndId)?.devolucoes ?? [])
        .filter(({ status }) => status === 'DEVOLVIDO')
        .map(({ valor }) => cents(valor)),
    );
  const check = (name: string, back: number, shown: number, isWhole: boolean, isEnded: boolean): void => {
    expect(back === shown, 'gone back', `${name} shows ${shown}, ${back} went back`);
    expect(isWhole === isEnded, 'gone back', `${name} has ended: ${isEnded}, all went back: ${isWhole}`);
  };
  for (const { payIn } of payIns) {
    const { id, endToEndId, status, amount, refundedAmount = status === 'REFUNDED' ? amount : 0 } = payIn;
    if (endToEndId === undefined) continue;
    const back = goneBack(endToEndId);
    check(`pay-in ${id}`, back, refundedAmount, back === amount, status === 'REFUNDED');
  }
  for (const { credit } of credits) {
    const { id, endToEndId, status, amount, returnedAmount = 0 } = credit;
    const back = goneBack(endToEndId);
    if (status !== 'ASSIGNED') check(`credit ${id}`, back, returnedAmount, back === amount, status === 'RETURNED');
  }
}

const Told = z.object({ event: z.string(), occurredAt: z.string().optional(), data: z.object({ id: z.string() }) });

/** One notification for each status, and at most two reminders. */
function checkNotifications({ disputes, itemsOf }: Here, expect: Expect): void {
  const expected = disputes.flatMap(({ id, statusHistory }) =>
    statusHistory.map(({ status }) => `DISPUTE.${status === 'OPEN' ? 'OPENED' : status} ${id}`),
  );
  const told = itemsOf('DELIVERY_BODY').flatMap((item) => {
    const body: unknown = JSON.parse(z.string().parse(item['body']));
    const { success, data } = Told.safeParse(body);
    return success && data.event.startsWith('DISPUTE.') ? [data] : [];
  });
  const reminders = told.filter(({ event }) => event === 'DISPUTE.DUE_SOON');
  const sent = told.filter((one) => !reminders.includes(one)).map(({ event, data }) => `${event} ${data.id}`);
  expect(
    JSON.stringify(sent.toSorted()) === JSON.stringify(expected.toSorted()),
    'notified once',
    `sent ${sent.join()}, expected ${expected.join()}`,
  );
  for (const [id, all] of Map.groupBy(reminders, ({ data }) => data.id)) {
    const times = new Set(all.map(({ occurredAt }) => occurredAt));
    expect(all.length <= 2 && times.size === all.length, 'notified once', `dispute ${id} was reminded of too often`);
  }
}
