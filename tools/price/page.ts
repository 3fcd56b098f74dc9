import { ownDays } from '#infra/aws/constructs/table-copies.ts';
import type { BillOf, Line } from './bill.ts';
import { dollars, idleMonth, leastCapacity, millionPayouts, tableOfAMillion } from './bill.ts';
import type { Region } from './prices.ts';
import { dollarsOf, prices, pricesOf, regions } from './prices.ts';

type Cells = readonly string[];

const money = (value: number): string => value.toFixed(2);

function table(head: Cells, rows: readonly Cells[]): string {
  const line = (cells: Cells): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}

function billTable(head: string, lines: readonly Line[]): string {
  const cells = (what: string, some: readonly Line[]): Cells => [
    what,
    ...regions.map((region) => money(dollars(some, region))),
  ];
  const inOrder = lines.toSorted((a, b) => dollars([b], 'us-east-1') - dollars([a], 'us-east-1'));
  return table([head, ...regions], [...inOrder.map((line) => cells(line.what, [line])), cells('**all**', lines)]);
}

function capacityTable(of: BillOf): string {
  const rows = [0.2, 0.3, 0.5, 0.7, 0.9].map((utilization): Cells => [
    `${String(Math.round(100 * utilization))} %`,
    ...regions.flatMap((region) => {
      const { onDemand, provisioned } = tableOfAMillion(of, region, utilization);
      return [money(onDemand), money(provisioned)];
    }),
  ]);
  const head = regions.flatMap((region) => [`${region}, on demand`, 'provisioned']);
  return table(['Of the capacity in use', ...head], rows);
}

/** Payouts a month from which five units a second everywhere, the least that scaling may leave, cost less. */
function fromTraffic(of: BillOf): string {
  const parts = Math.max(1, of.deployed.countedKeys);
  const region = 'us-east-1';
  const { onDemand } = tableOfAMillion(of, region, 1);
  const least = leastCapacity(5, parts, region);
  const payouts = Math.ceil((least / onDemand) * 100) * 10_000;
  return (
    `Five units a second of the table and of each index, as the least, cost ${money(least)} US dollars a month: below ` +
    `about ${payouts.toLocaleString('en-US').replaceAll(',', ' ')} payouts a month on demand is cheaper whatever their rhythm.`
  );
}

/** Each night has the whole table, in both accounts. */
function copiesOf(): string {
  const days = 35;
  const [virginia, saoPaulo] = regions.map((region) => money(dollarsOf('backup', ownDays + days, region)));
  return (
    `\`data.copies\` of ${String(days)} days keeps ${String(ownDays + days)} nights: for each GB of the table ${String(virginia)} US dollars a ` +
    `month in us-east-1, ${String(saoPaulo)} in sa-east-1, beside two keys.`
  );
}

const unconfirmedIn = (region: Region): readonly string[] =>
  Object.entries(prices).flatMap(([name, price]) =>
    'unconfirmed' in price && (price.unconfirmed as readonly Region[]).includes(region) ? [`\`${name}\``] : [],
  );

/** The page with each part between `<!-- name -->` and `<!-- end -->` written again. */
export function withPrices(page: string, of: BillOf): string {
  const idle = idleMonth(of);
  const payouts = millionPayouts(of);
  const [virginia, saoPaulo] = regions.map((region) => ({
    idle: Math.round(dollars(idle, region)),
    payouts: Math.round(dollars(payouts, region)),
  }));
  const parts: Readonly<Record<string, string>> = {
    price:
      `**A million payouts, each with its delivered notification: ${String(virginia?.payouts)} US dollars in us-east-1, ` +
      `${String(saoPaulo?.payouts)} in sa-east-1; and ${String(virginia?.idle)} or ${String(saoPaulo?.idle)} a month for an environment that nobody calls.**`,
    million: billTable('A million payouts, US dollars', payouts),
    idle: billTable('A month without calls, US dollars', idle),
    copies: copiesOf(),
    capacity: `${capacityTable(of)}\n\n${fromTraffic(of)}`,
    prices:
      `List prices of ${pricesOf}, without free tiers, in \`tools/price/prices.ts\` with the page of each. AWS's own ` +
      `pages could not be read, and no other page confirms these: compare them before you rely on them.\n\n` +
      regions.map((region) => `- in ${region}: ${unconfirmedIn(region).join(', ')}`).join('\n'),
  };
  return page.replaceAll(/<!-- (?!end)(\w+) -->\n[^]*?<!-- end -->/gu, (block, name: string) => {
    const written = parts[name];
    return written === undefined ? block : `<!-- ${name} -->\n\n${written}\n\n<!-- end -->`;
  });
}
