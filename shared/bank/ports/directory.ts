import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Document } from '#shared/core/document.ts';
import type { Centavos } from '#shared/core/money.ts';
import type { BankData } from '#shared/core/party.ts';
import type { PixKey } from '#shared/core/pix-key.ts';
import { pixKeyTypes } from '#shared/core/pix-key.ts';
import type { Account } from '#shared/accounts/model.ts';
import type { CallContext, RequestContext } from '../outcome.ts';
import { checkResponse } from '../outcome.ts';
import { Amount, BankShape, DocumentShape, EndToEndId, Text, Txid } from './shapes.ts';

const OwnerShape = z.object({
  name: Text,
  document: DocumentShape,
  bank: BankShape,
  /** Id of the account, if it is the calling company's own. */
  accountId: z.guid().exactOptional(),
});
/** The owner of a key's account. */
export type KeyOwner = z.output<typeof OwnerShape>;
const MaskedOwnerShape = z.object({
  name: Text,
  /** Whether the receiver in the question is the owner. */
  isReceiver: z.boolean(),
  /** Of the one payment that this look-up is for. */
  endToEndId: EndToEndId.exactOptional(),
});
/** The owner of a key where the bank masks the document. */
export type MaskedOwner = z.output<typeof MaskedOwnerShape>;
const ChargeShape = z.union([
  z.object({
    state: z.literal('OPEN'),
    key: z.object({ type: z.enum(pixKeyTypes), key: z.string().min(1).max(77) }),
    /** Absent if the bank masks the owner. */
    owner: OwnerShape.exactOptional(),
    txid: Txid,
    /** Absent if the payer chooses the amount. */
    amount: Amount.exactOptional(),
    /** The pay-in, if the charge is the calling company's own. It is received on the account `owner.accountId`. */
    payInId: z.guid().exactOptional(),
  }),
  z.object({ state: z.literal('EXPIRED') }),
  z.object({ state: z.literal('NOT_PAYABLE') }),
  /** Pix Saque or Pix Troco. */
  z.object({ state: z.literal('CASH_OUT') }),
]);
/** The charge behind the address of a dynamic QR code. */
export type Charge = z.output<typeof ChargeShape>;

/** The calling company's accounts and charges. */
export type OwnRecords = {
  readonly account: (companyId: string, accountId: string) => Promise<Account | undefined>;
  readonly accountAt: (companyId: string, bank: BankData) => Promise<Account | undefined>;
  readonly charge: (companyId: string, orderId: string) => Promise<OwnCharge | undefined>;
};
type OwnCharge = {
  readonly id: string;
  readonly accountId: string;
  readonly expireDateTime: Instant;
  readonly amount: Centavos;
  readonly qrcodeData: string;
};

/** A dynamic QR code: its location (`host/path/token`, without scheme), and its whole text. */
export type DynamicCode = { readonly url: string; readonly qrcodeData: string };

/**
 * A look-up of a key. `accountId`: the account that pays, for which the DICT counts the look-up. `receiver`: the
 * document that is compared with the owner's where the bank masks it.
 */
export type KeyQuestion = { readonly key: PixKey; readonly accountId: string; readonly receiver?: Document };

/** Queries: the DICT, accounts and charges. @throws BankUnavailable */
export type Directory = {
  /** The owner of a key in the DICT; undefined without an entry. */
  readonly resolveKey: (question: KeyQuestion, context: RequestContext) => Promise<KeyOwner | MaskedOwner | undefined>;
  /** Returns the owner of an account; undefined if the bank does not know the account. */
  readonly resolveAccount: (account: BankData, context: RequestContext) => Promise<KeyOwner | undefined>;
  /** Returns the charge of a dynamic QR code; undefined if there is none. */
  readonly resolveCharge: (code: DynamicCode, context: RequestContext) => Promise<Charge | undefined>;
};
export type UncheckedDirectory = {
  readonly [Query in keyof Directory]: (
    input: Parameters<Directory[Query]>[0],
    context: CallContext,
  ) => Promise<unknown>;
};

export function checkedDirectory(directory: UncheckedDirectory): Directory {
  return {
    resolveKey: (question, context) =>
      checkResponse(z.union([OwnerShape, MaskedOwnerShape]).optional(), context, (within) =>
        directory.resolveKey(question, within),
      ),
    resolveAccount: (account, context) =>
      checkResponse(OwnerShape.optional(), context, (within) => directory.resolveAccount(account, within)),
    resolveCharge: (code, context) =>
      checkResponse(ChargeShape.optional(), context, (within) => directory.resolveCharge(code, within)),
  };
}
