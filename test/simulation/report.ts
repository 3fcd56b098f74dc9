import { transitions } from '#functions/transitions.ts';
import type { Life } from './world/life.ts';

/**
 * Seed, step and invariant, the last events of its ids, and the command that repeats the run.
 *
 * @param before the run that failed first, before it was shortened
 */
export function showFinding({ seed, steps, days, companies, faults, found }: Life, before: Life): void {
  const [first, ...others] = found;
  if (first === undefined) return;
  console.log(`\nInvariant violated: ${first.invariant}`);
  console.log(`  ${first.text.slice(0, 1000)}`);
  console.log(
    `  at step ${first.step} of ${steps} with seed ${seed}, ${companies} companies, injected faults: ${faults}`,
  );
  console.log(
    `  shortened from ${before.steps} steps, ${before.companies} companies, injected faults: ${before.faults}`,
  );
  console.log('Last events with its ids: step, time, event, details');
  for (const line of first.last) console.log(`  ${line}`);
  for (const { invariant, text } of others.slice(0, 5)) console.log(`Also: ${invariant}: ${text.slice(0, 200)}`);
  const until = days === undefined ? '' : ` --days ${days}`;
  const args = `--seed ${seed} --steps ${steps}${until} --companies ${companies} --faults ${faults}`;
  console.log(`To repeat it: npm run simulate -- ${args}\n`);
}

/** Never written: a subscription is stored once its bank has responded, and a validation expires by its time. */
const unwritten = new Set([
  'SUBSCRIPTION: INITIAL to PENDING_AUTHORIZATION',
  'SUBSCRIPTION: INITIAL to ERROR',
  'KEY_VALIDATION: PENDING to EXPIRED',
]);

/** Rows of the tables of transitions that no run took. */
function untaken(counts: ReadonlyMap<string, number>): readonly string[] {
  return Object.entries(transitions).flatMap(([resource, table]) => {
    const rows: readonly (readonly [string, string, string])[] = [
      ...table.bank,
      ...table.service,
      ...('bankAlone' in table ? table.bankAlone : []),
    ];
    const moves = new Set(rows.filter(([from, , to]) => from !== to).map(([from, , to]) => `${from} to ${to}`));
    return [...moves]
      .filter((move) => !counts.has(`transition ${resource}: ${move}`))
      .map((move) => `${resource}: ${move}`)
      .filter((move) => !unwritten.has(move));
  });
}

/** Share of the lines inside functions that some run executed, by folder; the files with the smallest shares. */
function showLines(runs: readonly Life[]): void {
  const files = new Map<string, { readonly lines: number; missed: ReadonlySet<number> }>();
  for (const { covered = {} } of runs)
    for (const [file, { lines, missed }] of Object.entries(covered)) {
      const before = files.get(file);
      const still = missed.filter((line) => before?.missed.has(line) !== false);
      files.set(file, { lines: lines.length, missed: new Set(still) });
    }
  const rooms = Map.groupBy(files, ([file]) => file.split('/').slice(0, 2).join('/'));
  console.log('Executed lines inside functions');
  for (const [room, some] of [...rooms].sort()) {
    const sum = (readCount: (one: (typeof some)[number][1]) => number): number =>
      some.reduce((all, [, one]) => all + readCount(one), 0);
    const [lines, missed] = [sum((one) => one.lines), sum((one) => one.missed.size)];
    console.log(
      `  ${room}: ${lines - missed} of ${lines} (${Math.floor((100 * (lines - missed)) / Math.max(1, lines))} %)`,
    );
  }
  const least = [...files]
    .filter(([, { missed }]) => missed.size > 0)
    .sort(([, a], [, b]) => b.missed.size - a.missed.size);
  for (const [file, { missed }] of least.slice(0, 25)) console.log(`    ${file}: ${[...missed].join(' ')}`);
}

/** How often each thing happened in all runs. */
function countsOf(runs: readonly Life[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const run of runs)
    for (const [occurrence, count] of Object.entries(run.counts))
      counts.set(occurrence, (counts.get(occurrence) ?? 0) + count);
  return counts;
}

/** What became of the disputes of all runs. */
export function showDisputes(runs: readonly Life[]): void {
  console.log('Disputes');
  for (const [what, count] of countsOf(runs))
    if (what.startsWith('dispute ')) console.log(`  ${String(count).padStart(8)} ${what.slice('dispute '.length)}`);
}

/** What the runs reached together. */
export function showTables(runs: readonly Life[]): void {
  const counts = countsOf(runs);
  const findCounts = (prefix: string): [string, number][] =>
    [...counts].filter(([what]) => what.startsWith(prefix)).map(([what, count]) => [what.slice(prefix.length), count]);
  console.log('\nTransitions');
  for (const [row, count] of findCounts('transition ')) console.log(`  ${String(count).padStart(8)} ${row}`);
  console.log(`  never taken: ${untaken(counts).join(', ') || 'none'}`);
  console.log('Responses by operation');
  const responses = Map.groupBy(findCounts('answer '), ([response]) => response.split(' ')[0] ?? '');
  for (const [operation, some] of responses)
    console.log(
      `  ${operation}: ${some.map(([event, count]) => `${event.split(' ')[1] ?? ''} × ${count}`).join(', ')}`,
    );
  showLines(runs);
  console.log('Events');
  for (const [what, count] of findCounts('event ')) console.log(`  ${String(count).padStart(8)} ${what}`);
  const faultCounts = findCounts('fault ');
  console.log(
    `Injected faults: ${faultCounts.reduce((sum, [, count]) => sum + count, 0)} at ${faultCounts.length} places`,
  );
}
