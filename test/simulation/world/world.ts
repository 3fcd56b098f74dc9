import { workerNames, workers } from '#functions/workers.ts';
import { parentOrderId } from '#shared/core/identifiers.ts';
import { parsePayout } from '#shared/payouts/store.ts';
import { companyOf } from '#shared/platform/company.ts';
import { randomIds } from '#shared/platform/ids.ts';
import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import { bankSettings, settings } from '#shared/platform/settings.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { keyOf } from '#shared/platform/table/store.ts';
import { parseWebhookSecret } from '#shared/webhooks/settings-store.ts';
import type { Draws } from '#test/model/bank-books.ts';
import { beginsAt, drawsOf, instantOf } from '#test/model/bank-books.ts';
import { lasting } from '#test/model/bank-checks.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';
import { chances, virtualTime } from '#test/model/virtual-time.ts';
import { limitedStore } from '#test/support/rights.ts';
import { addressChecks } from '../checks/addresses.ts';
import { answerChecks } from '../checks/answers.ts';
import { followMove } from '../checks/following.ts';
import { logChecks } from '../checks/logs.ts';
import { writeChecks } from '../checks/writes.ts';
import { isPersonal } from '../crowd/people.ts';
import type { Actor, Actors, Weather } from './actors.ts';
import { actorsOf, standstillsMs } from './actors.ts';
import { banksOf } from './banks.ts';
import { setWorld } from './current.ts';
import { expiryOf } from './expiry.ts';
import type { Functions } from './functions.ts';
import { loadFunctions } from './functions.ts';
import type { Exchange } from './gateway.ts';
import { gatewayOf } from './gateway.ts';
import type { History } from './history.ts';
import { historyOf } from './history.ts';
import { issuerOf } from './issuer.ts';
import { install, settled } from './machine.ts';
import { callbacksOf } from './news.ts';
import { nightsOf } from './nights.ts';
import { openCommands } from './open-commands.ts';
import { outagesOf } from './outages.ts';
import { holdersOf, namesOf } from './outside.ts';
import { consumeQueues, readersOf } from './pipelines.ts';
import { queuesOf } from './queues.ts';
import type { Taken } from './receivers.ts';
import { receiversOf } from './receivers.ts';
import { rightsJudge } from './rights.ts';
import type { Hours } from './scheduler.ts';
import { dueOf, openMinute, scheduleWorkers } from './scheduler.ts';
import { setVariables } from './settings.ts';
import type { Change } from './table.ts';
import { tableOf } from './table.ts';
import { troublesOf } from './troubles.ts';

export const calm: Weather = {
  ...{ crash: 0, unavailable: 0, indexLag: 0, lostAnswer: 0, schedule: 0, queue: 0 },
  ...{ standstill: 0, outage: 0 },
};
export type World = Awaited<ReturnType<typeof makeWorld>>;
type Options = { readonly seed: number; readonly startMs: number; readonly faultSchedule: Weather };

/** Milliseconds that a drain is given where its end is to come early. */
const drainsMs = [25_000, 60_000, 900_000] as const;

/** Kinds of work for which partners and holders wait, at every bank. */
const toPartners = new Set<string>(['DELIVERY', 'BACKLOG', 'DELIVERY_RESEND', 'KEY_CODE', openMinute]);

