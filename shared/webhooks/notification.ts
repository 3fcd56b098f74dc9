import * as z from 'zod';

/* The bodies that the service POSTs to partners (section 6), for the OpenAPI document and for tests of every body. */

export {
  BankDetails,
  Counterpart,
  OrderOrigin,
  OwnerBank,
  SettledCharge,
  UsedPixKey,
} from '../contract/notification.ts';
export * from '../credits/notification-contract.ts';
export * from '../disputes/notification-contract.ts';
export * from '../pay-ins/notification-contract.ts';
export * from '../payouts/notification-contract.ts';
export * from '../refunds/notification-contract.ts';
export * from '../scheduled-payments/notification-contract.ts';
export * from '../subscriptions/notification-contract.ts';

/** The response of a partner's endpoint (4.8); any 2xx acknowledges. */
export const Acknowledgement = z
  .object({
    returnCode: z.string().meta({ description: 'A word of yours that the delivery shows.', examples: ['SUCCESS'] }),
  })
  .meta({ description: 'What your endpoint may answer. Any 2xx acknowledges, whatever the body.' });
