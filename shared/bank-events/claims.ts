import * as z from 'zod';
import type { ListedClaim, ReceivedPix } from '../bank/ports/reader.ts';
import { BankUnavailable } from '../bank/outcome.ts';
import { RequestError } from '../core/errors.ts';
import { centavos } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import { readReceived } from '../credits/received.ts';
import type { Dispute } from '../disputes/model.ts';
import { isUndecided } from '../disputes/model.ts';
import { disputeUpdates, readDispute } from '../disputes/store.ts';
import { log } from '../platform/log.ts';
import { keys } from '../platform/table/keys.ts';
import type { ItemMembers } from '../platform/table/parse.ts';
import { parserOf } from '../platform/table/parse.ts';
import type { Item, Put } from '../platform/table/store.ts';
import type { BankEventContext, BankEventOutcome } from './context.ts';
import type { Disputed } from './disputes.ts';
import { decideDispute, disputedOf, openDispute, readOpenDisputeId, readReturnDispute } from './disputes.ts';
import { readMany } from './own.ts';
import { applyReturnsOf } from './returns.ts';

/** A claim of a bank's list as it was applied last. */
type AppliedClaim = Pick<ListedClaim, 'claimId' | 'endToEndId' | 'status' | 'dueAt'> & {
  readonly connection: string;
  /** Absent when nothing was left of the payment to dispute. */
  readonly disputeId?: string;
};

const claimStatuses = [
  'OPEN',
  'DEFENDED',
  'ACCEPTED',
  'REJECTED',
  'CANCELED',
] as const satisfies readonly ListedClaim['status'][];

const ClaimItem = z.object({
  entity: z.literal('PAYER_CLAIM'),
  claimId: z.string(),
  endToEndId: z.string(),
  status: z.enum(claimStatuses),
  dueAt: z.string(),
  connection: z.string(),
  disputeId: z.string().exactOptional(),
} satisfies ItemMembers<AppliedClaim>);
const parseClaim: (item: Item) => AppliedClaim = parserOf(ClaimItem, "payer's claim");

type Where = Pick<BankEventContext, 'companyId' | 'connection'>;

function keyOf({ companyId, connection }: Where, { claimId }: Pick<ListedClaim, 'claimId'>) {
  return keys.payerClaim(companyId, connection.id, claimId);
}

/** Stores a claim with its status. Of two concurrent runs one fails. */
function claimPut(where: Where, claim: ListedClaim, before: AppliedClaim | undefined, disputeId?: string): Put {
  const facts = pick(claim, 'claimId', 'endToEndId', 'status', 'dueAt');
  const named = pick({ disputeId: disputeId ?? before?.disputeId }, 'disputeId');
  const put = { ...keyOf(where, claim), entity: 'PAYER_CLAIM', ...facts, ...named, connection: where.connection.id };
  return { put, when: before === undefined ? { is: 'absent' } : { equals: { status: before.status } } };
}

/** Returns the claims of a page whose status and time limit were not applied yet. Reads the page's items together. */
export async function unappliedClaims(
  context: Pick<BankEventContext, 'store'> & Where,
  listed: readonly ListedClaim[],
): Promise<readonly ListedClaim[]> {
  const itemOf = await readMany(
    context.store,
    listed.map((claim) => keyOf(context, claim)),
  );
  const isApplied = (claim: ListedClaim): boolean => {
    const item = itemOf(keyOf(context, claim));
    return item?.['status'] === claim.status && item['dueAt'] === claim.dueAt;
  };
  return listed.filter((claim) => !isApplied(claim));
}

/**
 * Applies a claim of the bank's list: opens the dispute of its payment, or moves it. Money goes back by a return of the
 * payment alone: an accepted claim whose return the bank does not show yet changes nothing. A claim of a payment in the
 * dispute of another claim waits for its end.
 */
export async function applyClaim(context: BankEventContext, claim: ListedClaim): Promise<BankEventOutcome> {
  const { store, companyId } = context;
  const [item] = await store.read([keyOf(context, claim)]);
  const before = item && parseClaim(item);
  if (before?.status === claim.status && before.dueAt === claim.dueAt) return 'SAME';
  const received = await readReceived(store, companyId, claim.endToEndId);
  if (received === undefined) return 'UNKNOWN';
  const payment = await disputedOf(context, received);
  const dispute = await readDisputeOf(context, before?.disputeId ?? (await readOpenDisputeId(context, payment)));
  const isOther = dispute?.claimId !== undefined && dispute.claimId !== claim.claimId;
  const own = isOther ? undefined : dispute;
  if (claim.status === 'ACCEPTED') return applyAccepted(context, claim, { before, dispute: own });
  if (own !== undefined) return moveDispute(context, claim, { before, dispute: own });
  if (claim.status === 'REJECTED' || claim.status === 'CANCELED') return keep(context, claim, before);
  return isOther ? 'SAME' : open(context, claim, { before, payment });
}

async function readDisputeOf(
  { store, companyId }: BankEventContext,
  id: string | undefined,
): Promise<Dispute | undefined> {
  return id === undefined ? undefined : (await readDispute(store, companyId, id))?.dispute;
}

type Known = { readonly before: AppliedClaim | undefined };

/**
 * Opens the dispute of a claim. A return that was heard before the claim has opened one, which the claim then belongs
 * to.
 */
