import type { HolderType, Account } from '#shared/accounts/model.ts';
import type { Instant } from '../core/brasilia-time.ts';
import type { PixKey } from '../core/pix-key.ts';

/** `EXPIRED` is computed from a `PENDING` validation and the time: it is never stored. */
export const keyValidationStatuses = [
  'PENDING',
  'REGISTERING',
  'CONFIRMED',
  'REFUSED',
  'EXPIRED',
  'BLOCKED',
  'REMOVED',
] as const;
export type KeyValidationStatus = (typeof keyValidationStatuses)[number];
export const storedValidationStatuses = [
  'PENDING',
  'REGISTERING',
  'CONFIRMED',
  'REFUSED',
  'BLOCKED',
  'REMOVED',
] as const satisfies KeyValidationStatus[];

/** The types of PIX key whose owner confirms them by a code (BCB, Manual Operacional do DICT, 2.1). */
export const confirmableKeyTypes = ['EMAIL', 'PHONE'] as const satisfies PixKey['type'][];
type ConfirmableKeyType = (typeof confirmableKeyTypes)[number];
export type ConfirmableKey = { readonly type: ConfirmableKeyType; readonly key: string };

/** The types of PIX key that an account can have: besides, the CNPJ of its holder, and a key that its bank makes up. */
export const registrableKeyTypes = [...confirmableKeyTypes, 'CNPJ', 'RANDOM'] as const satisfies PixKey['type'][];
export type RegistrableKeyType = (typeof registrableKeyTypes)[number];
export type RegistrableKey = { readonly type: RegistrableKeyType; readonly key: string };

/**
 * Why an account does not get a key. `OWNED_ELSEWHERE`: an account at another bank has it. `LIMIT_EXCEEDED`: the bank
 * registers no more keys for the account. `NOT_IN_TIME`: the bank did not take the registration in time.
 */
export const keyRefusals = ['OWNED_ELSEWHERE', 'LIMIT_EXCEEDED', 'NOT_IN_TIME', 'REFUSED'] as const;
export type KeyRefusal = (typeof keyRefusals)[number];

/**
 * A key of an account, with the proof that its holder has the e-mail address or phone (specification, 2.10;
 * docs/decisions/021), and its registration at the bank.
 */
export type KeyValidation = {
  readonly id: string;
  readonly companyId: string;
  readonly accountId: string;
  readonly type: RegistrableKeyType;
  /** Absent for a random key until the bank has made it up. */
  readonly key?: string;
  readonly status: (typeof storedValidationStatuses)[number];
  /** The connection of the bank that registers the key; absent for the simulated bank, and before the registration. */
  readonly connection?: string;
  /** Number of the current code, from 1; a resend creates the next one. 0 for a key without a code. */
  readonly codeNumber: number;
  /** Keyed hash of the current code. Absent until its sending begins: before that no code is the right one. */
  readonly codeHash?: string;
  /** Wrong codes since the current one was created. */
  readonly wrongTries: number;
  /** Expiry of the current code; of a key without a code, that of its registration. */
  readonly validUntil: Instant;
  readonly createdAt: Instant;
  /** The client whose request created it, and the one whose request removed it. */
  readonly createdBy?: string;
  readonly removedBy?: string;
  /** When the bank was asked to register or remove the key. Absent unless it still has to answer. */
  readonly askedAt?: Instant;
  readonly confirmedAt?: Instant;
  readonly refusal?: KeyRefusal;
  readonly removedAt?: Instant;
  readonly version: number;
};

/** Seconds for which a bank is asked to register a key. */
export const registrationSeconds = 1800;

/** Returns the address that gets the codes of a key; undefined for a key that needs none. */
export function addressOf({ type, key }: Pick<KeyValidation, 'type' | 'key'>): ConfirmableKey | undefined {
  const confirmable = confirmableKeyTypes.find((known) => known === type);
  return confirmable === undefined || key === undefined ? undefined : { type: confirmable, key };
}

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

/** Whether its bank was asked to remove the key, and has not confirmed it yet. */
export function isBeingRemoved({ status, askedAt }: KeyValidation): boolean {
  return status === 'CONFIRMED' && askedAt !== undefined;
}

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
