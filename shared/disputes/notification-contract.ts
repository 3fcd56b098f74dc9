import * as z from 'zod';
import { eventMeaning, occurredAt } from '../contract/notification.ts';
import { DisputeRecord } from './contract.ts';

export const disputeEvents = [
  'DISPUTE.OPENED',
  'DISPUTE.DEFENDED',
  'DISPUTE.DUE_SOON',
  'DISPUTE.ACCEPTED',
  'DISPUTE.REJECTED',
  'DISPUTE.CANCELED',
] as const;
export type DisputeEvent = (typeof disputeEvents)[number];

export const DisputeNotification = z
  .strictObject({ event: z.enum(disputeEvents).meta(eventMeaning), occurredAt, data: DisputeRecord })
  .meta({ description: 'A payer claims a payment back, or the claim moved.' });
