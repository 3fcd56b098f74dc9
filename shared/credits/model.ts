import type { Instant } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import { addCentavos, centavos, subtractCentavos } from '../core/money.ts';
import type { Counterpart } from '../core/party.ts';

export const creditStatuses = ['OPEN', 'ASSIGNED', 'RETURNED'] as const;
export type CreditStatus = (typeof creditStatuses)[number];

/**
 * Why no order expected the money: no charge of the company is meant; its charge was paid already; it has another
 * amount; or the charge had ended.
 */
export const creditReasons = ['NO_CHARGE', 'SECOND_PAYMENT', 'OTHER_AMOUNT', 'TOO_LATE'] as const;
export type CreditReason = (typeof creditReasons)[number];

export const creditReturnStatuses = ['PENDING', 'SETTLED', 'FAILED'] as const;
export type CreditReturnStatus = (typeof creditReturnStatuses)[number];

/** A received Pix that no open charge expected. Its money is available in the account from the start. */
export type Credit = {
  readonly id: string;
  readonly accountId: string;
  readonly endToEndId: string;
  readonly amount: Centavos;
  readonly reason: CreditReason;
  /** Absent where the bank does not name the payer. */
  readonly payer?: Counterpart;
  readonly status: CreditStatus;
  /** The order that the payment named; once it is assigned, the pay-in that it pays. */
  readonly orderId?: string;
  /** The client whose request assigned it. */
  readonly assignedBy?: string;
  /** The amount that has gone back so far; absent until a return has settled. */
  readonly returnedAmount?: Centavos;
  /** The amount that went back by disputes. */
  readonly returnedByDisputes?: Centavos;
  /** The dispute of its payment that the bank has not decided. */
  readonly disputeId?: string;
  /** When the service booked it, by the company's clock. */
  readonly receivedAt: Instant;
  readonly updatedAt: Instant;
  /** The connection to the bank that received it; absent for the simulated bank. */
  readonly connection?: string;
  readonly version: number;
};

/** A return of a credit, whole or in part: `PENDING`, with its amount reserved, until the bank settles or fails it. */
export type CreditReturn = {
  /** 32 hexadecimal digits: the `id` of a devolução in the BCB's Pix API. */
  readonly id: string;
  readonly creditId: string;
  readonly amount: Centavos;
  readonly status: CreditReturnStatus;
  readonly createdAt: Instant;
  /** The client whose request created it; absent for what the service or the bank created. */
  readonly createdBy?: string;
  readonly settledAt?: Instant;
  /** `rtrId`, `D…`: known when settled. */
  readonly endToEndId?: string;
  /** Why the return failed. Begins with the bank's code if there is one. */
  readonly errorMessage?: string;
};

export type CreditWithReturns = { readonly credit: Credit; readonly returns: readonly CreditReturn[] };

const nothing = centavos(0);

/** The amount that has gone back: by returns that settled, and by disputes. */
export function returnedAmountOf({ credit, returns }: CreditWithReturns): Centavos {
  const { returnedByDisputes = nothing } = credit;
  return addCentavos(returnedByDisputes, sumOf(returns.filter(({ status }) => status === 'SETTLED')));
}

/** The amount that can still be returned: what was received, without what went back or is on its way. */
export function returnableAmount({ credit, returns }: CreditWithReturns): Centavos {
  const { amount, returnedByDisputes = nothing } = credit;
  const asked = sumOf(returns.filter(({ status }) => status !== 'FAILED'));
  return subtractCentavos(amount, addCentavos(returnedByDisputes, asked));
}

function sumOf(returns: readonly CreditReturn[]): Centavos {
  return addCentavos(...returns.map(({ amount }) => amount));
}
