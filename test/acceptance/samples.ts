import { randomUUID } from 'node:crypto';
import type * as z from 'zod';
import type { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import type { CreatePayout } from '#functions/payouts/create/contract.ts';
import type { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import type { CreateSubscription } from '#functions/subscriptions/create/contract.ts';

/** Valid documents that belong to no person. */
export const maria = { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } } as const;
export const pedro = { name: 'Pedro Álvares', document: { type: 'CPF', number: '11144477735' } } as const;
export const acme = { name: 'Ação & Cia Ltda', document: { type: 'CNPJ', number: '12ABC34501DE35' } } as const;

/** An amount as a caller writes it. */
export function brl(value: string | number): { currency: 'BRL'; value: string | number } {
  return { currency: 'BRL', value };
}

type SubscriptionBody = z.input<(typeof CreateSubscription)['body']>;

/** A journey 2 subscription that is accepted as it is. */
export function journey2(accountId: string, changes: Partial<SubscriptionBody> = {}): SubscriptionBody {
  return {
    accountId,
    type: 'AUTHORIZATION_QRCODE',
    externalId: `contract-${randomUUID()}`,
    webhookUrl: 'https://partner.example.com/subscriptions',
    frequencyType: 'MONTHLY',
    startDate: '2030-01-10',
    debtor: maria,
    ...changes,
  };
}

/** A journey 3 subscription that is accepted as it is. */
export function journey3(accountId: string, changes: Partial<SubscriptionBody> = {}): SubscriptionBody {
  return journey2(accountId, {
    type: 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT',
    initialCharge: { amount: brl('29.90') },
    ...changes,
  });
}

type PaymentBody = z.input<(typeof CreateScheduledPayment)['body']>;

/** The first charge of a subscription of these samples, accepted as it is. */
export function scheduledPayment(changes: Partial<PaymentBody> = {}): PaymentBody {
  return { externalId: `charge-${randomUUID()}`, dueDate: '2030-01-10', amount: brl('49.90'), ...changes };
}

type PayInBody = z.input<(typeof CreatePayIn)['body']>;

/** A pay-in that is accepted as it is. */
export function payIn(accountId: string, changes: Partial<PayInBody> = {}): PayInBody {
  return {
    externalId: `invoice-${randomUUID()}`,
    accountId,
    amount: brl('10.50'),
    description: 'Fatura 42',
    payer: maria,
    ...changes,
  };
}

type PayoutBody = z.input<(typeof CreatePayout)['body']>;

/** A payout to a key of Pedro, accepted as it is. Its receiver goes with the key: another way to pay has another. */
export function payout(accountId: string, changes: Partial<PayoutBody> = {}): PayoutBody {
  return {
    ...(changes.paymentData === undefined && { receiver: pedro }),
    externalId: `payment-${randomUUID()}`,
    accountId,
    paymentMethod: 'PIX',
    paymentData: { pixKey: `pedro-${randomUUID().slice(0, 8)}.${pedro.document.number}@example.com` },
    amount: brl('7.25'),
    description: 'Reembolso',
    ...changes,
  };
}

/** A key that no account has. */
export function keyOfNobody(): { type: 'EMAIL'; key: string } {
  return { type: 'EMAIL', key: `holder-${randomUUID()}@example.com` };
}

/** An account at a bank, for payouts that name one. */
export const bankAccount = {
  ispb: '60701190',
  accountType: 'CHECKING_ACCOUNT',
  branchNumber: '0001',
  accountNumber: '123456-7',
} as const;
