import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Document } from '#shared/core/document.ts';
import type { Centavos } from '#shared/core/money.ts';
import { centavos } from '#shared/core/money.ts';
import type { Refusal } from '#shared/core/errors.ts';
import { forbiddenByState } from '#shared/core/errors.ts';

/** `INACTIVE` comes back to life, `CLOSED` never does. Money moves out of an `ACTIVE` account only. */
export const accountStatuses = ['ACTIVE', 'INACTIVE', 'CLOSED'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

export const holderTypes = ['INDIVIDUAL', 'ORGANIZATION'] as const;
export type HolderType = (typeof holderTypes)[number];

/**
 * Kinds of document that a holder can have; those outside Brazil are kept as they were written (specification, 2.9).
 */
export const holderDocumentTypes = [
  'CPF',
  'CNPJ',
  'RUC',
  'NATIONAL_ID',
  'PASSPORT',
  'FOREIGNER_ID',
  'CHANCERY_ID',
  'CEDULA_DE_CIUDADANIA',
  'CEDULA_DE_EXTRANJERIA',
  'NUMERO_DE_IDENTIFICACION_TRIBUTARIA',
  'OTHERS',
  'DNI',
  'CURP',
  'RFC',
] as const;
export type HolderDocumentType = (typeof holderDocumentTypes)[number];
export type HolderDocument = { readonly type: HolderDocumentType; readonly number: string };

export const bankAccountTypes = ['CHECKING_ACCOUNT', 'WAGE_ACCOUNT', 'SAVINGS_ACCOUNT', 'PAYMENT_ACCOUNT'] as const;
export type BankAccountType = (typeof bankAccountTypes)[number];

/** Where the account is known outside this service. `bankNumber` is absent for institutions without a COMPE number. */
type BankAccountData = {
  readonly ispb: string;
  readonly bankNumber?: string;
  readonly branchNumber: string;
  readonly accountNumber: string;
  readonly accountType: BankAccountType;
  readonly createdAt: Instant;
};

/** A company's account (specification, 2.9). Its money is kept apart, in `Balance`. */
export type Account = {
  readonly id: string;
  readonly companyId: string;
  readonly status: AccountStatus;
  readonly holderType: HolderType | null;
  readonly fullName: string;
  readonly email: string;
  readonly phone: string;
  readonly document: HolderDocument;
  readonly bankAccountData: BankAccountData;
  readonly createdAt: Instant;
  /** Largest single PIX payout; where it is absent the service's own limit holds. */
  readonly pixTransactionLimit?: Centavos;
};

/** An account's money. Neither part is ever below zero, and both are the sums of the account's ledger entries. */
export type Balance = {
  readonly accountId: string;
  /** A copy, so that one condition on the balance can demand both the money and an active account. */
  readonly accountStatus: AccountStatus;
  /** What the holder may spend. */
  readonly available: Centavos;
  /** What is promised to payouts and refunds that are not final. */
  readonly reserved: Centavos;
  readonly updatedAt: Instant;
};

/**
 * The most that comes into either part of a balance, centavos: 45 trillion BRL. When all that was promised is given
 * back, one part holds both, and a double still counts it exactly.
 */
export const maxBalancePart = centavos(4_500_000_000_000_000);

/**
 * Why money moved. A batch of payouts moved as a whole is one move: it has the kind of its payments when they all went
 * the same way, else `PAYOUT_MOVED`.
 */
export const ledgerKinds = [
  'OPENING',
  'DEPOSIT',
  'PAY_IN',
  'REFUND_RESERVED',
  'REFUND_SETTLED',
  'REFUND_RETURNED',
  'REFUND',
  'REFUND_RECEIVED',
  'PAYOUT_RESERVED',
  'PAYOUT_PAID',
  'PAYOUT_RETURNED',
  'PAYOUT_MOVED',
  'PAYOUT_RECEIVED',
] as const;
export type LedgerKind = (typeof ledgerKinds)[number];

/** What explains a change of a balance; never changed. `available` and `reserved` are differences in centavos. */
export type LedgerEntry = {
  readonly id: string;
  readonly accountId: string;
  readonly kind: LedgerKind;
  /** The order that moved the money; an opening and a deposit have none. */
  readonly orderId?: string;
  readonly available: Centavos;
  readonly reserved: Centavos;
  readonly at: Instant;
};

/** What an account that is not active says to whoever wants money moved by it. */
export function accountNotActive(status: AccountStatus): Refusal {
  return forbiddenByState('accountId', 'INVALID_VALUE', `The account is ${status}; it must be ACTIVE.`);
}

/** The statuses to which an account can move from this one. */
export function accountMovesFrom(status: AccountStatus): readonly AccountStatus[] {
  switch (status) {
    case 'ACTIVE':
      return ['INACTIVE', 'CLOSED'];
    case 'INACTIVE':
      return ['ACTIVE', 'CLOSED'];
    case 'CLOSED':
      return [];
  }
}

/** Text as it is searched: lower case, without accents, so that `jose` finds `José`. */
export function foldText(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();
}

/** The holder's CPF or CNPJ; undefined for a holder with a foreign document. */
export function brazilianDocument({ document: { type, number } }: Account): Document | undefined {
  return type === 'CPF' || type === 'CNPJ' ? { type, number } : undefined;
}