async function open(
  context: BankEventContext,
  claim: ListedClaim,
  { before, payment }: Known & { readonly payment: Disputed },
): Promise<BankEventOutcome> {
  const facts = pick(claim, 'kind', 'reason', 'details', 'dueAt', 'claimId');
  const wanted = { ...facts, claimedAt: claim.createdAt, upTo: claim.amount };
  const isOpen = { ...claim, status: 'OPEN' } as const;
  const earlier = await findOpenedByReturn(context, claim);
  if (earlier !== undefined) return keep(context, claim, before, earlier);
  try {
    await openDispute({ ...context, at: context.now() }, payment, wanted, (id) => [
      claimPut(context, isOpen, before, id),
    ]);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    // Nothing is left of the payment, or another account of the company made it. A refund that fails leaves some again.
    log('warn', 'Cannot open a dispute of a claimed payment', { ...whereOf(context, claim), reason: error.message });
    return 'SAME';
  }
  // One that was defended in the bank's own app.
  return claim.status === 'OPEN' ? 'MOVED' : applyClaim(context, claim);
}

/** Finds the dispute that was opened for a return of the claim. A bank that gives no answer shows none. */
async function findOpenedByReturn(context: BankEventContext, claim: ListedClaim): Promise<string | undefined> {
  const pix = await context.reader.readReceivedPix(claim.endToEndId).catch((error: unknown) => {
    if (error instanceof BankUnavailable) return undefined;
    throw error;
  });
  const disputes = await bookersOf(context, pix, claim);
  return disputes.find(({ claimId }) => claimId === undefined)?.id;
}

/** Returns the disputes that booked what went back of a payment by a claim, since this one was made. */
async function bookersOf(
  context: BankEventContext,
  pix: ReceivedPix | undefined,
  { createdAt }: ListedClaim,
): Promise<readonly Dispute[]> {
  const returns = pix?.returns.filter(({ claim, at }) => claim !== undefined && at >= createdAt) ?? [];
  const { store, companyId } = context;
  const found = await Promise.all(
    returns.map(async ({ returnId }) => readDisputeOf(context, await readReturnDispute(store, companyId, returnId))),
  );
  return found.filter((dispute) => dispute !== undefined);
}

/**
 * Moves the dispute of a claim by its status. A dispute that an operator opened before gets the claim, and an open one
 * the time limit of the bank.
 */
async function moveDispute(
  context: BankEventContext,
  claim: ListedClaim,
  { before, dispute }: Known & { readonly dispute: Dispute },
): Promise<BankEventOutcome> {
  const { id, status, claimId, dueAt } = dispute;
  if (!isUndecided(dispute)) return keep(context, claim, before, id);
  if (claimId === undefined || (status === 'OPEN' && dueAt !== claim.dueAt)) {
    await putClaim(context, claim, { before, dispute });
    return claim.status === 'OPEN' ? 'SAME' : applyClaim(context, claim);
  }
  const { status: outcome } = claim;
  if (outcome === status || outcome === 'OPEN') return keep(context, claim, before, id);
  const atNow = { ...context, at: context.now() };
  return decided(context, id, () =>
    decideDispute(atNow, id, { outcome }, () => [claimPut(context, claim, before, id)]),
  );
}

/** Gives a dispute the claim that the bank lists, and its time limit. */
async function putClaim(
  context: BankEventContext,
  claim: ListedClaim,
  { before, dispute }: Known & { readonly dispute: Dispute },
): Promise<void> {
  const { companyId, store, realNow, ids } = context;
  const { claimId, dueAt, createdAt: claimedAt } = claim;
  const claimed = { ...dispute, claimId, claimedAt, dueAt, version: dispute.version + 1 };
  const isOpen = { ...claim, status: 'OPEN' } as const;
  const put = claimPut(context, isOpen, before, dispute.id);
  await store.write([...disputeUpdates(companyId, dispute, claimed, realNow()), put], ids.uuid());
}

/** Decides a dispute. Another run that was first has decided it. */
async function decided(
  { store, companyId }: BankEventContext,
  id: string,
  decide: () => Promise<unknown>,
): Promise<BankEventOutcome> {
  const before = (await readDispute(store, companyId, id))?.dispute.version;
  try {
    await decide();
    return 'MOVED';
  } catch (error) {
    const after = error instanceof RequestError ? (await readDispute(store, companyId, id))?.dispute.version : before;
    if (after === before) throw error;
    return 'SAME';
  }
}

/**
 * Reads the payment at the bank and books what went back of it. Until that is shown, the dispute stays open. A dispute
 * whose return another one of the payment has booked ends without money.
 */
async function applyAccepted(
  context: BankEventContext,
  claim: ListedClaim,
  { before, dispute }: Known & { readonly dispute: Dispute | undefined },
): Promise<BankEventOutcome> {
  const pix = await context.reader.readReceivedPix(claim.endToEndId);
  const isMoved = pix?.endToEndId === claim.endToEndId && (await applyReturnsOf(context, pix));
  const after = await readDisputeOf(context, dispute?.id);
  if ((await bookersOf(context, pix, claim)).length === 0) {
    log('warn', 'Accepted claim has no return yet', whereOf(context, claim));
    return isMoved ? 'MOVED' : 'SAME';
  }
  if (after === undefined || !isUndecided(after)) {
    await keep(context, claim, before, dispute?.id);
    return isMoved ? 'MOVED' : 'SAME';
  }
  const atNow = { ...context, at: context.now() };
  const nothingMore = { outcome: 'ACCEPTED', amount: centavos(0), isTaken: true } as const;
  return decided(context, after.id, () =>
    decideDispute(atNow, after.id, nothingMore, () => [claimPut(context, claim, before, after.id)]),
  );
}

function whereOf({ companyId, connection }: BankEventContext, { claimId, endToEndId }: ListedClaim) {
  return { companyId, connectionId: connection.id, claimId, endToEndId };
}

/** Stores a claim that changes no dispute. */
async function keep(
  context: BankEventContext,
  claim: ListedClaim,
  before: AppliedClaim | undefined,
  disputeId?: string,
): Promise<BankEventOutcome> {
  await context.store.writeOne(claimPut(context, claim, before, disputeId));
  return 'SAME';
}
