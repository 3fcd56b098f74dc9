import type { Account } from '#shared/accounts/model.ts';
import { accountNotActive } from '#shared/platform/ledger/balance.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import type { AddressQuota, KeyQuota, Quotas } from './quota.ts';
import { countCode, countKey, requireRoomForKey } from './quota.ts';
import type { ConfirmableKey, KeyCode, KeyRules, KeyValidation, KeyValidationStatus } from './model.ts';
import { validationStatus } from './model.ts';
import type { TransitionTable } from '../core/transition.ts';
import { nextStatus } from '../core/transition.ts';
import type { RequestError } from '../core/errors.ts';
import { forbiddenByState, transitionNotAllowed } from '../core/errors.ts';

/** Section 3 of the specification, row by row (`bank`), and what the service does by itself (`service`). */
export const keyValidationTransitions = {
  bank: [],
  service: [
    ['PENDING', 'CONFIRMED', 'CONFIRMED'],
    ['PENDING', 'BLOCKED', 'BLOCKED'],
    ['PENDING', 'EXPIRED', 'EXPIRED'],
  ],
} as const satisfies TransitionTable<KeyValidationStatus>;

/** An account, and the used part of its quota. */
export type KeyHolder = { readonly account: Account; readonly quota: KeyQuota };
/** A code to send, with the validation and the quotas that are written together with it. */
export type CodeRequest = Quotas & { readonly validation: KeyValidation; readonly code: KeyCode };
export type Recipient = KeyHolder & { readonly address: AddressQuota };

/** A new validation with its first code. @throws RequestError 409 account not active, limit of keys or codes reached */
export function beginValidation(
  { account, ...quotas }: Recipient,
  creation: { readonly id: string; readonly key: ConfirmableKey; readonly at: Instant },
  rules: KeyRules,
): CodeRequest {
  const { id, key, at } = creation;
  requireActive(account);
  requireRoomForKey(quotas.quota, account, rules);
  const { id: accountId, companyId } = account;
  const counted = countCode(quotas, rules);
  const validUntil = plusSeconds(at, rules.codeValidSeconds);
  const validation: KeyValidation = {
    id,
    companyId,
    accountId,
    type: key.type,
    key: key.key,
    status: 'PENDING',
    codeNumber: 1,
    wrongTries: 0,
    validUntil,
    createdAt: at,
    version: 1,
  };
  return { validation, code: codeOf(validation, at), ...counted };
}

/**
 * Returns the next code of a pending validation. It replaces the last code and resets the count of wrong tries (4.3).
 * @throws RequestError 409 account not active, validation not pending, limit of resends or codes reached
 */
export function resendCode(
  { account, validation, ...quotas }: Recipient & { readonly validation: KeyValidation },
  at: Instant,
  rules: KeyRules,
): CodeRequest {
  requireActive(account);
  requirePending(validation, 'Sending the code again', at);
  const { resendsPerValidation: most } = rules;
  if (validation.codeNumber > most)
    throw forbiddenByState(
      'validationId',
      'LIMIT_EXCEEDED',
      `A code is sent again at most ${most} times. Create the key again for a new validation.`,
    );
  const { codeHash: _replaced, ...kept } = validation;
  const next: KeyValidation = {
    ...kept,
    codeNumber: validation.codeNumber + 1,
    wrongTries: 0,
    validUntil: plusSeconds(at, rules.codeValidSeconds),
    version: validation.version + 1,
  };
  return { validation: next, code: codeOf(next, at), ...countCode(quotas, rules) };
}

export type Confirmation =
  | { readonly outcome: 'CONFIRMED'; readonly validation: KeyValidation; readonly quota: KeyQuota }
  /** A wrong code is counted, and the last allowed one blocks the validation: both are written. */
  | { readonly outcome: 'WRONG'; readonly validation: KeyValidation; readonly triesLeft: number };

/** Decides on a code. @throws RequestError 409 validation not pending, account not active or full, key taken */
export function decideConfirmation(
  found: KeyHolder & { readonly validation: KeyValidation; readonly isTaken: boolean },
  { isRight, at }: { readonly isRight: boolean; readonly at: Instant },
  rules: KeyRules,
): Confirmation {
  const { account, quota, validation } = found;
  requireActive(account);
  requirePending(validation, 'A confirmation', at);
  const version = validation.version + 1;
  if (!isRight) {
    const wrongTries = validation.wrongTries + 1;
    const triesLeft = Math.max(0, rules.triesPerCode - wrongTries);
    const status = triesLeft === 0 ? transitionTo(validation, 'BLOCKED') : validation.status;
    return { outcome: 'WRONG', triesLeft, validation: { ...validation, wrongTries, status, version } };
  }
  if (found.isTaken) throw keyTaken();
  const { codeHash: _used, ...kept } = validation;
  const confirmed = { ...kept, status: transitionTo(validation, 'CONFIRMED'), confirmedAt: at, version };
  return { outcome: 'CONFIRMED', validation: confirmed, quota: countKey(quota, account, rules) };
}

/** The error never names the account that has the key. */
export function keyTaken(): RequestError {
  return forbiddenByState('key', 'ALREADY_EXISTS', 'The key belongs to an account already.');
}

/** Returns the error of a wrong code. Its text depends only on the tries left, so that a replay has the same text. */
export function wrongCode(triesLeft: number): RequestError {
  const left =
    triesLeft === 0
      ? 'No tries are left: the validation is blocked. Create the key again for a new one.'
      : `${triesLeft} ${triesLeft === 1 ? 'try is' : 'tries are'} left.`;
  return forbiddenByState('code', 'WRONG_CODE', `The code is wrong. ${left}`);
}

function transitionTo<S extends 'CONFIRMED' | 'BLOCKED'>({ status }: KeyValidation, to: S): S {
  if (nextStatus(keyValidationTransitions, status, to, 'service') === undefined)
    throw transitionNotAllowed(status, to, []);
  return to;
}

function requireActive({ status }: Account): void {
  if (status !== 'ACTIVE') throw accountNotActive(status);
}

function requirePending(validation: KeyValidation, operation: string, at: Instant): void {
  const status = validationStatus(validation, at);
  if (status === 'PENDING') return;
  if (status !== 'EXPIRED') throw transitionNotAllowed(status, operation, []);
  const { validUntil } = validation;
  throw forbiddenByState(
    'validationId',
    'EXPIRED',
    `The code expired at ${validUntil}. Create the key again for a new validation.`,
  );
}

function codeOf({ id: validationId, accountId, codeNumber: number, validUntil }: KeyValidation, at: Instant): KeyCode {
  return { validationId, accountId, number, validUntil, createdAt: at };
}
