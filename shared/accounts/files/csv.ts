import type * as z from 'zod';
import { formatAmount } from '#shared/core/money.ts';
import type { LedgerEntryRecord } from '../contract.ts';
import { totalOf } from './total.ts';

type Entry = z.output<typeof LedgerEntryRecord>;

/** The columns of a statement's CSV file, in their order. Later ones are added at the end. */
const columns: Readonly<Record<string, (entry: Entry) => string | undefined>> = {
  createdAt: ({ createdAt }) => createdAt,
  type: ({ type }) => type,
  available: ({ available }) => available,
  reserved: ({ reserved }) => reserved,
  blocked: ({ blocked }) => blocked,
  total: (entry) => formatAmount(totalOf(entry)),
  counterpartyName: ({ counterparty }) => withoutFormula(counterparty?.name),
  counterpartyDocument: ({ counterparty }) => counterparty?.document.number,
  counterpartyIspb: ({ counterparty }) => counterparty?.bank?.ispb,
  counterpartyBranch: ({ counterparty }) => withoutFormula(counterparty?.bank?.branch),
  counterpartyAccount: ({ counterparty }) => withoutFormula(counterparty?.bank?.account),
  endToEndId: ({ endToEndId }) => endToEndId,
  controlNumber: ({ controlNumber }) => withoutFormula(controlNumber),
  orderId: ({ orderId }) => orderId,
  refundId: ({ refundId }) => refundId,
  creditId: ({ creditId }) => creditId,
  disputeId: ({ disputeId }) => disputeId,
  accountId: ({ accountId }) => accountId,
  id: ({ id }) => id,
};

/** The first line of a file. */
export const csvHeader = lineOf(Object.keys(columns));

/** Returns a line for each entry (RFC 4180: commas, CRLF). Amounts have a decimal point. */
export function csvLines(entries: readonly Entry[]): string {
  return entries.map((entry) => lineOf(Object.values(columns).map((read) => read(entry) ?? ''))).join('');
}

function lineOf(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

function quoted(cell: string): string {
  return /[",\r\n]/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A text that a spreadsheet would calculate becomes plain text by an apostrophe (OWASP, CSV injection). */
function withoutFormula(text: string | undefined): string | undefined {
  return text !== undefined && /^[=+\-@\t\r\n]/u.test(text) ? `'${text}` : text;
}
