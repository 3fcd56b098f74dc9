import type { LocalDate } from '#shared/core/brasilia-time.ts';
import type { Forms } from '../protocol.ts';

/** A sample request that the service accepts without a change. */
export type Sample = {
  readonly operation: keyof Forms;
  readonly body: Readonly<Record<string, unknown>>;
};

type SampleName = 'journey-2' | 'journey-3' | 'pay-in' | 'payout-pix' | 'payout-ted' | 'credit';

/** @param options `webhookUrl` receives the notifications of the subscription */
export function samplesFor(options: {
  readonly accountId: string;
  readonly today: LocalDate;
  readonly webhookUrl: string;
  readonly newId: () => string;
}): Readonly<Record<SampleName, Sample>> {
  const { accountId, today, webhookUrl, newId } = options;
  const document = { type: 'CPF', number: '52998224725' };
  const maria = { name: 'Maria Souza', document };
  const externalId = `console-${newId()}`;
  const amount = (value: string): object => ({ currency: 'BRL', value });
  const recurrence = { webhookUrl, frequencyType: 'MONTHLY', startDate: today, debtor: maria };
  return {
    'journey-2': {
      operation: 'createSubscription',
      body: { accountId, type: 'AUTHORIZATION_QRCODE', externalId, description: 'Monthly coffee', ...recurrence },
    },
    'journey-3': {
      operation: 'createSubscription',
      body: {
        accountId,
        type: 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT',
        externalId,
        description: 'Monthly coffee',
        ...recurrence,
        initialCharge: { amount: amount('29.90') },
      },
    },
    'pay-in': {
      operation: 'createPayIn',
      body: { externalId, accountId, amount: amount('12.50'), description: 'One coffee', payer: maria },
    },
    credit: { operation: 'receiveCredit', body: { accountId, amount: amount('29.90'), payer: maria } },
    'payout-pix': {
      operation: 'createPayout',
      body: {
        externalId,
        accountId,
        paymentMethod: 'PIX',
        amount: amount('150.00'),
        description: 'Beans',
        // Not every bank returns the owner of a key.
        receiver: maria,
        paymentData: { pixKey: 'maria.52998224725@example.com' },
      },
    },
    'payout-ted': {
      operation: 'createPayout',
      body: {
        externalId,
        accountId,
        paymentMethod: 'TED',
        amount: amount('150.00'),
        description: 'Beans',
        receiver: maria,
        paymentData: {
          bankAccount: {
            bankNumber: '237',
            branchNumber: '1234',
            accountNumber: '00012345',
            accountType: 'CHECKING_ACCOUNT',
          },
        },
      },
    },
  };
}
