import type { Account } from '#shared/accounts/model.ts';
import { accountNotActive } from '#shared/platform/ledger/balance.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import type { AddressQuota, KeyQuota, Quotas } from './quota.ts';
import { countCode, countKey, requireRoomForKey, uncountKey } from './quota.ts';
import type { ConfirmableKey, KeyCode, KeyRefusal, KeyRules, KeyValidation, KeyValidationStatus } from './model.ts';
import { registrationSeconds, validationStatus } from './model.ts';
import { askAgainAt } from '../core/resubmission.ts';
import type { TransitionTable } from '../core/transition.ts';
import { nextStatus } from '../core/transition.ts';
import type { RequestError } from '../core/errors.ts';
import { forbiddenByState, transitionNotAllowed } from '../core/errors.ts';
import { pick } from '../core/pick.ts';

/**
 * What the bank of the account decides about a registration (`bank`), and what requests cause (`service`): the
 * simulated bank decides within the confirmation.
 */
export const keyValidationTransitions = {
  bank: [
    ['REGISTERING', 'CONFIRMED', 'CONFIRMED'],
    ['REGISTERING', 'REFUSED', 'REFUSED'],
  ],
  service: [
    ['PENDING', 'REGISTERING', 'REGISTERING'],
    ['PENDING', 'CONFIRMED', 'CONFIRMED'],
    ['PENDING', 'REFUSED', 'REFUSED'],
    ['PENDING', 'BLOCKED', 'BLOCKED'],
    ['PENDING', 'EXPIRED', 'EXPIRED'],
    ['CONFIRMED', 'REMOVED', 'REMOVED'],
  ],
} as const satisfies TransitionTable<KeyValidationStatus>;

/** An account, and the used part of its quota. */
export type KeyHolder = { readonly account: Account; readonly quota: KeyQuota };
/** A code to send, with the validation and the quotas that are written together with it. */
export type CodeRequest = Quotas & {
  readonly validation: KeyValidation;
  readonly code: KeyCode;
  /** The address that gets the code. */
  readonly to: ConfirmableKey;
};
/** `createdBy`: the client whose request it is. */
type Creation<Key> = { readonly id: string; readonly key: Key; readonly at: Instant; readonly createdBy?: string };
export type Recipient = KeyHolder & { readonly address: AddressQuota };

/** A new validation with its first code. @throws RequestError 409 account not active, limit of keys or codes reached */
export function beginValidation(
  { account, ...quotas }: Recipient,
  creation: Creation<ConfirmableKey>,
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
    ...pick(creation, 'createdBy'),
    version: 1,
  };
  return { validation, code: codeOf(validation, at), to: key, ...counted };
}

/**
 * Returns the next code of a pending validation. It replaces the last code and resets the count of wrong tries (4.3).
 * @throws RequestError 409 account not active, validation not pending, limit of resends or codes reached
 */
export function resendCode(
  {
    account,
    validation,
    to,
    ...quotas
  }: Recipient & {
    readonly validation: KeyValidation;
    readonly to: ConfirmableKey;
  },
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
  return { validation: next, code: codeOf(next, at), to, ...countCode(quotas, rules) };
}

/** A key that its bank is asked to register. It counts among the keys of the account. */
export type Registration = { readonly validation: KeyValidation; readonly quota: KeyQuota };

export type Confirmation =
  | ({ readonly outcome: 'RIGHT' } & Registration)
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
  const status = transitionTo(validation, 'REGISTERING');
  const registering = { ...kept, status, askedAt: at, version };
  return { outcome: 'RIGHT', validation: registering, quota: countKey(quota, account, rules) };
}

/** A key that needs no code: the CNPJ of the holder, or one that the bank makes up. */
type CodelessKey = { readonly type: 'CNPJ'; readonly key: string } | { readonly type: 'RANDOM' };

