import { randomUUID } from 'node:crypto';
import type * as z from 'zod';
import type { PayInNotification, RefundNotification } from '#shared/webhooks/notification.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';

/** The pay-in that an exam tells of: made up, or one that the partner knows. */
export type ExamOrder = { readonly id: string; readonly code: string };

/** An order that nobody has: well formed, so that it passes a receiver's own checks. */
export function madeUpOrder(): ExamOrder {
  return { id: `${randomUUID().slice(0, -2)}00`, code: `check-receiver-${randomUUID().slice(0, 8)}` };
}

/** The pay-in was paid a minute ago. */
export function paid({ id, code }: ExamOrder, at: Instant): z.output<typeof PayInNotification> {
  const paidAt = plusSeconds(at, -60);
  return {
    id,
    code,
    event: 'ORDER-PAYIN.PAID',
    status: 'PAID',
    paidAt,
    updatedAt: paidAt,
    endToEndId: 'E00000000202601151200EXAM0000001',
    controlNumber: null,
    type: 'PAY-IN',
    message: 'The pay-in was paid.',
    customerMessage: 'Pagamento confirmado.',
    description: 'Café da manhã',
    amount: { currency: 'BRL', value: '29.90' },
    payer: { name: 'Conceição Araújo', document: { type: 'CPF', number: '52998224725' } },
  };
}

/** And was refunded just now. */
export function refunded({ id, code }: ExamOrder, at: Instant): z.output<typeof RefundNotification> {
  return {
    id,
    code,
    event: 'ORDER-PAYIN.REFUNDED',
    status: 'REFUNDED',
    type: 'REFUND',
    refundId: randomUUID().replaceAll('-', ''),
    paidAt: plusSeconds(at, -60),
    refundedAt: at,
    updatedAt: at,
    endToEndId: 'D00000000202601151201EXAM0000001',
    message: '',
  };
}
