import * as z from 'zod';
import { disputeKinds } from '#shared/core/dispute-kind.ts';
import { documentTypes } from '#shared/core/document.ts';
import { centavos, maxAmount } from '#shared/core/money.ts';
import type { BankData, OwnerBank } from '#shared/core/party.ts';

/** An account of the company as in notifications, with its id, by which an adapter finds its key (`chave`). */
export type AccountAtBank = OwnerBank & { readonly id: string };

export const Text = z.string().min(1).max(140);
export const Time = z.iso.datetime({ precision: 3 });
export const Code = z.string().min(1).max(35);
export const Amount = z.int().min(1).max(maxAmount).transform(centavos);
/** End-to-end id (BCB, SPI, pacs.008); case matters. */
export const EndToEndId = z.string().regex(/^E[0-9A-Z]{8}[0-9]{12}[0-9A-Za-z]{11}$/u);
/** `rtrId` of a devolução (BCB, API Pix). */
export const ReturnId = z.string().regex(/^D[0-9A-Z]{8}[0-9]{12}[0-9A-Za-z]{11}$/u);
export const Txid = z.string().regex(/^[A-Za-z0-9]{26,35}$/u);
export const Ispb = z.string().regex(/^[0-9A-Z]{8}$/u);

export const DocumentShape = z.object({
  type: z.enum(documentTypes),
  number: z.string().regex(/^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$/u),
});
export const BankShape = z.object({
  ispb: Ispb,
  name: Text.exactOptional(),
  branch: Text.exactOptional(),
  account: Text,
  accountType: Text.exactOptional(),
  code: Text.exactOptional(),
} satisfies Record<keyof BankData, z.ZodType>);

/**
 * Money of a payment that went back (`devolucoes`). `id`: of the refund that we requested. `claim`: why the banks took
 * it back (MED).
 */
export const ReturnShape = z.object({
  id: z
    .string()
    .regex(/^[A-Za-z0-9]{1,35}$/u)
    .exactOptional(),
  returnId: ReturnId,
  amount: Amount,
  at: Time,
  claim: z.enum(disputeKinds).exactOptional(),
});
export type ReturnedPayment = z.output<typeof ReturnShape>;
