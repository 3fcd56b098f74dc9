import type { HolderType, Account } from '#shared/accounts/model.ts';
import type { Instant } from '../core/brasilia-time.ts';
import type { PixKey } from '../core/pix-key.ts';

/** `EXPIRED` is computed from a `PENDING` validation and the time: it is never stored. */
export const keyValidationStatuses = ['PENDING', 'CONFIRMED', 'EXPIRED', 'BLOCKED'] as const;
export type KeyValidationStatus = (typeof keyValidationStatuses)[number];
export const storedValidationStatuses = ['PENDING', 'CONFIRMED', 'BLOCKED'] as const satisfies KeyValidationStatus[];

/** The types of PIX key whose owner confirms them by a code (BCB, Manual Operacional do DICT, 2.1). */
export const confirmableKeyTypes = ['EMAIL', 'PHONE'] as const satisfies PixKey['type'][];
type ConfirmableKeyType = (typeof confirmableKeyTypes)[number];
export type ConfirmableKey = { readonly type: ConfirmableKeyType; readonly key: string };

/** The proof that an account's holder has an e-mail address or a phone (specification, 2.10; docs/decisions/021). */
export type KeyValidation = ConfirmableKey & {
  readonly id: string;
  readonly companyId: string;
  readonly accountId: string;
  readonly status: (typeof storedValidationStatuses)[number];
  /** Number of the current code, from 1; a resend creates the next one. */
  readonly codeNumber: number;
  /** Keyed hash of the current code. Absent until its sending begins: before that no code is the right one. */
  readonly codeHash?: string;
  /** Wrong codes since the current one was created. */
  readonly wrongTries: number;
  /** Expiry of the current code. */
  readonly validUntil: Instant;
  readonly createdAt: Instant;
  readonly confirmedAt?: Instant;
  readonly version: number;
};

/** One code of a validation: a message to send, and the facts for the response to its request. */
export type KeyCode = {
  readonly validationId: string;
  readonly accountId: string;
  readonly number: number;
  readonly validUntil: Instant;
  readonly createdAt: Instant;
  /** Time of the machine's clock, as are `refusedAt` and `droppedAt`. */
  readonly sentAt?: Instant;
  /** The e-mail or phone service has replied that the address can never be reached. */
  readonly refusedAt?: Instant;
  /** It was no longer the current code, or had expired. */
  readonly droppedAt?: Instant;
};

export type CodeName = Pick<KeyCode, 'accountId' | 'validationId' | 'number'>;

/** Configuration of the environment (docs/decisions/021). */
export type KeyRules = {
  /** Life of a code, seconds. */
  readonly codeValidSeconds: number;
  /** Wrong codes after which the validation is blocked, counted for each code. */
  readonly triesPerCode: number;
  readonly resendsPerValidation: number;
  /** Maximum number of codes for an account on one day of Brasilia, by the machine's clock. */
  readonly codesPerDay: number;
  /** Maximum number of codes to one address on such a day, for all accounts. */
  readonly codesPerAddressAndDay: number;
  /** Phones of other countries can be keys, too. */
  readonly phonesAbroad: boolean;
  /** Confirmed keys that an account can have (BCB, Regulamento do Pix: 5 of a person, 20 of a company). */
  readonly keysPerAccount: Readonly<Record<HolderType, number>>;
};

export function validationStatus({ status, validUntil }: KeyValidation, at: Instant): KeyValidationStatus {
  return status === 'PENDING' && at >= validUntil ? 'EXPIRED' : status;
}

/** Whether this code may still be sent: it is the last one of its validation, and has not expired. */
export function isCurrentCode(validation: KeyValidation, number: number, at: Instant): boolean {
  return validation.codeNumber === number && validationStatus(validation, at) === 'PENDING';
}

/** The limit of keys follows the type of the holder; an unknown type follows the document. */
export function holderTypeOf({ holderType, document }: Pick<Account, 'holderType' | 'document'>): HolderType {
  return holderType ?? (document.type === 'CNPJ' ? 'ORGANIZATION' : 'INDIVIDUAL');
}
