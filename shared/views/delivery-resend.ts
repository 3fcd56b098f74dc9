import type * as z from 'zod';
import type { ResendRecord } from '../contracts/webhook.ts';
import type { DeliveryResend } from '../domain/delivery-resend.ts';

/** A resend as the API shows it. */
export function resendView(resend: DeliveryResend): z.output<typeof ResendRecord> {
  const { id, createdFrom, sentCount, heldCount, createdAt, completedAt, position } = resend;
  const status = position === undefined ? 'COMPLETED' : 'RUNNING';
  return { id, status, createdFrom, sentCount, heldCount, createdAt, completedAt: completedAt ?? null };
}
