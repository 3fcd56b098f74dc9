import * as z from 'zod';
import { Amount } from '../contract/amount.ts';
import { disputeKinds } from '../core/dispute-kind.ts';
import { ClientOf, EndToEndId } from '../contract/references.ts';
import { Id, Timestamp, Uuid } from '../contract/text.ts';
import { defenceStatuses, disputeStatuses } from './model.ts';

/** Another company's id is 404. */
export const DisputeId = Uuid.meta({
  description: 'The dispute.',
  openapi: { examples: ['8d0f7c52-3f1b-4d6e-a1c9-5b7e2f4a6c00'] },
});

const Status = z.enum(disputeStatuses).meta({
  description:
    '`OPEN`: it waits for your defence, until `dueAt`. `DEFENDED`: the bank has your defence. `ACCEPTED`: the claim is ' +
    'accepted, and `returnedAmount` went back to the payer. `REJECTED`: the money stays yours. `CANCELED`: the claim was withdrawn.',
});

export const DisputeStatusChange = z
  .strictObject({ status: Status, createdAt: Timestamp })
  .meta({ description: 'A status that a dispute had, and from when.' });

export const DefenceRecord = z
  .strictObject({
    defenceId: Id.meta({ description: 'The defence.' }),
    disputeId: Id.meta({ description: 'The dispute that it answers.' }),
    text: z.string().meta({ description: 'Your answer.', examples: ['It was delivered on January 16.'] }),
    documents: z
      .array(z.string())
      .meta({ description: 'Addresses of your evidence.', examples: [['https://partner.example.com/evidence/1.pdf']] }),
    createdAt: Timestamp,
    createdBy: ClientOf.optional(),
    status: z.enum(defenceStatuses).optional().meta({
      description:
        'Absent in the sandbox, whose bank takes every defence at once. `PENDING`: it is on its way to the bank. `SENT`: the bank has it. `REFUSED`: the bank did not take it, and you can make another one until `dueAt`.',
    }),
    errorMessage: z
      .string()
      .optional()
      .meta({ description: 'Of `REFUSED`: why.', examples: ['The bank has decided about this claim.'] }),
  })
  .meta({ description: 'Your answer to a claim.' });

export const DisputeRecord = z
  .strictObject({
    id: Id.meta({ description: 'The dispute.' }),
    accountId: Id.meta({ description: 'The account that received the payment.' }),
    orderId: Id.optional().meta({ description: 'The pay-in that the payment paid.' }),
    creditId: Id.optional().meta({ description: 'The credit, if no open charge had expected the payment.' }),
    endToEndId: EndToEndId,
    kind: z.enum(disputeKinds).meta({
      description: 'Why the payer claims it: fraud, or an error of a bank.',
    }),
    status: Status,
    amount: Amount.meta({ description: 'What the payer claims.' }),
    blockedAmount: Amount.meta({
      description: 'What is blocked in the account now; less than `amount` while the account has less.',
    }),
    returnedAmount: Amount.meta({ description: 'What went back to the payer.' }),
    dueAt: Timestamp.meta({ description: 'Until when you can defend.' }),
    reason: z.string().meta({ description: 'Words of the payer’s bank.', examples: ['The payer reports a scam.'] }),
    details: z
      .string()
      .optional()
      .meta({ description: 'More of it.', examples: ['Reported on January 16.'] }),
    defences: z
      .array(DefenceRecord)
      .meta({ description: 'Your defence, if you made one; before it any that the bank refused.' }),
    statusHistory: z.array(DisputeStatusChange).meta({ description: 'Every status that it had, oldest first.' }),
    createdAt: Timestamp,
    updatedAt: Timestamp.meta({ description: 'Last change.' }),
  })
  .meta({ description: 'A payment that its payer claims back (MED).' });

export const DisputeEntry = DisputeRecord.omit({ defences: true }).meta({ description: 'A dispute in a list.' });
