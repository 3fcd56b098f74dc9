import type * as z from 'zod';
import type { ResendRecord } from '../contract.ts';
import type { DeliveryResend } from './resend.ts';

/** A resend as the API shows it. */
export function resendView(resend: DeliveryResend): z.output<typeof ResendRecord> {
  const { id, createdFrom, sentCount, heldCount, createdAt, completedAt, position } = resend;
  const status = position === undefined ? 'COMPLETED' : 'RUNNING';
  return { id, status, createdFrom, sentCount, heldCount, createdAt, completedAt: completedAt ?? null };
}
