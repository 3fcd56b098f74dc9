import * as z from 'zod';
import { eventMeaning, occurredAt } from '../contract/notification.ts';
import { SubscriptionEventData } from './contract.ts';
import { subscriptionEvents } from './states.ts';

/** `SUBSCRIPTION.*` to the subscription's `webhookUrl`. */
export const SubscriptionNotification = z
  .strictObject({ event: z.enum(subscriptionEvents).meta(eventMeaning), occurredAt, data: SubscriptionEventData })
  .meta({ description: 'A subscription moved.' });
