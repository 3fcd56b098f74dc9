import type { LocalDate } from '#shared/core/brasilia-time.ts';
import {
  refusedAccounts,
  reservedDescriptions,
  reservedKeys,
  timeoutAccount,
} from '#shared/bank/simulated/reserved.ts';
import { spiRejections } from '#shared/core/spi-codes.ts';
import type { Draws } from '#test/model/bank-books.ts';
import type { Remembered } from './memory.ts';
import { person } from './people.ts';
import type { Company, CrowdWorld, Sent } from './world-types.ts';

export type Wish = Omit<Sent, 'contract'>;
/** A partner at one moment: what it knows, and the time by its own clock. */
export type Moment = {
  readonly world: CrowdWorld;
  readonly company: Company;
  readonly memory: Remembered;
  readonly draws: Draws;
  readonly now: string;
  readonly today: LocalDate;
  /** A name that nothing else has. */
  readonly fresh: string;
};

export const unknownId = '3f2b8c1e-0d4a-4b6c-8e7f-5a9b0c1d2e00';
export const cents = (draws: Draws, least: number, most: number): string =>
  (draws.between(Math.round(least * 100), Math.round(most * 100)) / 100).toFixed(2);
export const brl = (value: string): { currency: 'BRL'; value: string } => ({ currency: 'BRL', value });
export const one = <T>(draws: Draws, values: readonly T[]): T | undefined =>
  values.length === 0 ? undefined : draws.one(values);
export const idOf = (draws: Draws, values: readonly { readonly id: string }[]): string =>
  one(draws, values)?.id ?? unknownId;
/** Mostly what is newest. */
export const recent = <T>(draws: Draws, values: readonly T[]): T | undefined =>
  one(draws, draws.chance(0.7) ? values.slice(-6) : values);
export const accountOf = ({ draws, company }: Moment): string => draws.one(company.accounts);
export const party = (draws: Draws): { name: string; document: { type: string; number: string } } => {
  const { name, document } = person(draws, draws.one(['CPF', 'CNPJ'] as const));
  return { name, document };
};
/** What the simulated bank answers in a way of its own; other banks take it for any text. */
export const description = ({ draws }: Moment): string => {
  const fate = draws.between(0, 40);
  if (fate === 0) return reservedDescriptions.refused;
  if (fate === 1) return reservedDescriptions.timeout;
  return fate < 4 ? `${draws.one(Object.keys(spiRejections))}@bank.example` : `Order ${draws.between(1, 1000)}`;
};

/** The target of a payout: a key, a code of the company's own, one of its accounts, or an account elsewhere. */
export function target(moment: Moment): object {
  const { draws, memory, company } = moment;
  const pix = (paymentData: object) => ({ paymentMethod: 'PIX', paymentData });
  const percent = draws.between(0, 100);
  const charge = recent(draws, memory.payIns);
  if (percent < 25 && charge !== undefined && charge.qrcode !== '')
    return { ...pix({ qrcodeData: charge.qrcode }), amount: brl(charge.amount) };
  if (percent < 33) return pix({ pixKey: draws.one(company.accounts) });
  if (percent < 40) return pix({ pixKey: draws.one(Object.values(reservedKeys)) });
  if (percent < 65)
    return pix({ pixKey: draws.one([person(draws, 'CPF').document.number, person(draws, 'CPF').email]) });
  const accountNumbers = [...Object.values(refusedAccounts), timeoutAccount];
  const accountNumber = draws.chance(0.2) ? draws.one(accountNumbers) : String(draws.between(10_000_000, 99_999_999));
  const bankAccount = { ispb: '60701190', accountType: 'CHECKING_ACCOUNT', branchNumber: '0001', accountNumber };
  const method = draws.chance(0.5) ? 'TED' : 'PIX';
  return { paymentMethod: method, paymentData: { bankAccount }, receiver: party(draws) };
}
