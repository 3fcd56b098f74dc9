import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '#shared/platform/clock.ts';
import { send, fetchToken, companyOf, readSandbox } from '@banking-order/partner-tools';
import type { Sandbox } from '@banking-order/partner-tools';
import type { BackgroundProcess } from '#tools/emulators/background.ts';
import { exitWith, run, runStep } from '#infra/releases/commands.ts';
import { startInBackground } from '#tools/emulators/background.ts';
import { pythonTool } from '#tools/emulators/python-tools.ts';
import { faultValues, inboxes, likelyValues, refused, troubles, unavailable } from './likely-values.ts';
import type { Counts } from './counts.ts';
import { addCounts, missedPercent, readCounts, countTables, totalOf } from './counts.ts';

const usage = `npm run tool -- tools/fuzz/main.ts [-- --cases N --from SEED --counts FILE --links]

Runs schemathesis on the API document, against its own local environment: every operation with examples, boundary
values and random values; then sequences along the links, with injected faults; the operations of the clock and the
bank profile last.

  --cases N      minimum number of requests along the links (default: 3000)
  --from SEED    first seed of these sequences (default: 1)
  --counts FILE  adds the counts of these requests to this file
  --links        only the sequences along the links
  --help         this text`;

const readyWithinSeconds = 90;
const checks = [
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'takes_what_the_schema_allows',
  'refuses_what_the_schema_forbids',
];
/** Checks of single requests, which name no fault, and of sequences along the links, which may name faults. */
const single = [...checks, 'not_a_server_error'];
const linked = [
  ...checks,
  'fails_only_when_asked_to',
  'lost_reply_is_given_again',
  'is_answered_by_bank',
  'is_counted',
];
/** A random clock would put everything else into the past, and a narrow bank would refuse it: these run last. */
const changingAll = ['setClock', 'resetClock', 'setBankProfile'];
/** A walk that sends fewer requests is an error: with such walks the number of cases would never be reached. */
const leastCasesOfAWalk = 10;
/** Limit of reads with 404: created resources are found immediately, but a key code is found only once it is sent. */
const mostMissedPercent = 5;
/** Expected errors in the log: of the bank, which some requests make silent, and of the database on a busy machine. */
const elsewhere = /"errorName":"(?:BankUnavailable|StoreUnavailable)"/u;

type Args = { readonly cases: number; readonly from: number; readonly counts: string | undefined; links: boolean };
type WalkContext = { readonly program: string; readonly sandbox: Sandbox; readonly folder: string };
type Walk = {
  readonly config: string;
  readonly checks: readonly string[];
  readonly options: readonly string[];
  /** Data for the hooks in a walk along the links. */
  readonly along?: object;
};

/**
 * `npm run tool -- tools/fuzz/main.ts`: schemathesis walks the document and its links on its own local environment. The
 * seeds make the sequences along the links reproducible.
 */
