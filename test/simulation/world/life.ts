import { allowRepetition } from '#infra/operator/bank.ts';
import { releaseNotifications } from '#infra/operator/webhooks.ts';
import { setAccountStatus } from '#infra/operator/accounts/accounts.ts';
import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import { parseDispute } from '#shared/disputes/store.ts';
import { beginsAt, instantOf } from '#test/model/bank-books.ts';
import { lasting } from '#test/model/bank-checks.ts';
import { checkQuiet } from '../checks/quiet.ts';
import { checkWaiting } from '../checks/waiting.ts';
import { startCrowd } from '../crowd/crowd.ts';
import type { Remembered } from '../crowd/memory.ts';
import { newMemory } from '../crowd/memory.ts';
import type { Company, CrowdWorld } from '../crowd/world-types.ts';
import type { Weather } from './actors.ts';
import type { Covered } from './coverage.ts';
import { beUnlucky } from './chance.ts';
import { addCompany, endpointsOf, operatorDeps } from './companies.ts';
import type { Found } from './history.ts';
import { realElapsedMs } from './machine.ts';
import type { World } from './world.ts';
import { calm, makeWorld } from './world.ts';

export type LifeOptions = {
  readonly seed: number;
  /** Of the crowd and the storm, until all becomes quiet. */
  readonly steps: number;
  /** Crowd and storm come again after each quiet, until so many days have passed; once without. */
  readonly days?: number;
  readonly companies: number;
  readonly faults: 'none' | 'some' | 'all';
  /** Tells which lines of the service ran. */
  readonly isCovered?: boolean;
};

export type Life = LifeOptions & {
  readonly stepCount: number;
  readonly seconds: number;
  readonly livedDays: number;
  /** How often all was quiet, and everything that must hold then was checked. */
  readonly quietCount: number;
  readonly digest: string;
  readonly found: readonly (Found & { readonly last: readonly string[] })[];
  readonly counts: Readonly<Record<string, number>>;
  readonly covered?: Readonly<Record<string, Covered>>;
};

/** Beginnings near which something happens to dates: a noon, midnight, 21:00, ends of months and years, 29 February. */
const beginnings = [
  '2026-01-15T15:00:00.000Z',
  '2026-03-31T20:00:00.000Z',
  '2028-02-28T21:00:00.000Z',
  '2026-12-31T12:00:00.000Z',
  '2027-02-26T23:40:00.000Z',
  '2026-05-30T02:50:00.000Z',
].map((text) => Date.parse(text) - beginsAt);

const storms: Readonly<Record<LifeOptions['faults'], readonly Weather[]>> = {
  none: [calm],
  some: [
    {
      crash: 0.0005,
      unavailable: 0.002,
      indexLag: 0.1,
      lostAnswer: 0.01,
      schedule: 0.01,
      queue: 0.05,
      ...{ standstill: 0.0001, outage: 0.003 },
    },
    {
      crash: 0.003,
      unavailable: 0.005,
      indexLag: 0.3,
      lostAnswer: 0.03,
      schedule: 0.05,
      queue: 0.2,
      ...{ standstill: 0.0005, outage: 0.005 },
    },
  ],
  all: [
    {
      crash: 0.01,
      unavailable: 0.01,
      indexLag: 0.5,
      lostAnswer: 0.1,
      schedule: 0.2,
      queue: 0.5,
      ...{ standstill: 0.0005, outage: 0.01 },
    },
    {
      crash: 0.002,
      unavailable: 0.05,
      indexLag: 0.2,
      lostAnswer: 0.05,
      schedule: 0.1,
      queue: 0.3,
      ...{ standstill: 0.003, outage: 0.005 },
    },
    {
      crash: 0.03,
      unavailable: 0.003,
      indexLag: 0.9,
      lostAnswer: 0.2,
      schedule: 0.4,
      queue: 0.9,
      ...{ standstill: 0.001, outage: 0.02 },
    },
  ],
};

const paceMs = 9_000;
const day = 86_400_000;
/** After the crowd everything ends by itself within so long. */
const quietMs = 45 * day;

