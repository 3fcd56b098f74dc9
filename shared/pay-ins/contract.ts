import * as z from 'zod';
import { payInStatuses } from './model.ts';
import { Amount } from '../contract/amount.ts';
import {
  ClientOf,
  EndToEndId,
  ErrorMessage,
  QrCodeImage,
  QrCodeText,
  ShownDescription,
  ShownExternalId,
  TransactionId,
} from '../contract/references.ts';
import { Id, OrderIdInPath, Timestamp } from '../contract/text.ts';

export const PayInId = OrderIdInPath.meta({
  description: 'The pay-in.',
  examples: ['6f1d2c3b-4a59-4e8f-9a0b-1c2d3e4f5a00'],
});

export const PayInRecord = z
  .strictObject({
    id: Id.meta({ description: 'The order: name it when you read, cancel or refund it.' }),
    externalId: ShownExternalId,
    status: z.enum(payInStatuses).meta({
      description:
        '`PENDING`: waits to be paid. `PAID`: the money is on the account. `EXPIRED`, `CANCELED`, `ERROR`: nobody can pay it ' +
        'any more. `REFUNDED`: paid, and all of it given back.',
    }),
    errorMessage: ErrorMessage.optional(),
    qrcodeImageBase64: QrCodeImage,
    qrcodeData: QrCodeText,
    expireDateTime: Timestamp.meta({ description: 'Until when it can be paid.' }),
    amount: Amount,
    description: ShownDescription,
    conciliationId: TransactionId,
    endToEndId: EndToEndId.optional(),
    paymentMethod: z.literal('PIX').meta({ description: 'Pay-ins are received by PIX.' }),
    createdAt: Timestamp,
    createdBy: ClientOf.optional(),
    paidAt: Timestamp.optional().meta({ description: 'When the payer’s bank settled it.' }),
    refundedAt: Timestamp.optional().meta({ description: 'When the refund settled, the last one of several.' }),
    canceledAt: Timestamp.optional().meta({ description: 'When it was canceled.' }),
    canceledBy: ClientOf.optional(),
    expiredAt: Timestamp.optional().meta({ description: 'When it expired.' }),
    refundedAmount: Amount.optional().meta({
      description:
        'What refunds of a part have given back so far; absent while none has settled, and after one refund of the whole.',
    }),
  })
  .meta({ description: 'Money to be received by PIX.' });

export const PayInEntry = PayInRecord.omit({ qrcodeImageBase64: true }).meta({
  description: 'A pay-in without the image of its QR code.',
});
