import { bankByIspb } from '../domain/bank.ts';
import type { Instant } from '../domain/brasilia-time.ts';
import type { Ids } from '../domain/identifiers.ts';
import { endToEndId, returnId, transactionId } from '../domain/identifiers.ts';
import type { PayInCallback } from '../domain/pay-in.ts';
import type { SubscriptionCallback } from '../domain/subscription.ts';

/** Institutions at which a simulated payer may have an account: never the service's own (BCB, reason code AG12). */
const PAYER_ISPBS = ['00000000', '60701190', '18236120', '60746948', '90400888', '00360305'] as const;

type Source = { readonly ids: Ids; readonly at: Instant; readonly ispb: string };

function payerIspb({ ids, ispb }: Source): string {
  const others = PAYER_ISPBS.filter((candidate) => candidate !== ispb);
  return others[Number(ids.digits(4)) % others.length] ?? PAYER_ISPBS[0];
}

/** What a bank's callback about a pay-in would carry: the payment's end-to-end id and account come from the payer's bank. */
export function simulatedPayInCallback(source: Source): PayInCallback {
  const { ids, at, ispb } = source;
  const from = payerIspb(source);
  const bank = bankByIspb(from);
  return {
    at,
    endToEndId: endToEndId(from, at, ids),
    payerBank: {
      ispb: from,
      ...(bank && { name: bank.name, code: bank.code }),
      branch: ids.digits(4),
      account: ids.digits(8),
      accountType: 'CHECKING_ACCOUNT',
    },
    refund: { id: transactionId(ids), endToEndId: returnId(ispb, at, ids) },
  };
}

/** What a bank's callback about a recurrence would carry. */
export function simulatedSubscriptionCallback(source: Source): SubscriptionCallback {
  const { ids, at } = source;
  return {
    at,
    payerAccount: { ispb: payerIspb(source), branchNumber: ids.digits(4), accountNumber: ids.digits(8) },
    cancellationId: ids.uuid(),
  };
}