async function main(): Promise<number> {
  const args = readArgs();
  if (args === undefined) return 2;
  const program = await runStep('schemathesis from PyPI', () => pythonTool('schemathesis'));
  const folder = mkdtempSync(join(tmpdir(), 'document-'));
  const local = await runStep('local environment', () => startLocal(folder));
  try {
    const context = { program, folder, sandbox: readSandbox(join(folder, 'data', 'sandbox.json')) };
    const phases = ['--phases', 'examples,coverage,fuzzing'];
    const phaseArgs = (which: string): readonly string[] => [
      ...phases,
      ...changingAll.flatMap((name) => [which, name]),
    ];
    const walkEach = (title: string, which: string) =>
      runStep(title, () => walk(context, { config: 'schemathesis.toml', checks: single, options: phaseArgs(which) }));
    const codes = [args.links ? 0 : await walkEach('all operations', '--exclude-operation-id')];
    codes.push(await runStep('sequences along the links', () => walkLinks(context, args)));
    codes.push(
      args.links ? 0 : await walkEach('operations of the clock and the bank profile', '--include-operation-id'),
    );
    codes.push(judgeLog(readFileSync(join(folder, 'data', 'functions.log'), 'utf8')));
    return Math.max(...codes);
  } finally {
    await local.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns undefined, after it prints the usage, when the arguments are wrong or ask for help. */
function readArgs(): Args | undefined {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { values } = parseArgs({ options: { cases: text, from: text, counts: text, links: flag, help: flag } });
  const [cases, from] = [Number(values.cases ?? '3000'), Number(values.from ?? '1')];
  const isRight = [cases, from].every((number) => Number.isSafeInteger(number) && number > 0);
  if (values.help !== true && isRight) return { cases, from, counts: values.counts, links: values.links === true };
  console.log(usage);
  return undefined;
}

function startLocal(folder: string): Promise<BackgroundProcess> {
  const log = join(folder, 'local.log');
  return startInBackground({
    command: ['node', 'packages/local-environment/src/main.ts'],
    environment: { PORT: '0', LOCAL_DIR: join(folder, 'data') },
    log,
    isReady: () => Promise.resolve(/^ready/mu.test(readFileSync(log, 'utf8'))),
    readyWithinSeconds,
  });
}

/** @returns the exit code of schemathesis */
async function walk(context: WalkContext, { config, checks: which, options, along }: Walk): Promise<number> {
  const { program, sandbox } = context;
  // A new token for each walk: one token would expire during many walks.
  const token = await fetchToken(sandbox, companyOf(sandbox), send);
  const hooks = join(import.meta.dirname, 'hooks.py');
  return run(
    [
      program,
      ...['--config-file', join(import.meta.dirname, config)],
      ...['run', `${sandbox.baseUrl}/openapi.json`, '--header', `Authorization: Bearer ${token}`],
      ...['--checks', which.join(','), ...options],
    ],
    { environment: { SCHEMATHESIS_HOOKS: hooks, ...(along && { FUZZ_WALK: JSON.stringify(along) }) } },
  );
}

/** Walks along the links, each from another seed, until there are enough cases. @returns the exit code */
async function walkLinks(context: WalkContext, args: Args): Promise<number> {
  const { sandbox, folder } = context;
  const file = join(folder, 'counts.json');
  await scriptReceiver(sandbox);
  const likely = likelyValues(sandbox, systemClock());
  const apart = changingAll.flatMap((name) => ['--exclude-operation-id', name]);
  const ofWalks: Counts[] = [];
  let worst = 0;
  for (let seed = args.from; totalOf(addCounts(ofWalks)).cases < args.cases; seed += 1) {
    rmSync(file, { force: true });
    const options = ['--phases', 'stateful', '--seed', `${seed}`, ...apart];
    const along = { seed, likely, faultValues, unavailable, refused, counts: file };
    worst = Math.max(worst, await walk(context, { config: 'stateful.toml', checks: linked, options, along }));
    const own = readCounts(file);
    ofWalks.push(own);
    // An aborted run keeps its counts up to here.
    if (args.counts !== undefined)
      writeFileSync(args.counts, JSON.stringify(addCounts([own, readCounts(args.counts)])));
    if (totalOf(own).cases >= leastCasesOfAWalk) continue;
    console.error(`The sequence of seed ${seed} sent only ${totalOf(own).cases} requests.`);
    return 1;
  }
  return Math.max(worst, judge(addCounts(ofWalks), args.counts));
}

async function scriptReceiver({ baseUrl }: Sandbox): Promise<void> {
  const url = `${baseUrl}/receiver/${inboxes.bad}`;
  const { ok } = await fetch(url, { method: 'PUT', body: JSON.stringify({ replies: troubles }) });
  if (!ok) throw new Error(`Cannot set the replies of the local receiver at ${url}.`);
}

/** Shows the tables; created resources must be found. @returns 0 if they are */
function judge(own: Counts, file: string | undefined): number {
  console.log(`\n${countTables(file === undefined ? own : readCounts(file))}\n`);
  const missed = missedPercent(totalOf(own));
  const isFound = missed !== undefined && missed < mostMissedPercent;
  console.log(isFound ? '1 passed, 0 failed' : '0 passed, 1 failed');
  if (!isFound)
    console.error(
      missed === undefined
        ? 'No created resource was read.'
        : `${missed.toFixed(1)} % of the reads of created resources got 404.`,
    );
  return isFound ? 0 : 1;
}

/** An error that a function or worker logs is a finding. */
function judgeLog(log: string): number {
  const errors = log.split('\n').filter((line) => line.includes('"level":"error"'));
  const unexpected = errors.filter((line) => !elsewhere.test(line));
  console.log(unexpected.length === 0 ? '1 passed, 0 failed' : '0 passed, 1 failed');
  if (unexpected.length > 0)
    console.error(`The log has ${unexpected.length} unexpected errors:\n${unexpected.slice(0, 5).join('\n')}`);
  return unexpected.length === 0 ? 0 : 1;
}

exitWith(main());
