import type * as z from 'zod';
import type { KeyConfirmation, KeyCreation, KeyValidationResponse, KeyValidationRecord } from './contract.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { pick } from '../core/pick.ts';
import type { KeyCode, KeyValidation } from './model.ts';
import { validationStatus } from './model.ts';
import { CorruptItem } from '../platform/table/store.ts';

/** The response to the request of a code. It does not depend on what happened to the code later. */
export function codeRequestView({ validationId, validUntil }: KeyCode): z.output<typeof KeyValidationResponse> {
  return { validationId, status: 'PENDING', expiresAt: validUntil };
}

/** The response to the creation of a key without a code. `status`: that of its first response. */
export function codelessKeyView(
  validation: KeyValidation,
  status: z.output<typeof KeyCreation>['status'],
): z.output<typeof KeyCreation> {
  const { id: validationId, validUntil: expiresAt } = validation;
  return { validationId, status, expiresAt, ...(status === 'CONFIRMED' && { key: shownKey(validation) }) };
}

/** The response to a right code. `status`: that of its first response. */
export function confirmationView(
  validation: KeyValidation,
  status: z.output<typeof KeyConfirmation>['status'],
): z.output<typeof KeyConfirmation> {
  const { id: validationId, refusal } = validation;
  const reason = status === 'REFUSED' && refusal !== undefined ? { reason: refusal } : {};
  return { validationId, status, key: shownKey(validation), ...reason };
}

function shownKey({ type, key }: KeyValidation): z.output<typeof KeyConfirmation>['key'] {
  if (key === undefined) throw new CorruptItem('A registered key has no text.');
  return { type, key };
}

export function keyValidationView(validation: KeyValidation, at: Instant): z.output<typeof KeyValidationRecord> {
  const { refusal } = validation;
  return {
    validationId: validation.id,
    ...pick(validation, 'type', 'key'),
    status: validationStatus(validation, at),
    ...pick(validation, 'createdAt', 'createdBy', 'removedBy'),
    expiresAt: validation.validUntil,
    ...pick(validation, 'confirmedAt'),
    ...(refusal !== undefined && { reason: refusal }),
  };
}
