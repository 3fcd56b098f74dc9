import type { RequestOf } from '#shared/contract/contract.ts';
import { parseLocation } from '#shared/core/br-code/location.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Document } from '#shared/core/document.ts';
import type { OwnerBank } from '#shared/core/party.ts';
import type { Bank } from '#shared/bank/bank.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { submitOnce, requireOutcome } from '#shared/bank/bank.ts';
import type { OpenedCharge } from '#shared/bank/ports/charges.ts';
import type { OpenedRecurrence, RecurrenceOrder } from '#shared/bank/ports/recurrences.ts';
import type { CreateSubscription } from './contract.ts';

/** What the bank answered: the recurrence and, for journey 3, its first charge; or why it refused either. */
export type AtBank =
  | { readonly recurrence: OpenedRecurrence; readonly charge?: OpenedCharge }
  | { readonly refused: { readonly code?: string; readonly reason: string } };

export type Wanted = {
  readonly body: RequestOf<typeof CreateSubscription>['body'];
  readonly receiver: { readonly name: string; readonly document: Document; readonly account: OwnerBank };
  /** The references of both, the same on every repetition of the request. */
  readonly references: { readonly recurrence: string; readonly charge: string };
  /** The end of the first charge's life. */
  readonly expireDateTime: Instant;
};

export const firstChargeDescription = 'First charge of a subscription';

/**
 * Opens a recurrence at the bank, and for journey 3 its first charge, at the same time: neither waits for the other. If
 * one is open while the other was refused, or nothing was written here, no money moves: nobody has seen its QR code.
 * @throws BankUnavailable when the bank does not answer for one of them.
 */
export async function registerAtBank(
  { recurrences, charges }: Pick<Bank, 'recurrences' | 'charges'>,
  { body, receiver, references, expireDateTime }: Wanted,
  asking: { readonly companyId: string; readonly at: Instant },
): Promise<AtBank> {
  const { debtor, payer = debtor, initialCharge, description } = body;
  const { name, document, account } = receiver;
  const recurrence: RecurrenceOrder = {
    ...{ reference: references.recurrence, externalId: body.externalId, debtor, receiver: { name, document } },
    ...{ frequencyType: body.frequencyType, startDate: body.startDate },
    allowChargeAfterDueDate: body.allowChargeAfterDueDate ?? false,
    ...(body.endDate !== undefined && { endDate: body.endDate }),
    ...(body.fixedAmount !== undefined && { fixedAmount: body.fixedAmount }),
    ...(body.maxAmountFloor !== undefined && { maxAmountFloor: body.maxAmountFloor }),
    ...(description !== undefined && { description }),
    ...(initialCharge !== undefined && { firstChargeTxid: references.charge }),
  };
  const charge = initialCharge && {
    ...{ reference: references.charge, amount: initialCharge.amount, receiver: account, payer, expireDateTime },
    description: description ?? firstChargeDescription,
  };
  const [recurrenceEnd, chargeEnd] = await Promise.all([
    submitOnce(
      {
        submit: () => recurrences.open(recurrence, asking),
        find: () => recurrences.find(recurrence.reference, asking),
      },
      { again: false, whenUnknown: 'ASK' },
    ),
    charge &&
      submitOnce(
        { submit: () => charges.open(charge, asking), find: () => charges.find(charge.reference, asking) },
        { again: false, whenUnknown: 'ASK' },
      ),
  ]);
  const opened = requireOutcome(recurrenceEnd);
  const charged = chargeEnd && requireOutcome(chargeEnd);
  if (opened.outcome === 'REFUSED') return { refused: opened };
  if (charged === undefined) return { recurrence: opened.result };
  if (charged.outcome === 'REFUSED') return { refused: charged };
  requireOneHost(opened.result, charged.result);
  return { recurrence: opened.result, charge: charged.result };
}

/**
 * A composite code has both addresses at one host (BCB, Manual de Padrões, 2.8.5.3); a bank must not answer otherwise.
 */
function requireOneHost({ qrcode, location }: OpenedRecurrence, charge: OpenedCharge): void {
  if (qrcode !== undefined || parseLocation(location)?.host === parseLocation(charge.location)?.host) return;
  throw new BankUnavailable('The bank answered what it must not: charge and recurrence at different hosts.');
}
