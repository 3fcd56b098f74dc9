import * as z from 'zod';
import { bankNames, scheduleNames } from './profile.ts';

export const BankProfileRecord = z
  .strictObject({
    profile: z.enum(bankNames).meta({
      description:
        'The bank that the simulated one is as narrow as. `FULL`, unless set: it can do all that this document has. ' +
        '`GET /order/v1/banking/accounts/{accountId}/capabilities` shows what is left.',
    }),
    schedule: z.enum(scheduleNames).meta({
      description:
        'The windows of scheduled payments. `OPEN`, unless set: a payment may settle today. `PRODUCTION`: it settles two days ' +
        'after today at the earliest, and is `INITIAL` until ten days before it settles.',
    }),
  })
  .meta({ description: 'How near to production the sandbox is for the company.' });
