import type { Instant, LocalDate } from '#shared/core/brasilia-time.ts';
import { epochMs } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import { centavos, formatAmount, subtractCentavos } from '#shared/core/money.ts';
import type { ResponseBody } from '../protocol.ts';

const reais = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });
const moment = new Intl.DateTimeFormat('pt-BR', {
  timeZone: 'America/Sao_Paulo',
  dateStyle: 'short',
  timeStyle: 'medium',
});

/** Formats the decimal text `1234.50` as `R$ 1.234,50`, without a floating-point number between. */
export function showDecimal(decimal: string): string {
  return reais.format(decimal as `${number}`);
}

export function showAmount(amount: Centavos): string {
  return showDecimal(formatAmount(amount));
}

/** Formats an instant as `10/01/2030, 09:00:00`, in Brasilia time. */
export function showInstant(instant: Instant | null | undefined): string {
  return instant === null || instant === undefined ? '–' : moment.format(epochMs(instant));
}

const spans = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Formats a difference as `3 hours ago` or `in 2 days`. @param differenceMs from now, negative for the past */
export function showRelative(differenceMs: number, language: string): string {
  const seconds = Math.round(differenceMs / 1000);
  const [unit, length] = spans.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  const labels = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  return labels.format(Math.trunc(seconds / length), unit);
}

/** Formats a day as `10/01/2030`. */
export function showDate(date: LocalDate): string {
  return date.split('-').toReversed().join('/');
}

/** Returns the centavos of a signed decimal with two digits, the form of amounts in a statement. */
function signedCentavos(decimal: string): Centavos {
  return centavos(Number(decimal.replace('.', '')));
}

/** Formats a change of a balance; an increase gets a plus sign. */
export function showChange(decimal: string): string {
  return decimal.startsWith('-') || signedCentavos(decimal) === 0 ? showDecimal(decimal) : `+${showDecimal(decimal)}`;
}

type Entry = ResponseBody<'listEntries'>['data'][number];
/** The parts of an account's money, each a change in an entry and a sum in the balance. */
export const moneyParts = ['available', 'reserved', 'blocked'] as const;
type MoneyPart = (typeof moneyParts)[number];
type Balance = Pick<ResponseBody<'getBalance'>, MoneyPart>;
type Balanced = Entry & { readonly balance: Readonly<Record<MoneyPart, Centavos>> };

/** Returns entries, newest first, each with the balance after it, computed back from the current balance. */
export function withBalances(
  entries: readonly Entry[],
  { available, reserved, blocked }: Balance,
): readonly Balanced[] {
  let balance = {
    available: signedCentavos(available),
    reserved: signedCentavos(reserved),
    blocked: signedCentavos(blocked),
  };
  return entries.map((entry) => {
    const after = balance;
    balance = {
      available: subtractCentavos(after.available, signedCentavos(entry.available)),
      reserved: subtractCentavos(after.reserved, signedCentavos(entry.reserved)),
      blocked: subtractCentavos(after.blocked, signedCentavos(entry.blocked)),
    };
    return { ...entry, balance: after };
  });
}
