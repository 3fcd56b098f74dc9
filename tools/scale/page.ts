import { readFileSync } from 'node:fs';
import { environments } from '#infra/environments.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import { neverReserved } from '#infra/settings.ts';
import type { Table } from '#test/bench/page.ts';
import { quantile, rounded, withTables } from '#test/bench/page.ts';
import type { Ceiling } from './ceilings.ts';
import { burstShare, ceilingsOf, dueCeiling, minutesToGrow, playBalance } from './ceilings.ts';
import type { Layout } from './layout.ts';
import { layouts, usualHoldMs, wideSettings } from './layout.ts';
import type { Load } from './play.ts';
import { play } from './play.ts';

type Name = keyof typeof layouts;
type Row = Table[number];

export const names: readonly Name[] = ['today', 'sharded', 'wide'];
/** Those whose loads the page shows. */
const shownLoads: readonly Name[] = ['today', 'sharded'];
const counts = [1, 1000] as const;
const docs = new URL('../../docs/', import.meta.url);
export const pageFile = new URL('scale.md', docs);

/** US dollars a month of so many payouts a second in sa-east-1, by docs/price.md. */
function dollarsAMonth(rate: number): number {
  const price = readFileSync(new URL('price.md', docs), 'utf8');
  const [, million] = /a million payouts.*\*\*([\d.]+)\*\* \|$/mu.exec(price) ?? [];
  return rounded((rate * 730 * 3600 * Number(million)) / 1e6);
}

/** What a load meets: the lowest ceilings below it, and what becomes of its payouts. */
async function loadCells(layout: Layout, load: Load, ceilings: readonly Ceiling[]): Promise<Row> {
  const below = ceilings.filter(([part, most]) => most < load.rate && part !== 'new table');
  const lowest = below.toSorted(([, one], [, other]) => one - other).map(([part, most]) => `${part} ${rounded(most)}`);
  const more = lowest.splice(3).length;
  const { arrived, refused, onTime, requestMs, executions } = await play(load, layout);
  const refusals = refused.values().reduce((sum, count) => sum + count, 0);
  const shares = [refusals, arrived - refusals - onTime].map((count) => rounded((100 * count) / arrived));
  const first = `${lowest.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return [first, ...shares, Math.round(quantile(requestMs, 0.99)), executions];
}

/** Plays loads in some layouts. `ceilings`: those of each number of companies and layout, in this order. */
export async function playLoads(of: readonly Name[], companies: readonly number[], rates: readonly number[]) {
  const cells = ['breaks first', 'refused, %', 'late, %', 'request p99, ms', 'executions'];
  const head = of.flatMap((name) => cells.map((cell) => `${name}: ${cell}`));
  const table: Row[] = [['Payouts/s', 'Companies', 'USD a month', ...head]];
  for (const count of companies) {
    const found = await Promise.all(of.map((name) => ceilingsOf(layouts[name], count)));
    for (const rate of rates) {
      const load = { rate, companies: count, seconds: rate > 1000 ? 10 : 20 };
      const met = await Promise.all(of.map((name, at) => loadCells(layouts[name], load, found[at] ?? [])));
      table.push([rate, count, dollarsAMonth(rate), ...met.flat()]);
    }
  }
  return table;
}

async function balanceRow(name: Name, rate: number, holdMs: number): Promise<Row> {
  const { refusedShare, p50, p99, inFlight, conflicts } = await playBalance(layouts[name], rate, 60, holdMs);
  return [rate, holdMs, name, rounded(100 * refusedShare), ...[p50, p99, inFlight, conflicts].map(Math.round)];
}

/** The settings of `wide` beside those of `prod`, and what each carries a second by the ceilings of one company. */
function wideRows(ceilings: readonly Ceiling[]): readonly Row[] {
  const carried = (part: string): number => rounded(ceilings.find(([name]) => name === part)?.[1] ?? NaN);
  const both = (of: (settings: EnvironmentSettings) => number) => [environments.prod, wideSettings].map(of);
  const sum = ({ functions: { reserved = {} } }: EnvironmentSettings): number =>
    Object.values(reserved).reduce((all, count) => all + count, neverReserved);
  const { executions } = wideSettings.functions;
  return [
    ['`bankCallbacks.throttling.rate`', ...both((of) => of.bankCallbacks.throttling.rate), carried('all callbacks')],
    ['`bankCallbacks.readers`, of ten', ...both((of) => of.bankCallbacks.readers), carried('callback readers')],
    ['`bankCallbacks.idsAMinute`', ...both((of) => of.bankCallbacks.idsAMinute), carried('company’s callbacks')],
    ['`deliveries.maxConcurrency`, of five', ...both((of) => of.deliveries.maxConcurrency), carried('notifier')],
    ['`deliveries.companyShare`', ...both((of) => of.deliveries.companyShare), carried('company’s share')],
    ['`functions.reserved`, with Lambda’s 100', ...both(sum), `of ${executions}`],
  ];
}

/** Figures of what is deployed, by their names in the last table. */
const others: Readonly<Record<string, (layout: Layout) => Promise<number>>> = {
  'due payouts/s, one company': (layout) => dueCeiling(layout, 1, 'submission'),
  'due payouts/s, 1 000 companies': (layout) => dueCeiling(layout, 1000, 'submission'),
  'minutes for 30 000 payouts': async (layout) => 30_000 / 60 / (await dueCeiling(layout, 1, 'submission')),
  'minutes for 100 000 charges': async (layout) => 100_000 / 60 / (await dueCeiling(layout, 1, 'charge')),
  'companies behind a burst, %': (layout) => Promise.resolve(100 * burstShare(layout)),
  'minutes until a new table takes 500/s': (layout) => Promise.resolve(minutesToGrow(layout, 500)),
};

/** docs/scale.md with its tables written again. */
export async function scalePage(): Promise<string> {
  const table = await playLoads(shownLoads, counts, [50, 500, 5000]);
  const ceilings: (readonly Ceiling[])[] = [];
  for (const count of counts) for (const name of names) ceilings.push(await ceilingsOf(layouts[name], count));
  const shown = (rate = NaN) => (rate > 5000 ? '> 5000' : rounded(rate));
  const parts = (ceilings[0] ?? []).map(([part, , above], at) => {
    return [part, ...ceilings.map((column) => shown(column[at]?.[1])), above];
  });
  const balance: Row[] = [];
  for (const rate of [25, 50, 100]) balance.push(await balanceRow('today', rate, usualHoldMs));
  for (const holdMs of [6, 15]) balance.push(await balanceRow('today', 50, holdMs));
  for (const rate of [100, 500]) balance.push(await balanceRow('sharded', rate, usualHoldMs));
  const figures: Row[] = [];
  for (const [what, figure] of Object.entries(others)) figures.push([what, rounded(await figure(layouts.today))]);
  return withTables(readFileSync(pageFile, 'utf8'), {
    loads: table,
    ceilings: ['Part|One: today|sharded|wide|1 000: today|sharded|wide|Above it'.split('|'), ...parts],
    wide: [['Setting', 'prod', 'wide', 'Carries a second'], ...wideRows(ceilings[names.indexOf('wide')] ?? [])],
    balance: ['Payouts/s|Hold, ms|Layout|Refused, %|p50, ms|p99, ms|In flight|Conflicts/5 min'.split('|'), ...balance],
    others: [['What', 'today'], ...figures],
  });
}
