import { account, bankWorld } from '../support/bank-world.ts';
import type { Answer } from '../support/api.ts';
import { dueEntry } from '../support/due.ts';
import { workQueued } from '../support/run-jobs.ts';
import { doJob } from '#shared/jobs/job-worker.ts';
import { jobs } from '#shared/jobs/every-job.ts';
import type { JobBank, JobKind } from '#shared/jobs/jobs.ts';
import type { DueWork } from '#shared/platform/jobs/due.ts';
import type { DueKind } from '#shared/platform/jobs/due-kinds.ts';
import { apiPixBehind } from './api-pix-behind.ts';
import type { Mutation } from './bank-behind.ts';
import type { Draws } from './bank-books.ts';
import { beginsAt, drawsOf, instantOf } from './bank-books.ts';
import { checkCertificates } from './bank-certificates.ts';
import type { Problem } from './bank-checks.ts';
import { finalStatuses, lasting } from './bank-checks.ts';
import type { Intent, PartnerMemory, PayInAnswer } from './bank-partner.ts';
import { nextDisputeIntent } from './bank-disputes.ts';
import { nextIntent, nextPayout, otherAccount } from './bank-partner.ts';
import type { SubscriptionAnswer } from './bank-subscribers.ts';
import { nextSubscriptionIntent } from './bank-subscribers.ts';
import { modelBehind } from './model-behind.ts';
import type { VirtualTime } from './virtual-time.ts';
import { chances, inVirtualTime, virtualTime } from './virtual-time.ts';

/** The banks that may stand behind the service: the model's own, or that of this machine by API Pix. */
const banksBehind = { model: modelBehind, 'api-pix': apiPixBehind };

export type ModelOptions = {
  readonly seed: number;
  readonly intents?: number;
  /** Whether partners ask for nothing but payouts. */
  readonly onlyPayouts?: boolean;
  readonly mutation?: Mutation;
  /** Which bank stands behind; the model's own without. */
  readonly bank?: keyof typeof banksBehind;
};
type ModelReport = {
  readonly problems: readonly Problem[];
  /** Calls to table and bank: at each the process may die, or the call be lost. */
  readonly steps: number;
  /** Commands that reached the bank, each counted once. */
  readonly commands: number;
  /** Certificates of payouts and refunds that were verified. */
  readonly certificates: number;
  /** How often each thing happened: a model in which nothing happens proves nothing. */
  readonly seen: ReadonlyMap<string, number>;
};

/** Partners and payers act for so long; then it becomes quiet. */
const busyMs = 3_600_000;
/** Where payers claim payments back, trouble goes on for so long: claims and their defences come after payments. */
const claimsMs = 2_700_000;
/** After that nothing may be left. */
const quietMs = 9 * 86_400_000;
/** With more runs of the workers than that, an item stays due. */
const mostRuns = 1500;
/** The latest event of the bank comes so long after that. */
const lastNewsMs = 8 * 3_600_000;
/** What a command makes happen at the bank has happened after so long. */
const slowestCommandMs = 5 * 3_600_000;
/** Centavos of an account in the beginning: one that is nearly empty lacks what payers claim back. */
const openings = [1_000_000_00, 50_00];
/** Requests about what payers claim back, where the bank behind has claims. */
const disputeIntents = 30;

/** One life of the service with its bank, all of it from one seed. */
export async function runModel(options: ModelOptions): Promise<ModelReport> {
  const random = chances(options.seed);
  const time = virtualTime();
  return inVirtualTime(time, random, () => simulate(options, time, drawsOf(random)), beginsAt);
}

