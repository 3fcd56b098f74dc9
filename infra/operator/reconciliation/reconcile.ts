import { companyOf } from '#shared/platform/company.ts';
import type { OperatorDependencies, ScanOptions } from '../target.ts';
import type { CompanyRecords } from './company-records.ts';
import { newRecords, sortInto } from './company-records.ts';
import type { Difference } from './differences.ts';
import { differencesOf } from './differences.ts';

/** Read units a second: 1 GB in 22 minutes, a thirtieth of a partition's limit. */
export const defaultReadUnits = 100;

/** Owner of the items without a company. */
const noCompany = '-';

type ReconcileOptions = { readonly companyId?: string | undefined; readonly unitsPerSecond?: number | undefined };

/**
 * Compares orders, deliveries and ledger of one company or all. Prints its speed, its cost and what it compared. A
 * reading that compares nothing is itself a difference.
 */
export async function reconcile(
  { itemsOf, now }: Pick<OperatorDependencies, 'itemsOf' | 'now'>,
  { companyId, unitsPerSecond = defaultReadUnits }: ReconcileOptions,
  print: (text: string) => void,
): Promise<readonly (Difference & { readonly companyId: string })[]> {
  const startedAt = now();
  const read = { units: 0, scanned: 0 };
  const onPage: ScanOptions['onPage'] = ({ units, scanned }) => {
    read.units += units;
    read.scanned += scanned;
  };
  print(`Reading the table with eventually consistent reads, at most ${unitsPerSecond} read units a second.`);
  const companies = new Map<string, CompanyRecords>();
  for await (const item of itemsOf({ companyId, unitsPerSecond, onPage })) {
    const owner = companyOf(item) ?? noCompany;
    const records = companies.get(owner) ?? newRecords();
    companies.set(owner, records);
    sortInto(item, records);
  }
  const reading = { startedAt, endedAt: now() };
  const all = [...companies].map(([owner, records]) => ({ owner, ...differencesOf(records, reading) }));
  const compared = all.reduce((sum, company) => sum + company.compared, 0);
  const undecided = all.reduce((sum, company) => sum + company.undecided, 0);
  const count = [...companies.keys()].filter((owner) => owner !== noCompany).length;
  print(`Read ${read.scanned} items of ${count} companies; consumed ${read.units} read units.`);
  print(`Compared ${compared} accounts, orders and scheduled payments.`);
  if (undecided > 0)
    print(`Skipped ${undecided} more that differ, but changed meanwhile: run the command again to compare them.`);
  const nothing = { kind: 'nothing compared', id: '-', expected: 'an account or order', found: 'none' } as const;
  return [
    ...all.flatMap(({ owner, differences }) => differences.map((one) => ({ companyId: owner, ...one }))),
    ...(compared === 0 ? [{ companyId: companyId ?? noCompany, ...nothing }] : []),
  ];
}
