import { disputeKinds } from '#shared/core/dispute-kind.ts';
import type { Command } from '../command.ts';
import { command, optional, required } from '../command.ts';
import * as read from '../values.ts';
import { decideReported, openReported } from './disputes.ts';

const companyId = required(read.Id, 'The company.', 'company');

/** Commands for disputes that a bank reports to people alone. */
export const disputeCommands: Readonly<Record<string, Command>> = {
  'dispute:open': command(
    'Opens a dispute of a received payment that the bank reported by mail or phone. It blocks the money and notifies the partner.',
    {
      companyId,
      endToEndId: required(read.EndToEndId, 'End-to-end id of the payment.'),
      reason: required(read.Reason, 'The words of the bank. The partner reads them.'),
      amount: optional(read.Amount, 'What is claimed. Default all that is left of the payment.'),
      kind: optional(read.oneOf('KIND', disputeKinds), 'Default FRAUD.'),
      days: optional(read.DaysToDefend, 'Days until which the bank takes a defence. Default 7.'),
    },
    openReported,
  ),
  'dispute:decide': command(
    'Applies what the bank decided of a dispute and reported by mail or phone.',
    {
      companyId,
      disputeId: required(read.Id, 'The dispute.', 'dispute'),
      status: required(read.oneOf('STATUS', ['DEFENDED', 'ACCEPTED', 'REJECTED', 'CANCELED'])),
      amount: optional(read.Amount, 'Of ACCEPTED: what went back. Default all that is claimed.'),
      returnId: optional(read.ReturnId, 'Of ACCEPTED at a connected bank: the id of the return.'),
    },
    decideReported,
  ),
};
