import type { Instant } from '../core/brasilia-time.ts';
import type { Document } from '../core/document.ts';
import type { Centavos } from '../core/money.ts';
import type { AccountStatus } from '../platform/ledger/balance.ts';

export const holderTypes = ['INDIVIDUAL', 'ORGANIZATION'] as const;
export type HolderType = (typeof holderTypes)[number];

/** Documents of holders; those outside Brazil are kept as written (specification, 2.9). */
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

/** The account at its bank. `bankNumber` is absent without a COMPE number. */
type BankAccountData = {
  readonly ispb: string;
  readonly bankNumber?: string;
  readonly branchNumber: string;
  readonly accountNumber: string;
  readonly accountType: BankAccountType;
  readonly createdAt: Instant;
};

/** A company's account (specification, 2.9). `Balance` holds its money. */
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
  /** Largest single PIX payment. Absent: the service's own limit. */
  readonly pixTransactionLimit?: Centavos;
  /** Largest number of payouts that it creates in a calendar minute, to `maxPayoutsAMinute`. Absent: any number. */
  readonly payoutsAMinute?: number;
  /** What becomes of a payout like another one of the last ten minutes. Absent: it is created. */
  readonly equalPayouts?: 'REFUSED';
  /** Number of shards of its balance that new payments use. Absent: one. */
  readonly shards?: number;
};

export const maxPayoutsAMinute = 999_999;

export function accountTransitionsFrom(status: AccountStatus): readonly AccountStatus[] {
  switch (status) {
    case 'ACTIVE':
      return ['INACTIVE', 'CLOSED'];
    case 'INACTIVE':
      return ['ACTIVE', 'CLOSED'];
    case 'CLOSED':
      return [];
  }
}

/** Lower case without accents: a search for `jose` finds `José`. */
export function foldText(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();
}

/** The holder's CPF or CNPJ; undefined for a foreign document. */
export function brazilianDocument({ document: { type, number } }: Account): Document | undefined {
  return type === 'CPF' || type === 'CNPJ' ? { type, number } : undefined;
}
