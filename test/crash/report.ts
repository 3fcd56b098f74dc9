import type { CrashReport } from './cycles.ts';
import type { Found } from './journal.ts';

/** Number of findings that are printed with their events, and number of printed findings in total. */
const shown = { whole: 3, named: 12 };

/** Seed, cycle and invariant, with the last events of its ids. */
export function showFound(seed: number, found: readonly Found[]): void {
  for (const { cycle, invariant, text, last } of found.slice(0, shown.whole)) {
    console.log(`\nFOUND by seed ${seed} in cycle ${cycle}: ${invariant}`);
    console.log(`  ${text}`);
    for (const event of last) console.log(`    ${event}`);
  }
  for (const { invariant, text } of found.slice(shown.whole, shown.named))
    console.log(`  also ${invariant}: ${text.slice(0, 200)}`);
  if (found.length > shown.named) console.log(`  … and ${found.length - shown.named} more.`);
}

/** The rows of the table that `npm run crash` prints. @param seconds of the whole run */
export function reportRows(report: CrashReport, seconds: number): readonly (readonly [string, string])[] {
  const { cycles, kills, requests, repeated, resources, deliveries, calls, restartSeconds, found } = report;
  const number = (value: number): string => value.toLocaleString('en-US').replaceAll(',', ' ');
  const countByStatus = (status: string): string => number(deliveries.filter((one) => one.status === status).length);
  const resends = deliveries.filter(({ resendOf }) => resendOf !== undefined).length;
  const sorted = restartSeconds.toSorted((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1);
  return [
    ['Cycles', number(cycles)],
    ['Kills: only the service, service and database', `${kills.process}, ${kills.group}`],
    ['Requests: with a response, without', `${number(requests.answered)}, ${number(requests.lost)}`],
    ['Replayed responses; of them requested after a kill', `${number(requests.replayed)}, ${number(repeated)}`],
    ['Created orders, refunds, subscriptions, charges', number(resources)],
    ['Notifications: delivered, failed', `${countByStatus('DELIVERED')}, ${countByStatus('FAILED')}`],
    ['Of them resends', number(resends)],
    ['Calls to the receivers', number(calls)],
    ['Seconds to restart: median, 90 %, maximum', [at(0.5), at(0.9), at(1)].join(', ')],
    ['Total minutes', number(Math.round(seconds / 60))],
    ['Findings', number(found.length)],
  ];
}
