import type { Instant } from '#shared/core/brasilia-time.ts';
import { brasiliaDate, plusDays, plusSeconds } from '#shared/core/brasilia-time.ts';
import { buildDynamicCode } from '#shared/core/br-code/build.ts';
import {
  limitedKey,
  refusedAccounts,
  reservedCharges,
  reservedDescriptions,
  reservedKeys,
  timeoutAccount,
} from '#shared/bank/simulated/reserved.ts';
import type { Company, Sandbox } from '@banking-order/partner-tools';
import { companyOf } from '@banking-order/partner-tools';

type Values = Readonly<Record<string, readonly unknown[]>>;

/** Values for the hooks of Schemathesis in a walk; `likely_values.py` puts them into the document. */
type Likely = {
  /** Values of request fields, and of parameters, by name. */
  readonly fields: Values;
  /** Values of schemas by name. */
  readonly schemas: Values;
  /** Parameters that a walk leaves out: a random value is never valid. */
  readonly withheld: readonly string[];
};

/** Inboxes of the local receiver: one takes everything, the other's first replies are failures. */
export const inboxes = { good: 'walk', bad: 'walk-in-trouble' } as const;
export const troubles = [{ status: 503 }, { reset: true }, { status: 200 }] as const;

const types = ['PAYIN', 'PAYIN_REFUND', 'PAYOUT', 'CREDIT', 'DISPUTE'] as const;
const merchant = { name: 'Maria Souza', city: 'Sao Paulo' };
const person = { type: 'CPF', number: '52998224725' } as const;

/** Values that cause faults of the simulated bank, by the names that the counts show. */
export const faultValues: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [...Object.values(reservedKeys), limitedKey, 'AC06@bank.example'].map((value) => [value, value]),
  ),
  ...Object.fromEntries(Object.entries(refusedAccounts).map(([code, value]) => [`account ${value} (${code})`, value])),
  [`account ${timeoutAccount} (silent)`]: timeoutAccount,
  ...Object.fromEntries(Object.values(reservedCharges).map((value) => [value, codeOfCharge(value)])),
};

/** Values that the service answers with 503 (`unavailable`), and with 400 (`refused`). */
export const unavailable: readonly string[] = [
  ...[reservedKeys.unavailable, reservedDescriptions.timeout],
  codeOfCharge(reservedCharges.unavailable),
];
export const refused: readonly string[] = [reservedKeys.notFound];

function codeOfCharge(segment: string): string {
  return buildDynamicCode({ merchant, url: `pix.example.com/${segment}` });
}

function bankAccount(accountNumber: string) {
  return { bankAccount: { ispb: '60701190', accountType: 'CHECKING_ACCOUNT', branchNumber: '0001', accountNumber } };
}

/** Returns values that the service accepts, such as active accounts and valid documents, and the values of faults. */
export function likelyValues(sandbox: Sandbox, now: Instant): Likely {
  const inDays = (days: number): string => plusDays(brasiliaDate(now), days);
  const urls = Object.values(inboxes).map((name) => `${sandbox.baseUrl}/receiver/${name}`);
  const addresses = Array.from({ length: 40 }, (_, place) => `walk.${place}@example.com`);
  return {
    fields: {
      accountId: activeAccounts(companyOf(sandbox)).slice(0, 1),
      webhookUrl: urls,
      endpoint: urls,
      startDate: [inDays(1), inDays(2)],
      endDate: [inDays(400)],
      dueDate: [inDays(3), inDays(5), inDays(8)],
      createdFrom: [plusSeconds(now, -600)],
      createdAfter: [plusSeconds(now, -600)],
      createdTo: [plusSeconds(now, 86_400)],
      dueBefore: [plusSeconds(now, 8 * 86_400)],
      description: [
        ...['Aluguel de novembro', 'Devolução a pedido', 'a', 'x'.repeat(140), 'R$ 5 – 100 %', '1'],
        ...['AC06@bank.example', ...Object.values(reservedDescriptions)],
      ],
    },
    schemas: {
      DocumentInput: [person, { type: 'CNPJ', number: '11222333000181' }],
      AmountValue: ['0.01', '12.34', 99.9, 1, '15000.5', '48000.00'],
      PaymentDataInput: [
        ...[{ pixKey: 'maria.52998224725@example.com' }, { pixKey: '+5511999999999' }],
        ...['1234-5', '77', '00123-X', '9999999'].map(bankAccount),
        ...Object.values(reservedKeys).map((pixKey) => ({ pixKey })),
        ...[...Object.values(refusedAccounts), timeoutAccount].map(bankAccount),
        ...Object.values(reservedCharges).map((segment) => ({ qrcodeData: codeOfCharge(segment) })),
      ],
      ReplaceWebhookSettingsRequest: [
        { events: types.map((type) => ({ type, endpoint: urls[0] })) },
        { events: types.map((type) => ({ type, endpoint: urls[1] })) },
        { events: types.map((type, place) => ({ type, endpoint: urls[place % urls.length] })) },
        { events: [] },
      ],
      NewKeyInput: [
        ...addresses.map((key) => ({ type: 'EMAIL', key })),
        { type: 'PHONE', key: '+5511999999999' },
        { type: 'EMAIL', key: limitedKey },
        { type: 'CNPJ' },
        { type: 'RANDOM' },
      ],
    },
    withheld: ['cursor', 'endToEndId'],
  };
}

function activeAccounts({ accounts }: Company): readonly string[] {
  return accounts.flatMap(({ id, status }) => (status === 'ACTIVE' ? [id] : []));
}