/** The whole service in one process, on a clock and by the chance of one seed. */
export async function makeWorld({ seed, startMs, faultSchedule: storm }: Options) {
  setVariables(seed);
  const random = chances(seed);
  const time = virtualTime(startMs, settled);
  const draws = drawsOf(random);
  const history = historyOf(time);
  const { finding, add, met } = history;
  install(time, random, logChecks(finding, isPersonal));
  const functions = await loadFunctions();
  let isCalm = false;
  const faultSchedule = (): Weather => (isCalm ? calm : storm);
  const actors = actorsOf(time, draws, faultSchedule, {
    died: ({ name }, where) => {
      add('death', `${name} ${where}`);
    },
    met,
  });
  const rights = rightsJudge(actors, history);
  const outages = outagesOf(time, draws, {
    faultSchedule,
    met,
    names: workerNames.filter((name) => name !== 'authorizer'),
  });
  const troubles = troublesOf(time, actors);
  const runWorker = workerRunner(time, actors, {
    ...{ functions, outages, troubles },
    // In half of the lives drains end in the middle of their work.
    timeoutOf: (name, most) => (name === 'drain-backlogs' && !isCalm && seed % 4 < 2 ? draws.one(drainsMs) : most),
  });
  const stream = readersOf(time, draws, { runWorker, add, rights });
  const known = knowledgeOf(time, history, (subscriptionId) => {
    followMove({ time, table, known, troubles, finding }, subscriptionId);
  });
  const twin = tableOf(time, draws, {
    ...{ actors, faultSchedule },
    listeners: {
      touched: known.writes.touched,
      inserted: (item) => {
        stream.record('INSERT', item);
        known.inserted(item);
      },
      removed: (item) => {
        stream.record('REMOVE', item);
      },
      committed: known.committed,
    },
  });
  const table = { ...twin, store: limitedStore(twin.store, rights.ask) };
  const outside = outsideOf(time, draws, faultSchedule, { ...known, ...history });
  const queues = queuesOf(time, draws, faultSchedule, settings().deliveries, {
    notifier: workers['deliver-notification'].timeoutSeconds,
    drainer: workers['drain-backlogs'].timeoutSeconds,
  });
  consumeQueues(queues, draws, faultSchedule, { runWorker, add, rights });
  const itemsOf = (companyId: string, entity: string): readonly Item[] =>
    table.memory.all().filter((item) => item['entity'] === entity && companyOf(item) === companyId);
  const { store } = table;
  /** None where the bank knows a repetition for one. */
  const waitingCommands = (companyId: string): readonly string[] =>
    banks.of(companyId)?.repetition === 'CARRIED_OUT_AGAIN'
      ? openCommands(
          table.memory.all().filter((item) => companyOf(item) === companyId),
          instantOf(Math.floor(time.now())),
        )
      : [];
  const notify = callbacksOf(time, draws, {
    ...{ actors, store, add, finding, itemsOf, isCalm: () => isCalm },
    choose: (ports) => banks.choose(ports),
  });
  const banks = banksOf({
    ...{ time, draws, actors, faultSchedule, tell: notify, store, ids: randomIds, settings: bankSettings(), told: met },
    ...{ ask: rights.ask, finding },
    ownAccount: (companyId, reference) => known.internal.get(keys.order(companyId, parentOrderId(reference)).PK),
  });
  const answered = (exchange: Exchange): void => {
    known.answered(exchange, banks.of(exchange.companyId) === undefined);
  };
  const request = gatewayOf(time, draws, { actors, functions, faultSchedule, answered, counted: add });
  /** Whether a due item must end: an item that only the tools change may stay due. */
  const isAwaited = (place: string, kind: string): boolean =>
    toPartners.has(kind) || banks.of(place.split(/[# ]/u)[1] ?? '') !== undefined;
  setWorld({ time, actors, rights, table, queues, banks, ...outside });
  const nights = nightsOf(time, draws);
  const expiry = expiryOf(time, draws, {
    store: { ...table.watched, all: table.memory.all },
    finding,
    met,
    isOpen: known.due.isOpen,
  });
  const hours = (): Hours => (isCalm ? 'QUIET' : nights.isNight() ? 'NIGHT' : 'DAY');
  return {
    ...{ time, draws, history, actors, table, queues, banks, known, request, finding, isAwaited, ...outside },
    ...{ nights, outages, troubles, expiry, openCommands: waitingCommands },
    /** Nothing goes wrong any more, until the next storm. */
    calm: (): void => {
      isCalm = true;
      outages.heal();
      outside.issuer.heal();
      outside.receivers.behaveWell(true);
    },
    storm: (): void => {
      isCalm = false;
      outside.receivers.behaveWell(false);
    },
    /** @param atDawn called at the end of each night */
    begin: (atDawn: () => void): void => {
      outages.begin();
      expiry.begin();
      nights.begin(() => {
        if (!isCalm) atDawn();
        outages.dawn();
        banks.dawn();
      });
      scheduleWorkers(time, draws, {
        ...{ faultSchedule, due: known.due, hours },
        // What comes each minute while money is lacking, all through nights and quiet times, is not worth each run.
        isWorth: (place, kind) =>
          hours() === 'DAY' || (isAwaited(place, kind) && (!lasting.includes(kind) || draws.chance(0.1))),
        run: (name) => {
          add(name, '');
          void runWorker(name, {});
        },
      });
    },
  };
}

/** Runs a worker as an invocation of its own; undefined when it died or failed. */
function workerRunner(
  time: VirtualTime,
  actors: Actors,
  {
    functions,
    outages,
    troubles,
    timeoutOf,
  }: {
    readonly functions: Functions;
    readonly outages: ReturnType<typeof outagesOf>;
    readonly troubles: ReturnType<typeof troublesOf>;
    /** How long an invocation may take, of so long at most. */
    readonly timeoutOf: (name: WorkerName, most: number) => number;
  },
) {
  return async (name: WorkerName, event: unknown): Promise<unknown> => {
    if (outages.isOut(name)) {
      troubles.ended(name, undefined);
      return undefined;
    }
    const { handle, timeoutMs: most } = functions.workers.get(name)!;
    const timeoutMs = timeoutOf(name, most);
    const endsMs = time.now() + timeoutMs;
    const context = { getRemainingTimeInMillis: () => endsMs - time.now() };
    const result = await actors.invoke({ name, timeoutMs }, () => handle(event, context));
    const finished = result === undefined || 'error' in result ? undefined : result;
    troubles.ended(name, finished);
    return finished && (finished.ended ?? null);
  };
}

/** What was signed has arrived within so long, even if its process stood still. */
const underWayMs = Math.max(...standstillsMs) + 30_000;

/** What the world knows of the table by watching it, and its checks. */
function knowledgeOf(time: VirtualTime, { finding, met }: History, moved: (subscriptionId: string) => void) {
  const now = (): string => instantOf(Math.floor(time.now()));
  const writes = writeChecks(
    finding,
    (row) => {
      met(`transition ${row}`);
    },
    now,
  );
  const responses = answerChecks(finding);
  const addresses = addressChecks(finding, time.now, moved);
  const due = dueOf();
  const secrets = new Map<string, readonly string[]>();
  /** Accounts of the company that payouts lead to, by their partition. */
  const internal = new Map<string, string | undefined>();
  /** Companies whose notifications an operator held at some time, all or those to one address. */
  const holds = new Set<string>();
  /** API clients that are disabled, by their partition, each since then. */
  const disabled = new Map<string, number>();
  /** The watchers of a company's new items. */
  const watchers = new Map<string, (item: Item) => void>();
  /** A receiver knows the secret that signs now, and those before it while calls may be under way. */
  const follow = (item: Item): void => {
    const { companyId, current } = parseWebhookSecret(item);
    const before = secrets.get(companyId) ?? [];
    if (before[0] === current) return;
    secrets.set(companyId, [current, ...before]);
    time.at(time.now() + underWayMs, () => {
      secrets.set(companyId, (secrets.get(companyId) ?? []).slice(0, 1));
    });
  };
  return {
    ...{ writes, addresses, due, secrets, internal, holds, disabled, watchers },
    inserted: (item: Item): void => {
      const companyId = companyOf(item);
      if (companyId === undefined) return;
      if (typeof item['id'] === 'string') responses.owns(item['id'], companyId);
      if (item['entity'] === 'PAYOUT') internal.set(item.PK, parsePayout(item).internal?.accountId);
      watchers.get(companyId)?.(item);
    },
    committed: (changes: readonly Change[], actor: Actor | undefined): void => {
      for (const { write, after } of changes) {
        const { PK, SK } = keyOf(write);
        due.changed(`${PK} ${SK}`, after);
        if (after?.['entity'] === 'WEBHOOK_SECRET') follow(after);
        if (after?.['entity'] !== 'API_CLIENT' || after['status'] === 'ACTIVE') disabled.delete(PK);
        else disabled.set(PK, time.now());
        if (isHold(after)) holds.add(companyOf({ PK, SK }) ?? '');
      }
      writes.committed(changes, actor);
      addresses.committed(changes, actor);
    },
    answered: (exchange: Exchange, isTools: boolean): void => {
      const { actor, contract, response } = exchange;
      met(`answer ${contract.operationId} ${response.statusCode}`);
      responses.answered(exchange);
      const isRepeated = response.headers['idempotent-replayed'] === 'true';
      if (isTools && actor.isUntouched && response.statusCode < 300 && !isRepeated)
        met(`cost ${contract.operationId} ${JSON.stringify(costOf(actor))}`);
    },
  };
}

/** By the columns of docs/capacity.md. */
function costOf({ calls, units }: Actor): readonly number[] {
  return [calls.reads, units.reads, calls.writes, units.writes];
}

function isHold(item: Item | undefined): boolean {
  if (item?.['entity'] === 'WEBHOOK_SETTINGS') return item['heldSince'] !== undefined;
  return item?.['entity'] === 'WEBHOOK_HEALTH' && JSON.stringify(item).includes('"OPERATOR"');
}

/** What lies outside the service: names, holders of keys, the token issuer, the partners' receivers. */
function outsideOf(
  time: VirtualTime,
  draws: Draws,
  faultSchedule: () => Weather,
  {
    secrets,
    writes,
    finding,
    add,
  }: Pick<ReturnType<typeof knowledgeOf>, 'secrets' | 'writes'> & Pick<History, 'finding' | 'add'>,
) {
  const issuer = issuerOf(time, draws, faultSchedule, () => beginsAt + Math.floor(time.now()));
  Object.assign(globalThis, { fetch: issuer.fetch });
  const taken: Taken[] = [];
  const receivers = receiversOf(time, draws, {
    secretsOf: (companyId) => secrets.get(companyId) ?? [],
    claimsOf: writes.claimsOf,
    taken: (one) => {
      add('receiver', `${one.host} ${one.webhookId} ${one.isAcknowledged}`);
      taken.push(one);
    },
    finding,
  });
  return {
    issuer,
    receivers,
    taken,
    names: namesOf(time, draws, faultSchedule),
    holders: holdersOf(draws, faultSchedule),
  };
}
