import * as z from 'zod';
import { documentTypes } from '#shared/core/document.ts';
import { centavos, maxAmount } from '#shared/core/money.ts';
import type { BankData } from '#shared/core/party.ts';
import type { PixKey } from '#shared/core/pix-key.ts';
import { pixKeyTypes } from '#shared/core/pix-key.ts';
import type { RequestContext, UncheckedPort } from '../outcome.ts';
import { checkResponse } from '../outcome.ts';

const Text = z.string().min(1).max(140);
const OwnerShape = z.object({
  name: Text,
  document: z.object({
    type: z.enum(documentTypes),
    number: z.string().regex(/^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$/u),
  }),
  bank: z.object({
    ispb: z.string().regex(/^[0-9A-Z]{8}$/u),
    name: Text.exactOptional(),
    branch: Text.exactOptional(),
    account: Text,
    accountType: Text.exactOptional(),
    code: Text.exactOptional(),
  } satisfies Record<keyof BankData, z.ZodType>),
  /** The context company's own account, with this service. */
  accountId: z.guid().exactOptional(),
});
/** The holder of a key's account. */
export type KeyOwner = z.output<typeof OwnerShape>;
const ChargeShape = z.union([
  z.object({
    state: z.literal('OPEN'),
    key: z.object({ type: z.enum(pixKeyTypes), key: z.string().min(1).max(77) }),
    owner: OwnerShape,
    txid: z.string().regex(/^[A-Za-z0-9]{26,35}$/u),
    /** Absent where the payer chooses it. */
    amount: z.int().min(1).max(maxAmount).transform(centavos).exactOptional(),
    /** The context company's own pay-in, into an account with `owner.accountId`. */
    payInId: z.guid().exactOptional(),
  }),
  z.object({ state: z.literal('EXPIRED') }),
  z.object({ state: z.literal('NOT_PAYABLE') }),
]);
/** The charge behind the address of a dynamic QR code. */
export type Charge = z.output<typeof ChargeShape>;

/** Queries: the DICT, accounts and charges. */
export type Directory = {
  /** The owner of a key in the DICT; undefined without an entry. */
  readonly resolveKey: (key: PixKey, context: RequestContext) => Promise<KeyOwner | undefined>;
  /** The owner of an account, if the bank knows it. */
  readonly resolveAccount: (account: BankData, context: RequestContext) => Promise<KeyOwner | undefined>;
  /** The charge at the location of a dynamic QR code (`host/path/token`, without scheme); undefined without one. */
  readonly resolveCharge: (url: string, context: RequestContext) => Promise<Charge | undefined>;
};

export function checkedDirectory(directory: UncheckedPort<Directory>): Directory {
  return {
    resolveKey: (key, context) => checkResponse(OwnerShape.optional(), () => directory.resolveKey(key, context)),
    resolveAccount: (account, context) =>
      checkResponse(OwnerShape.optional(), () => directory.resolveAccount(account, context)),
    resolveCharge: (url, context) => checkResponse(ChargeShape.optional(), () => directory.resolveCharge(url, context)),
  };
}
