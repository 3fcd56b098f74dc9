import {
  decideDispute,
  disputedOf,
  disputeReturnWrites,
  readReturnDispute,
  openDispute,
} from '#shared/bank-events/disputes.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { DisputeKind } from '#shared/core/dispute-kind.ts';
import { forbiddenByState, notFound } from '#shared/core/errors.ts';
import type { Centavos } from '#shared/core/money.ts';
import { formatAmount } from '#shared/core/money.ts';
import { pick } from '#shared/core/pick.ts';
import { readReceived } from '#shared/credits/received.ts';
import type { Dispute, DisputeStatus } from '#shared/disputes/model.ts';
import { requireDispute } from '#shared/disputes/store.ts';
import { UsageError } from '../values.ts';
import type { OnboardingDependencies } from '../target.ts';

type Dependencies = Pick<OnboardingDependencies, 'store' | 'ids' | 'now'>;
type DisputeFacts = Readonly<Record<string, string | null>>;

const daysToDefend = 7;

/**
 * Opens a dispute of a received payment that its bank reported to people alone. What the account has of it is blocked,
 * and the partner is told.
 * @throws RequestError 404; 409 for a payment that is in a dispute, or of which less is left than is claimed
 */
export async function openReported(
  dependencies: Dependencies,
  wanted: {
    readonly companyId: string;
    readonly endToEndId: string;
    readonly amount?: Centavos | undefined;
    readonly kind?: DisputeKind | undefined;
    readonly reason: string;
    readonly days?: number | undefined;
  },
): Promise<DisputeFacts> {
  const { companyId, endToEndId, amount, kind = 'FRAUD', reason, days = daysToDefend } = wanted;
  const received = await readReceived(dependencies.store, companyId, endToEndId);
  if (received === undefined) throw notFound('Received payment');
  const context = contextOf(dependencies, companyId);
  const claim = { kind, reason, dueAt: plusSeconds(context.at, days * 86_400), ...pick({ amount }, 'amount') };
  return factsOf((await openDispute(context, await disputedOf(context, received), claim)).dispute);
}

/**
 * Applies what a bank decided of a dispute and reported to people alone. Money that went back from a connected bank is
 * booked with its return id, so that the bank's list does not book it again.
 * @throws UsageError; RequestError 404; 409 by the table of disputes, or when more goes back than was claimed
 */
export async function decideReported(
  dependencies: Dependencies,
  wanted: {
    readonly companyId: string;
    readonly disputeId: string;
    readonly status: Exclude<DisputeStatus, 'OPEN'>;
    readonly amount?: Centavos | undefined;
    readonly returnId?: string | undefined;
  },
): Promise<DisputeFacts> {
  const { companyId, disputeId, status, amount, returnId } = wanted;
  const context = contextOf(dependencies, companyId);
  if (status !== 'ACCEPTED') {
    if (amount !== undefined || returnId !== undefined)
      throw new UsageError('Only --status ACCEPTED has --amount and --return-id.');
    return factsOf((await decideDispute(context, disputeId, { outcome: status })).dispute);
  }
  const { dispute } = await requireDispute(dependencies.store, companyId, disputeId);
  if (returnId === undefined && dispute.connection !== undefined)
    throw forbiddenByState(
      'return-id',
      'REQUIRED',
      'The bank’s list may book the return, too: give its id, D…, with --return-id.',
    );
  if (returnId !== undefined && (await readReturnDispute(dependencies.store, companyId, returnId)) !== undefined)
    throw forbiddenByState('return-id', 'ALREADY_EXISTS', 'A dispute has booked this return already.');
  const also = returnId === undefined ? undefined : () => disputeReturnWrites(companyId, returnId, disputeId);
  const event = { outcome: status, ...pick({ amount }, 'amount') } as const;
  return factsOf((await decideDispute(context, disputeId, event, also)).dispute);
}

function contextOf({ store, ids, now }: Dependencies, companyId: string) {
  return { store, ids, at: now(), realNow: now, companyId, requestId: ids.uuid() };
}

function factsOf(dispute: Dispute): DisputeFacts {
  const { id, accountId, orderId, creditId, endToEndId, status, amount, blockedAmount, returnedAmount, dueAt } =
    dispute;
  return {
    disputeId: id,
    accountId,
    orderId: orderId ?? null,
    creditId: creditId ?? null,
    endToEndId,
    status,
    currency: 'BRL',
    amount: formatAmount(amount),
    blocked: formatAmount(blockedAmount),
    returned: formatAmount(returnedAmount),
    dueAt,
  };
}
