import type { BenchRun } from './bench-run.ts';
import type { Figure } from './figures.ts';
import { measureApi } from './rows/api.ts';
import { measureDeliveries } from './rows/deliveries.ts';
import { measureFlatness } from './rows/flat.ts';
import { measureFunctions } from './rows/functions.ts';
import { measureLocal } from './rows/local.ts';
import { measureMoney } from './rows/money.ts';

/** The rows of docs/benchmarks.md, by their numbers. */
export const rows: Readonly<
  Record<number, { readonly title: string; readonly measure: (run: BenchRun) => Promise<readonly Figure[]> }>
> = {
  1: { title: 'API', measure: measureApi },
  2: { title: 'Deliveries', measure: measureDeliveries },
  3: { title: 'Flat', measure: measureFlatness },
  4: { title: 'Units and money', measure: measureMoney },
  5: { title: 'Functions', measure: measureFunctions },
  6: { title: 'Local environment', measure: measureLocal },
};
