import * as z from 'zod';
import { accountStatuses, ledgerKinds } from '#shared/platform/ledger/balance.ts';
import { bankAccountTypes, holderDocumentTypes, holderTypes } from '#shared/accounts/model.ts';
import { SignedDecimal } from '../contract/amount.ts';
import { BankDetails } from '../contract/notification.ts';
import { Party } from '../contract/party.ts';
import { AccountNumber, BankNumber, BranchNumber, EndToEndId, Ispb, ShownName } from '../contract/references.ts';
import { Id, Timestamp } from '../contract/text.ts';

export const HolderDocument = z
  .strictObject({
    type: z.enum(holderDocumentTypes).meta({ description: 'Which document; outside Brazil those of the country.' }),
    number: z.string().meta({ description: 'As it was written, without marks.', examples: ['11222333000181'] }),
  })
  .meta({ description: 'Document of the holder.' });

export const BankAccountData = z
  .strictObject({
    ispb: Ispb,
    bankNumber: BankNumber.optional(),
    branchNumber: BranchNumber,
    accountNumber: AccountNumber,
    accountType: z.enum(bankAccountTypes).meta({ description: 'What kind of account it is at its bank.' }),
    createdAt: Timestamp.meta({ description: 'Since when the account is known there.' }),
  })
  .meta({ description: 'Where the account is known outside this service.' });

export const AccountRecord = z
  .strictObject({
    id: Id.meta({ description: 'The `accountId` of other requests.' }),
    status: z.enum(accountStatuses).meta({
      description: 'Only an `ACTIVE` account can be named in new orders. A `CLOSED` one stays closed.',
    }),
    holderType: z
      .enum(holderTypes)
      .nullable()
      .meta({ description: 'Whether a person or a company holds it; `null` when not known.' }),
    fullName: ShownName.meta({ description: 'The holder.', examples: ['Clínica Boa Vista Ltda'] }),
    email: z
      .string()
      .meta({ description: 'E-mail address of the holder.', examples: ['financeiro@boavista.example.com'] }),
    phone: z.string().meta({ description: 'Phone of the holder.', examples: ['+551133334444'] }),
    document: HolderDocument,
    bankAccountData: BankAccountData,
    createdAt: Timestamp,
  })
  .meta({ description: 'An account; its money is read by its balance.' });

export const EntryBank = BankDetails.pick({ ispb: true, branch: true, account: true }).meta({
  description: 'The account of the other side at its bank.',
});
export const EntryCounterparty = Party.extend({ bank: EntryBank.optional() }).meta({
  description:
    'Who paid it, or is paid: the expected payer where the bank does not name the actual one; absent where no one is known.',
});

const ChainHash = z.string().regex(/^[0-9a-f]{64}$/u);
export const EntryProof = z
  .strictObject({
    version: z.int().meta({ description: 'Version of the canonical form of the entry.', examples: [1] }),
    position: z.int().meta({ description: 'Its place in the chain of the account, from 1.', examples: [1] }),
    minute: z.string().meta({
      description: 'The minute of UTC whose closing added it: that of `createdAt`, unless it appeared later.',
      examples: ['2026-01-15T15:05'],
    }),
    previous: ChainHash.meta({
      description: 'The hash of the entry before it; zeros for the first one.',
      examples: ['0'.repeat(64)],
    }),
    hash: ChainHash.meta({
      description: 'SHA-256 of `previous`, 32 bytes, and of the canonical entry (RFC 8785).',
      examples: ['d706b8d010f59cbb25c9e6f50a5399a62676d9c62bab63019d05c82ee60b81fe'],
    }),
  })
  .meta({ description: 'The place of an entry in the chain of its account, which shows any later change.' });

export const LedgerEntryRecord = z
  .strictObject({
    id: Id.meta({ description: 'The entry.' }),
    accountId: Id.meta({ description: 'The account whose money moved.' }),
    type: z.enum(ledgerKinds).meta({
      description:
        'Why it moved. `…_RESERVED`: promised to a payout or refund. `…_RETURNED`: given back. `PAYOUT_RECEIVED`: from another ' +
        'account of yours. `REFUND_RECEIVED`: back from another account of yours, whose charge a payout of this one had paid. ' +
        '`PAYOUT_MOVED`: payments of one batch that went different ways at once. `PAYOUT_RETURNED_LATE`: money of a paid payout ' +
        'that came back; the payout stays `PAID`. `UNMATCHED_CREDIT`: money that no open charge expected: a credit. `BANK_FEE`: what ' +
        'the bank took for a payment. `MED_BLOCKED`: held back while a payer claims a payment back (a dispute). `MED_RELEASED`: ' +
        'available again. `MED_RETURNED`: it went back to the payer. Only `BANK_FEE` and `MED_RETURNED` may take `available` below zero.',
    }),
    available: SignedDecimal.meta({ description: 'By how much `available` changed; negative where money left.' }),
    reserved: SignedDecimal.meta({ description: 'By how much `reserved` changed.' }),
    blocked: SignedDecimal.meta({ description: 'By how much `blocked` changed.', examples: ['0.00'] }),
    orderId: Id.optional().meta({
      description:
        'The order of this account that moved it; absent for openings, deposits, and what another account of yours paid or gave back.',
    }),
    refundId: z
      .string()
      .optional()
      .meta({
        description: 'The refund of the pay-in, or the return of the credit.',
        examples: ['7c0a5d3e9b1f48a26e8d4c3b2a190817'],
      }),
    creditId: Id.optional().meta({ description: 'The credit: money that no open charge expected.' }),
    disputeId: Id.optional().meta({ description: 'The dispute, of what is blocked, released or returned for it.' }),
    endToEndId: EndToEndId.optional().meta({
      description:
        'Of the PIX payment that moved it, `D…` of a return; absent before the bank gives it. Of several payments of a batch, ' +
        'that of the first.',
    }),
    controlNumber: z
      .string()
      .optional()
      .meta({ description: 'Of the TED: `NumCtrlSTR`.', examples: ['STR20260115000000042'] }),
    counterparty: EntryCounterparty.optional(),
    createdAt: Timestamp,
    proof: EntryProof.optional().meta({
      description: 'With `proof=true`; absent until its minute is closed, some minutes after its end.',
    }),
  })
  .meta({ description: 'One move of an account’s money. Entries are never changed.' });
