import type * as z from 'zod';
import type { KeyConfirmation, KeyValidationResponse, KeyValidationRecord } from './contract.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { pick } from '../core/pick.ts';
import type { KeyCode, KeyValidation } from './model.ts';
import { validationStatus } from './model.ts';

/** The response to the request of a code. It does not depend on what happened to the code later. */
export function codeRequestView({ validationId, validUntil }: KeyCode): z.output<typeof KeyValidationResponse> {
  return { validationId, status: 'PENDING', expiresAt: validUntil };
}

export function confirmationView({ id, type, key }: KeyValidation): z.output<typeof KeyConfirmation> {
  return { validationId: id, status: 'CONFIRMED', key: { type, key } };
}

export function keyValidationView(validation: KeyValidation, at: Instant): z.output<typeof KeyValidationRecord> {
  return {
    validationId: validation.id,
    ...pick(validation, 'type', 'key'),
    status: validationStatus(validation, at),
    createdAt: validation.createdAt,
    expiresAt: validation.validUntil,
    ...pick(validation, 'confirmedAt'),
  };
}