/** One life of the service, all of it from one seed: the crowd and the storm, then quiet, then what must hold. */
export async function live(options: LifeOptions): Promise<Life> {
  const began = realElapsedMs();
  const pick = <T>(values: readonly T[], by: number): T => values[Math.floor(options.seed / by) % values.length]!;
  const startMs = pick(beginnings, 1);
  const world = await makeWorld({ seed: options.seed, startMs, faultSchedule: pick(storms[options.faults], 2) });
  const { time, history } = world;
  const companies: Company[] = [];
  for (let place = 0; place < options.companies; place += 1)
    companies.push(await addCompany(world, place % 2 === 0 ? 'TOOLS' : 'BANK', place));
  if (options.seed % 2 === 0) beUnlucky();
  const isFound = (): boolean => history.found.length > 0;
  let lastStep = options.steps;
  const isOver = (): boolean => history.step() >= lastStep || isFound();
  world.begin(() => {
    if (!isOver()) checkWaiting(world);
  });
  const memories = companies.map(newMemory);
  const endMs = startMs + (options.days ?? 0) * day;
  let quietCount = 0;
  do {
    world.storm();
    lastStep = history.step() + options.steps;
    await actUntil(world, companies, { isOver, isFound, memories });
    if (!isFound()) await becomeQuiet(world, companies, isFound);
    if (isFound()) break;
    await checkQuiet(world, companies);
    quietCount += 1;
  } while (time.now() < endMs && !isFound());
  countDisputes(world);
  return {
    ...options,
    stepCount: history.step(),
    seconds: (realElapsedMs() - began) / 1000,
    livedDays: (time.now() - startMs) / day,
    quietCount,
    digest: history.digest(),
    found: history.found.map((one) => ({ ...one, last: history.lastOf(one.ids) })),
    counts: Object.fromEntries([...history.counts].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

type Acting = {
  readonly isOver: () => boolean;
  readonly isFound: () => boolean;
  /** What the partners remember, in the order of the companies. */
  readonly memories: readonly Remembered[];
};

/** The crowd, until it is over. */
async function actUntil(world: World, companies: readonly Company[], acting: Acting): Promise<void> {
  const { isOver, isFound, memories } = acting;
  let isEnded = false;
  void startCrowd(crowdWorldOf(world, companies), { isOver, paceMs, memories }).then(
    () => {
      isEnded = true;
    },
    (error: unknown) => {
      world.finding('the actors do not fail', String(error instanceof Error ? error.stack : error), []);
    },
  );
  await world.time.run(Infinity, () => isEnded || isFound());
}

/** How disputes ended: what went back of what was claimed. */
function countDisputes({ table, history }: World): void {
  for (const item of table.memory.all()) {
    if (item['entity'] !== 'DISPUTE') continue;
    const { connection, status, amount, returnedAmount } = parseDispute(item);
    const bank = connection === undefined ? 'the simulated bank' : 'a connected bank';
    const back = returnedAmount === 0 ? 'nothing' : returnedAmount < amount ? 'a part' : 'all';
    history.met(`dispute at ${bank}: ${status}, ${back} went back`);
  }
}

/** Nothing fails any more, nothing is held, every account is open: whatever was begun must end. */
async function becomeQuiet(world: World, companies: readonly Company[], isFound: () => boolean): Promise<void> {
  const { time } = world;
  world.calm();
  const clear = async (): Promise<void> => {
    await time.sleep(120_000);
    for (const company of companies) await makeWell(world, company);
    isClear = true;
  };
  let isClear = false;
  void clear();
  const end = time.now() + quietMs;
  const isDone = (): boolean => isFound() || (isClear && isIdle(world));
  while (time.now() < end && !isDone()) {
    await time.run(Math.min(end, time.now() + day / 24), isFound);
    for (const company of companies) await allowOpen(world, company);
  }
  // What the bank tells last, and letters that became stale in the last moment.
  await time.run(time.now() + day, isFound);
}

async function makeWell(world: World, { companyId, accounts, send }: Company): Promise<void> {
  const deps = operatorDeps(world);
  const [endpoint = ''] = endpointsOf(world, companyId);
  await releaseNotifications(deps, { companyId });
  for (const each of endpointsOf(world, companyId)) await releaseNotifications(deps, { companyId, endpoint: each });
  for (const accountId of accounts)
    await setAccountStatus(deps, { companyId, accountId, status: 'ACTIVE' }).catch(() => undefined);
  const events = (['PAYIN', 'PAYIN_REFUND', 'PAYOUT', 'CREDIT', 'DISPUTE'] as const).map((type) => ({
    type,
    endpoint,
    status: 'ACTIVE',
  }));
  for (let tries = 0; tries < 5; tries += 1) {
    const response = await send({ contract: ReplaceWebhookSettings, body: { events } });
    if (response !== 'LOST' && response.status === 200) return;
    await world.time.sleep(70_000);
  }
  world.finding('without faults a partner can set its endpoints', companyId, [companyId]);
}

/** What a bank may carry out again waits for an operator. */
async function allowOpen(world: World, { companyId }: Company): Promise<void> {
  for (const reference of world.openCommands(companyId))
    await allowRepetition({ store: world.table.memory }, { companyId, reference });
}

/** Nothing of a bank or a notification is due, queued or under way. The tools' companies may always have due work. */
function isIdle({ known: { due }, queues, actors, isAwaited, time }: World): boolean {
  const { deliveries, drains, due: jobs } = queues;
  const isQueued = [deliveries, drains, ...jobs.values()].some(({ messages }) => messages.size > 0);
  if (isQueued || actors.living.size > 0) return false;
  const limit = time.now() + quietMs;
  for (const [place, { kind, atMs }] of due.due) {
    if (isAwaited(place, kind) && !lasting.includes(kind) && atMs < limit) return false;
  }
  return true;
}
function crowdWorldOf(world: World, companies: readonly Company[]): CrowdWorld {
  const { draws, time, actors, history, holders, banks, nights, openCommands, finding } = world;
  return {
    ...{ draws, companies, openCommands, finding, hasOperators: true },
    now: () => time.now(),
    sleep: (ms) => time.sleep(ms),
    restsUntil: nights.restsUntil,
    at: (ms, work) => void time.at(ms, work),
    realNow: () => instantOf(Math.floor(time.now())),
    endpointsOf: (companyId) => endpointsOf(world, companyId),
    codeFor: (address) => holders.codeFor(address),
    operate: async (name, work) => {
      history.add(`operator ${name}`, '');
      const result = await actors.invoke({ name: `operator ${name}`, timeoutMs: 60_000 }, () =>
        work(operatorDeps(world)),
      );
      if (result !== undefined && 'error' in result) history.met(`operator ${name}: ${String(result.error)}`);
      return result !== undefined && 'ended' in result ? result.ended : undefined;
    },
    received: (companyId) => banks.of(companyId)?.received() ?? [],
    seePayIn: (companyId, conciliationId) => {
      banks.of(companyId)?.payers.see({ conciliationId });
    },
    seeRecurrence: (companyId, providerId) => {
      banks.of(companyId)?.recurring.seeRec(providerId);
    },
  };
}