/** A new key that needs no code. @throws RequestError 409 account not active or full */
export function beginRegistration(
  { account, quota }: KeyHolder,
  creation: Creation<CodelessKey>,
  rules: KeyRules,
): Registration {
  const { id, key, at } = creation;
  requireActive(account);
  const { id: accountId, companyId } = account;
  const validation: KeyValidation = {
    id,
    companyId,
    accountId,
    ...key,
    status: 'REGISTERING',
    codeNumber: 0,
    wrongTries: 0,
    validUntil: plusSeconds(at, registrationSeconds),
    createdAt: at,
    ...pick(creation, 'createdBy'),
    askedAt: at,
    version: 1,
  };
  return { validation, quota: countKey(quota, account, rules) };
}

/**
 * Returns the CNPJ of the holder, or a key to be made up.
 * @throws RequestError 409 for a holder without a CNPJ, and for another one's
 */
export function codelessKeyOf(
  { document }: Pick<Account, 'document'>,
  { type, key }: { readonly type: CodelessKey['type']; readonly key: string | undefined },
): CodelessKey {
  if (type === 'RANDOM') return { type };
  if (key !== undefined && key !== document.number)
    throw forbiddenByState('key', 'OWNER_MISMATCH', 'The CNPJ is not that of the holder of the account.');
  if (document.type !== 'CNPJ')
    throw forbiddenByState('type', 'INVALID_VALUE', 'The holder of the account has no CNPJ.');
  return { type, key: document.number };
}

/** The answer of the bank to a registration. `key`: as the bank has registered it. */
export type RegistrationAnswer =
  | { readonly outcome: 'CONFIRMED'; readonly key: string }
  | { readonly outcome: 'REFUSED'; readonly refusal: KeyRefusal };

/** Returns a registering key after the answer of its bank. A refused one counts no longer. Pure. */
export function answeredRegistration(
  { validation, quota }: Registration,
  answer: RegistrationAnswer,
  at: Instant,
): Registration {
  const { askedAt: _asked, ...kept } = validation;
  if (answer.outcome === 'REFUSED') {
    const status = transitionTo(validation, 'REFUSED', 'bank');
    return { validation: { ...kept, status, refusal: answer.refusal }, quota: uncountKey(quota) };
  }
  const status = transitionTo(validation, 'CONFIRMED', 'bank');
  return { validation: { ...kept, key: answer.key, status, confirmedAt: at }, quota };
}

/** Returns when a worker looks up the command of a key; undefined where none waits for the bank. */
export function nextLookUp({ askedAt }: KeyValidation, at: Instant): Instant | undefined {
  return askedAt === undefined ? undefined : askAgainAt(at);
}

export function nextVersion(validation: KeyValidation): KeyValidation {
  return { ...validation, version: validation.version + 1 };
}

/** Returns a confirmed key after its removal. @throws RequestError 409 unless it is confirmed */
export function removedKey({ validation, quota }: Registration, at: Instant): Registration {
  const status = transitionTo(validation, 'REMOVED');
  const { askedAt: _asked, ...kept } = validation;
  return { validation: { ...kept, status, removedAt: at }, quota: uncountKey(quota) };
}

/** The error never names the account that has the key. */
export function keyTaken(): RequestError {
  return forbiddenByState('key', 'ALREADY_EXISTS', 'The key belongs to an account already.');
}

/** Returns the error of a code that is asked for a key without one. */
export function needsNoCode(): RequestError {
  return forbiddenByState('validationId', 'TRANSITION_NOT_ALLOWED', 'A key of this type is registered without a code.');
}

/** Returns the error of a wrong code. Its text depends only on the tries left, so that a replay has the same text. */
export function wrongCode(triesLeft: number): RequestError {
  const left =
    triesLeft === 0
      ? 'No tries are left: the validation is blocked. Create the key again for a new one.'
      : `${triesLeft} ${triesLeft === 1 ? 'try is' : 'tries are'} left.`;
  return forbiddenByState('code', 'WRONG_CODE', `The code is wrong. ${left}`);
}

function transitionTo<S extends Exclude<KeyValidation['status'], 'PENDING'>>(
  { status }: KeyValidation,
  to: S,
  by: 'bank' | 'service' = 'service',
): S {
  if (nextStatus(keyValidationTransitions, status, to, by) === undefined) throw transitionNotAllowed(status, to, []);
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
