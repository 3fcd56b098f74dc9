import * as z from 'zod';
import type { ConnectedAccount } from '../bank/connection.ts';
import type { Dialect } from '../bank/dialects/dialect.ts';
import type { PaymentOrder } from '../bank/ports/payouts.ts';
import type { RefundOrder } from '../bank/ports/refunds.ts';
import { notFound } from '../core/errors.ts';
import { withHyphens } from '../core/identifiers.ts';
import type { Centavos } from '../core/money.ts';
import { formatAmount } from '../core/money.ts';
import type { Counterpart } from '../core/party.ts';
import type { ReturnEvent } from '../core/return-event.ts';
import type { PayIn } from '../pay-ins/model.ts';

/** An action of a payer or another bank, by its name at the control surface of the bank. */
export type Deed = { readonly name: string; readonly body: object };

/** A payment to an account, or to the QR code of a pay-in. */
export type PaymentToAccount = {
  readonly amount: Centavos;
  readonly payer?: Pick<Counterpart, 'name' | 'document'>;
  readonly payIn?: PayIn;
};

/** The actions of a bank on this machine that every dialect has (packages/fake-bank). */
type Deeds = {
  /** Ends one payment of a payout. */
  readonly settle: (order: PaymentOrder, status: 'PAID' | 'ERROR') => Deed;
  /** Ends the return of a received payment. */
  readonly endReturn: (order: Pick<RefundOrder, 'reference' | 'endToEndId'>, outcome: ReturnEvent['outcome']) => Deed;
  /** Pays to an account. @throws RequestError 404 when the account cannot be paid to so */
  readonly pay: (account: ConnectedAccount, payment: PaymentToAccount) => Deed;
  /** Response to `pay`: the payment, whose end-to-end id it gives. */
  readonly Paid: z.ZodType<string>;
};

export const deedsAt: Readonly<Record<Dialect, Deeds>> = {
  EFI: {
    settle: ({ reference }, status) => ({
      name: 'settle-payout',
      body: { idEnvio: bankId(reference), status: { PAID: 'REALIZADO', ERROR: 'NAO_REALIZADO' }[status] },
    }),
    endReturn: ({ reference, endToEndId }, outcome) => ({
      name: 'end-refund',
      body: { endToEndId, id: reference, status: { SETTLED: 'DEVOLVIDO', FAILED: 'NAO_REALIZADO' }[outcome] },
    }),
    pay: ({ chave }, { amount, payer, payIn }) => {
      if (chave === undefined) throw notFound('Bank');
      const target = payIn === undefined ? { chave } : { txid: bankId(payIn.id), force: true };
      const { type, number } = payer?.document ?? {};
      const pagador = payer && { nome: payer.name, ...(type === 'CNPJ' ? { cnpj: number } : { cpf: number }) };
      return { name: 'pay', body: { ...target, valor: formatAmount(amount), ...(pagador && { pagador }) } };
    },
    Paid: z.tuple([z.object({ endToEndId: z.string() })]).transform(([{ endToEndId }]) => endToEndId),
  },
  QITECH: {
    settle: ({ reference, controlNumber }, status) => ({
      name: controlNumber === undefined ? 'settle-pix' : 'settle-ted',
      body: { request_control_key: reference, status: { PAID: 'sent', ERROR: 'rejected' }[status] },
    }),
    endReturn: ({ reference }, outcome) => ({
      name: 'settle-reversal',
      body: { request_control_key: withHyphens(reference), status: { SETTLED: 'sent', FAILED: 'rejected' }[outcome] },
    }),
    pay: ({ accountKey }, { amount, payer, payIn }) => {
      // It has no charges: a pay-in of an earlier bank has its QR code there.
      if (accountKey === undefined || payIn !== undefined) throw notFound('Bank');
      const owner = payer && { owner_name: payer.name, owner_document_number: payer.document.number };
      return { name: 'pay', body: { account_key: accountKey, amount, ...(owner && { payer: owner }) } };
    },
    Paid: z.tuple([z.object({ end_to_end_id: z.string() })]).transform(([{ end_to_end_id: id }]) => id),
  },
};

/** Returns a reference of ours as API Pix has it, without hyphens. */
export function bankId(reference: string): string {
  return reference.replaceAll('-', '');
}
