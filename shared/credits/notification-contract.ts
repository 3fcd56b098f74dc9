import * as z from 'zod';
import { eventMeaning, occurredAt } from '../contract/notification.ts';
import { CreditAndReturn, CreditEntry } from './contract.ts';

/** `CREDIT.RECEIVED`: money came that no open charge expected. */
export const CreditNotification = z
  .strictObject({
    event: z.enum(['CREDIT.RECEIVED']).meta(eventMeaning),
    occurredAt,
    data: CreditEntry,
  })
  .meta({ description: 'Money came that no open charge expected. It is available in the account.' });

/** `CREDIT.RETURNED`, `CREDIT.RETURN_FAILED`. */
export const CreditReturnNotification = z
  .strictObject({
    event: z.enum(['CREDIT.RETURNED', 'CREDIT.RETURN_FAILED']).meta(eventMeaning),
    occurredAt,
    data: CreditAndReturn,
  })
  .meta({ description: 'A return of a credit settled, whole or in part, or failed.' });