async function simulate(options: ModelOptions, time: VirtualTime, draws: Draws): Promise<ModelReport> {
  const { seed, intents = 40, mutation = {}, onlyPayouts = false } = options;
  const problems: Problem[] = [];
  const seen = new Map<string, number>();
  const see = (event: string) => seen.set(event, (seen.get(event) ?? 0) + 1);
  let steps = 0;
  let isQuiet = false;
  const counted = (): void => {
    steps += 1;
  };

  const world = bankWorld({ seed: `model-${seed}`, wrap: (memory) => finalStatuses(memory, problems) });
  const hasClaims = options.bank === 'api-pix';
  const troubleMs = busyMs + (hasClaims ? claimsMs : 0);
  const opening = hasClaims ? draws.one(openings) : openings[0]!;
  for (const id of [account, otherAccount]) await world.openAccount(opening, { id });
  const table = mutation.store?.(world.store) ?? world.store;
  const now = (): string => instantOf(time.now());
  /** Work of the service that the model waits for before it looks. */
  let underWay = 0;
  const track = async (work: () => Promise<unknown>): Promise<void> => {
    underWay += 1;
    try {
      await work();
    } catch (error) {
      problems.push({ check: 'error', text: String(error) });
    } finally {
      underWay -= 1;
    }
  };
  const behind = await banksBehind[options.bank ?? 'model']({
    ...{ world, table, time, draws, mutation, now, see, track, opening },
    ...{ isQuiet: () => isQuiet, counted, problems },
  });
  const { begin } = behind;
  const depsOf = ({ store, bank: own }: ReturnType<typeof begin>) => {
    return { ...world.deps, store, bank: own, now, realNow: now, elapsedMs: () => time.now() };
  };

  const memory: PartnerMemory = { payIns: [], subscriptions: [], scheduled: [], count: 0 };
  const ask = ({ name, send }: Intent): Promise<void> =>
    track(async () => {
      for (let first: Answer | undefined, tries = 1; ; tries += 1) {
        const one = begin();
        const response = await Promise.race([send(depsOf(one)), one.died]);
        see(`${name.slice(0, name.indexOf(' '))} ${response === 'DIED' ? response : response.status}`);
        if (response !== 'DIED' && response.status < 500) {
          if (first !== undefined && first.text !== response.text && first.status === 201 && !name.startsWith('charge'))
            problems.push({ check: 'answer', text: `${name}: ${first.text} then ${response.text}` });
          if (first === undefined && response.status === 201 && name.startsWith('pay-in')) {
            const created = response.body as PayInAnswer & { readonly status: string };
            if (created.status === 'PENDING') {
              memory.payIns.push(created);
              behind.see(created);
            }
          }
          if (first === undefined && response.status === 201 && name.startsWith('subscription')) {
            const created = response.body as SubscriptionAnswer;
            if (created.status === 'PENDING_AUTHORIZATION') {
              memory.subscriptions.push(created);
              behind.seeRecurrence(created.providerId);
              if (created.initialCharge) behind.see(created.initialCharge);
            }
          }
          if (first === undefined && response.status === 201 && name.startsWith('charge'))
            memory.scheduled.push(response.body as { id: string; subscriptionId: string });
          if (first !== undefined || !draws.chance(0.2)) return;
          first = response;
        }
        // A bank that is away for long is asked less often.
        const isPatient = draws.chance(0.3) || tries > 10;
        await time.sleep(draws.between(100, isPatient ? 240_000 : 10_000));
      }
    });
  const next = (): Intent => {
    if (onlyPayouts) return nextPayout(draws, memory);
    return draws.chance(0.4) ? nextSubscriptionIntent(draws, account, memory) : nextIntent(draws, memory);
  };
  for (let count = 0; count < intents; count += 1) time.at(draws.between(0, busyMs), () => void ask(next()));

  for (let count = 0; hasClaims && count < disputeIntents; count += 1)
    time.at(draws.between(busyMs / 4, troubleMs), () => {
      const intent = nextDisputeIntent(draws, world.items(), memory);
      if (intent !== undefined) void ask(intent);
    });

  const kinds = (Object.keys(jobs) as JobKind[]).filter((kind) => mutation.forgets?.includes(kind) !== true);
  /** The messages of the queues: a run that reads the index is another process than those that do its jobs. */
  const queued = (): ReadonlyMap<DueKind, readonly DueWork[]> => {
    const until = now();
    const entries = world.items().flatMap((item) => dueEntry(item) ?? []);
    return Map.groupBy(
      entries.filter(({ dueAt }) => dueAt <= until),
      ({ kind }) => kind,
    );
  };
  /** The workers of a minute, each a process of its own. */
  const work = (isWhole = false): void => {
    const messages = queued();
    // What comes each minute while money is lacking, all through the quiet time, is not worth each run.
    const isSkipped = (kind: string): boolean => isQuiet && !isWhole && lasting.includes(kind) && !draws.chance(0.1);
    for (const kind of kinds.filter((known) => messages.has(known) && !isSkipped(known)))
      void track(async () => {
        see(`run ${kind}`);
        const { store, bank: own, died } = begin();
        const failed = (_where: unknown, error: unknown) => see(`failed ${kind} ${String(error)}`);
        const deps = { ...world.dueRun, store, now, ids: world.ids, bank: own as JobBank, remainingMs: leftOf(time) };
        const run = { ...deps, failed };
        const finished = workQueued(run, messages.get(kind)!, (_run, job) => doJob(run, jobs, job));
        await Promise.race([finished, died]);
      });
  };
  const everyMinute = (): void => {
    if (isQuiet) return;
    if (draws.chance(0.9)) work();
    time.at(time.now() + 60_000, everyMinute);
  };
  everyMinute();
  await time.run(troubleMs);
  isQuiet = true;
  let runs = 0;
  const kindsThatEnd = kinds.filter((kind) => !lasting.includes(kind));
  const workUntilQuiet = async (lastNewsAtMs: number): Promise<void> => {
    for (; runs < mostRuns && time.now() < troubleMs + quietMs; runs += 1) {
      const next = nextDue(world.items(), kindsThatEnd);
      if (next === undefined && underWay === 0 && time.now() > lastNewsAtMs) return;
      const soon = time.now() + 60_000;
      // Work that is due by now waits for the next minute; hours without work are skipped.
      const at = next === undefined || underWay > 0 ? soon : Math.max(soon, Date.parse(next) - beginsAt);
      await time.run(at);
      work();
    }
  };
  await workUntilQuiet(troubleMs + lastNewsMs);
  await time.run(time.now() + slowestCommandMs);
  await workUntilQuiet(time.now());
  await behind.readLists();
  // What the lists brought is worked, too.
  await workUntilQuiet(time.now());
  for (let minutes = 0; minutes < 3; minutes += 1) {
    await time.run(time.now() + 60_000);
    work(true);
  }
  await time.run(time.now() + 60_000);
  if (underWay > 0) problems.push({ check: 'left', text: `${underWay} calls are under way` });
  problems.push(...behind.check());
  world.clock.now = now();
  const certificates = await checkCertificates(world, draws, problems);
  return { problems, steps, commands: behind.commands(), certificates, seen };
}

/** What is left of a worker's time, from now on. */
function leftOf(time: VirtualTime): () => number {
  const end = time.now() + 50_000;
  // The end of a run waits by a timer of the machine's that the model has not: a run goes on, and begins nothing more.
  return () => (time.now() > end ? 0 : Infinity);
}

function nextDue(items: ReturnType<ReturnType<typeof bankWorld>['items']>, kinds: readonly string[]) {
  const times = items.flatMap((item) => {
    const entry = dueEntry(item);
    return entry !== undefined && kinds.includes(entry.kind) ? [entry.dueAt] : [];
  });
  return times.sort()[0];
}
