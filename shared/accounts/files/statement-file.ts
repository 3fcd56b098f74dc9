import type * as z from 'zod';
import type { LedgerEntryRecord } from '../contract.ts';
import { csvHeader, csvLines } from './csv.ts';
import type { OfxStatement } from './ofx.ts';
import { ofxHead, ofxTail, ofxTransactions } from './ofx.ts';

/** The files that a statement is also read as, by the value of the query parameter `format`. */
export const statementFiles = { csv: 'text/csv; charset=utf-8', ofx: 'application/x-ofx; charset=utf-8' } as const;
export type StatementFormat = keyof typeof statementFiles;

type Entries = readonly z.output<typeof LedgerEntryRecord>[];

/** Returns a page of a statement as CSV. Only the first page has the header, so that pages joined are one file. */
export function csvPage(entries: Entries, isFirst: boolean): string {
  return `${isFirst ? csvHeader : ''}${csvLines(entries)}`;
}

/** Returns a page of a statement as OFX: a whole file, whose transactions a program takes once, by their ids. */
export function ofxPage(entries: Entries, statement: OfxStatement): string {
  return `${ofxHead(statement)}${ofxTransactions(entries)}${ofxTail(statement)}`;
}
