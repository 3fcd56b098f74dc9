import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { companyOf } from '#shared/platform/company.ts';
import type { OperatorDependencies } from '../target.ts';
import type { CompanyRecords } from './company-records.ts';
import { newRecords, sortInto } from './company-records.ts';
import type { Difference } from './differences.ts';
import { differencesOf } from './differences.ts';

/** Read units a second unless said otherwise: 1 GB in 22 minutes, a tenth of what one partition of the table gives. */
export const defaultReadUnits = 100;

/**
 * Reads are behind by a second at most and clocks of machines differ: what changed within this time before the start is
 * left out.
 */
const settledSeconds = 300;
/** In place of a company, for what belongs to none. */
const nobody = '-';

/**
 * Compares orders, deliveries and ledger of one company, or of all of them in one reading, and tells (beside the
 * result) how fast it read, what that cost, and how much it could not compare because it changed meanwhile.
 */
export async function reconcile(
  { itemsOf, now }: Pick<OperatorDependencies, 'itemsOf' | 'now'>,
  { companyId, unitsPerSecond }: { readonly companyId: string | undefined; readonly unitsPerSecond: number },
  tell: (text: string) => void,
): Promise<readonly (Difference & { readonly companyId: string })[]> {
  const startedAt = now();
  const read = { units: 0, scanned: 0 };
  const onPage = ({ units, scanned }: { units: number; scanned: number }): void => {
    read.units += units;
    read.scanned += scanned;
  };
  tell(`Reading the table, eventually consistent, at ${unitsPerSecond} read units a second at most.`);
  const companies = new Map<string, CompanyRecords>();
  for await (const item of itemsOf({ companyId, unitsPerSecond, onPage })) {
    const owner = companyOf(item) ?? nobody;
    const records = companies.get(owner) ?? newRecords();
    companies.set(owner, records);
    sortInto(item, records);
  }
  const compared = [...companies].map(([owner, records]) => {
    const { differences, changing } = differencesOf(records, startedAt, plusSeconds(startedAt, -settledSeconds));
    return { differences: differences.map((difference) => ({ companyId: owner, ...difference })), changing };
  });
  const changing = compared.reduce((sum, one) => sum + one.changing, 0);
  const count = [...companies.keys()].filter((owner) => owner !== nobody).length;
  tell(`Read ${read.scanned} items of ${count} companies for ${read.units} units.`);
  if (changing > 0)
    tell(`${changing} accounts and orders changed meanwhile and were not compared: run it again for them.`);
  return compared.flatMap(({ differences }) => differences);
}
