import * as z from 'zod';
import { Counterpart, eventMeaning, optionalText, order, OrderOrigin, typeMeaning } from '../contract/notification.ts';
import { notifiedPayInStatuses } from './model.ts';

/** `ORDER-PAYIN.PAID`, `.EXPIRED`, `.CANCELED`, `.ERROR` (6.2). */
export const PayInNotification = z
  .strictObject({
    ...order,
    event: z.enum(notifiedPayInStatuses.map((status) => `ORDER-PAYIN.${status}` as const)).meta(eventMeaning),
    status: z.enum(notifiedPayInStatuses).meta({ description: 'Of the pay-in.' }),
    type: z.literal('PAY-IN').meta(typeMeaning),
    customerMessage: optionalText('The same for the person who pays, in Portuguese.', 'Pagamento confirmado.'),
    payer: Counterpart.meta({ description: 'Who pays.' }),
    subscription: OrderOrigin.optional(),
  })
  .meta({ description: 'A pay-in moved.' });
