import type * as z from 'zod';
import type { BankAccountType } from '#shared/accounts/model.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { brasiliaDate, brasiliaTimeOfDay, compactDate } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import { formatAmount } from '#shared/core/money.ts';
import { firstOf } from '#shared/core/visible.ts';
import type { AccountRecord, LedgerEntryRecord } from '../contract.ts';
import { totalOf } from './total.ts';

type Entry = z.output<typeof LedgerEntryRecord>;

/** What a file says beside its entries. `balance` is all the money of the account at `at`, however it is held. */
export type OfxStatement = {
  readonly account: z.output<typeof AccountRecord>['bankAccountData'];
  readonly from: Instant;
  readonly to: Instant;
  readonly at: Instant;
  readonly balance: Centavos;
  readonly available: Centavos;
};

/** OFX 2.2, 11.3.1.1. It has no type for payment and wage accounts. */
const accountTypes: Readonly<Record<BankAccountType, 'CHECKING' | 'SAVINGS'>> = {
  CHECKING_ACCOUNT: 'CHECKING',
  PAYMENT_ACCOUNT: 'CHECKING',
  WAGE_ACCOUNT: 'CHECKING',
  SAVINGS_ACCOUNT: 'SAVINGS',
};

/** Types of entries that are more than a credit or a debit (OFX 2.2, 11.4.4.3). */
const transactionTypes: Partial<Readonly<Record<Entry['type'], string>>> = {
  BANK_FEE: 'FEE',
  DEPOSIT: 'DEP',
  PAYOUT_RECEIVED: 'XFER',
  REFUND_RECEIVED: 'XFER',
};

/** Returns the file of a statement before its transactions (OFX 2.2, 2.2.2 and 11.4.2). */
export function ofxHead({ account, from, to, at }: OfxStatement): string {
  const { ispb, bankNumber = ispb, branchNumber, accountNumber, accountType } = account;
  const done = tag('STATUS', tag('CODE', '0') + tag('SEVERITY', 'INFO'));
  const signOn = tag('SONRS', done + tag('DTSERVER', timeOf(at)) + tag('LANGUAGE', 'POR'));
  const number = tag('BANKID', text(bankNumber, 9)) + tag('BRANCHID', text(branchNumber, 22));
  const holder = number + tag('ACCTID', text(accountNumber, 22)) + tag('ACCTTYPE', accountTypes[accountType]);
  return [
    '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n',
    '<?OFX OFXHEADER="200" VERSION="220" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>\n',
    `<OFX>${tag('SIGNONMSGSRSV1', signOn)}<BANKMSGSRSV1><STMTTRNRS>${tag('TRNUID', '0')}${done}<STMTRS>`,
    `${tag('CURDEF', 'BRL')}${tag('BANKACCTFROM', holder)}<BANKTRANLIST>`,
    `${tag('DTSTART', timeOf(from))}${tag('DTEND', timeOf(to))}\n`,
  ].join('');
}

/** Returns the transactions of entries: none for those that move money within the account. */
export function ofxTransactions(entries: readonly Entry[]): string {
  return entries.map(transactionOf).join('');
}

/** Returns the file of a statement after its transactions. */
export function ofxTail({ at, balance, available }: OfxStatement): string {
  const asOf = tag('DTASOF', timeOf(at));
  const ledger = tag('LEDGERBAL', tag('BALAMT', formatAmount(balance)) + asOf);
  const usable = tag('AVAILBAL', tag('BALAMT', formatAmount(available)) + asOf);
  return `</BANKTRANLIST>${ledger}${usable}</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n`;
}

function transactionOf(entry: Entry): string {
  const total = totalOf(entry);
  if (total === 0) return '';
  const { id, type, createdAt, endToEndId, controlNumber = '', orderId, counterparty } = entry;
  const reference = endToEndId ?? controlNumber;
  const memo = [type, endToEndId, orderId].filter((part) => part !== undefined).join(' ');
  const parts = [
    tag('TRNTYPE', transactionTypes[type] ?? (total > 0 ? 'CREDIT' : 'DEBIT')),
    tag('DTPOSTED', timeOf(createdAt)),
    tag('TRNAMT', formatAmount(total)),
    tag('FITID', id),
    ...(reference === '' ? [] : [tag('REFNUM', text(reference, 32))]),
    ...(counterparty === undefined ? [] : [tag('NAME', text(counterparty.name, 32))]),
    tag('MEMO', text(memo, 255)),
  ];
  return `${tag('STMTTRN', parts.join(''))}\n`;
}

/** A time of Brasilia (OFX 2.2, 3.2.8.2): programs book by its date, and many ignore the zone. */
function timeOf(instant: Instant): string {
  return `${compactDate(brasiliaDate(instant))}${brasiliaTimeOfDay(instant).replaceAll(':', '')}[-3:BRT]`;
}

function tag(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

/** A text with at most so many characters, without those that XML 1.0 has no form for. */
function text(content: string, most: number): string {
  const allowed = content.replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '');
  return firstOf(allowed, most).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
