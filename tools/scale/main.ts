import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { markdown } from '#test/bench/page.ts';
import { names, pageFile, playLoads, scalePage } from './page.ts';

/** Without arguments it writes the tables of docs/scale.md, else it prints what one load meets. */
const usage =
  'npm run tool -- tools/scale/main.ts [--rate PAYOUTS_A_SECOND] [--companies N] [--layout today|sharded|wide]';
const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { rate: text, companies: text, layout: text, help: { type: 'boolean' } } });
const [rate, companies] = [Number(values.rate ?? '50'), Number(values.companies ?? '1')];
const layouts = names.filter((name) => name === (values.layout ?? name));
if (values.help === true || layouts.length === 0 || !(rate > 0) || !(Number.isSafeInteger(companies) && companies > 0))
  console.log(usage);
else if (Object.keys(values).length === 0) writeFileSync(pageFile, await scalePage());
else console.log(markdown(await playLoads(layouts, [companies], [rate])));
