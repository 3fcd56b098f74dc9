import * as z from 'zod';
import { Amount } from '../contract/amount.ts';
import { Counterpart } from '../contract/notification.ts';
import { ClientOf, EndToEndId, ReturnError } from '../contract/references.ts';
import { Id, Timestamp, Uuid } from '../contract/text.ts';
import { creditReasons, creditReturnStatuses, creditStatuses } from './model.ts';

/** Another company's id is 404. */
export const CreditId = Uuid.meta({
  description: 'The credit.',
  openapi: { examples: ['1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed'] },
});

/** BCB, API Pix, `id` of a devolução. */
const CreditReturnId = z.string().meta({
  description: 'Id of the return, 32 hexadecimal digits; its notification names it.',
  examples: ['5f1d2c3b4a594e8f9a0b1c2d3e4f5a00'],
});

const shape = {
  returnId: CreditReturnId,
  creditId: Id.meta({ description: 'The credit that goes back.' }),
  amount: Amount,
  createdAt: Timestamp,
};

export const CreatedCreditReturn = z
  .strictObject({
    ...shape,
    status: z.literal('PENDING').meta({ description: 'The amount is reserved; the bank has not returned it yet.' }),
  })
  .meta({ description: 'A return that was asked for.' });

export const CreditReturnRecord = z
  .strictObject({
    ...shape,
    status: z.enum(creditReturnStatuses).meta({
      description: '`FAILED`: the bank did not make it, and another may be requested.',
    }),
    createdBy: ClientOf.optional(),
    endToEndId: EndToEndId.optional().meta({ description: 'Of the return (`rtrId`), once it settled.' }),
    errorMessage: ReturnError,
  })
  .meta({ description: 'The return of a credit, whole or in part.' });

export const CreditRecord = z
  .strictObject({
    id: Id.meta({ description: 'The credit.' }),
    accountId: Id.meta({ description: 'The account that has the money.' }),
    endToEndId: EndToEndId,
    amount: Amount,
    reason: z.enum(creditReasons).meta({
      description:
        'Why no order expected it. `NO_CHARGE`: it names none of your charges. `SECOND_PAYMENT`: its charge was paid already. `OTHER_AMOUNT`: its charge has another amount. `TOO_LATE`: its charge had ended.',
    }),
    payer: Counterpart.optional().meta({ description: 'Who paid, as the bank names them.' }),
    status: z.enum(creditStatuses).meta({
      description:
        '`OPEN`: yours to return or to assign. `ASSIGNED`: it pays `orderId`. `RETURNED`: all has gone back.',
    }),
    orderId: Id.optional().meta({
      description: 'The order that the payment named; of an assigned credit, the pay-in that it pays.',
    }),
    assignedBy: ClientOf.optional(),
    returnedAmount: Amount.optional().meta({ description: 'What has gone back so far.' }),
    receivedAt: Timestamp.meta({ description: 'When it was booked.' }),
    updatedAt: Timestamp.meta({ description: 'Last change.' }),
    returns: z.array(CreditReturnRecord).meta({ description: 'Its returns, newest first, those that failed too.' }),
  })
  .meta({ description: 'Money that no open charge expected.' });

export const CreditEntry = CreditRecord.omit({ returns: true }).meta({
  description: 'A credit in a list.',
});

export const CreditAndReturn = z
  .strictObject({ credit: CreditEntry, return: CreditReturnRecord })
  .meta({ description: 'The credit as it is now, and its return.' });
