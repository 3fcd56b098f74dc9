import * as z from 'zod';
import { eventMeaning, occurredAt } from '../contract/notification.ts';
import { CanceledPaymentData, ScheduledPaymentRecord } from './contract.ts';
import { chargeCancellationEvents, scheduledPaymentEvents } from './states.ts';

/** `SUBSCRIPTION.SCHEDULED_PAYMENT.*` of a status, to the subscription's `webhookUrl`. */
export const ScheduledPaymentNotification = z
  .strictObject({ event: z.enum(scheduledPaymentEvents).meta(eventMeaning), occurredAt, data: ScheduledPaymentRecord })
  .meta({ description: 'A scheduled payment moved.' });

/** `SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.*` (6.5), to the subscription's `webhookUrl`. */
export const ChargeCancellationNotification = z
  .strictObject({
    event: z.enum(chargeCancellationEvents).meta({
      description: 'What became of the request: after `.ACCEPTED` the payment is canceled.',
    }),
    occurredAt,
    data: CanceledPaymentData,
  })
  .meta({ description: 'A scheduled payment was canceled, or its cancellation was asked for or refused.' });
