import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import { ListAccounts } from '#functions/accounts/list/contract.ts';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { plusDays } from '#shared/core/brasilia-time.ts';
import { brl, journey2, journey3, payIn, payout, scheduledPayment } from '#test/acceptance/samples.ts';
import type { AnyRequest } from '#infra/partner/api/client.ts';
import type { HttpResponse } from '#infra/partner/api/http.ts';
import { send } from '#test/support/client-http.ts';
import { tableAt } from '#test/support/engine.ts';
import type { Benched } from '../benched-environment.ts';
import { startBenched } from '../benched-environment.ts';
import type { BenchRun } from '../bench-run.ts';
import type { Figure } from '../figures.ts';
import { figureOf, median } from '../figures.ts';
import type { OperationName } from '../floor/captured-calls.ts';
import { captureCalls, operationNames } from '../floor/captured-calls.ts';
import type { FloorPlan } from '../floor/server.ts';
import type { Load } from '../load.ts';
import { loadWith } from '../load.ts';
import { cpuMs } from '../processes.ts';
import type { Computing, Threads } from './computing.ts';
import { countComputing, measureParts } from './computing.ts';

/** At ten connections: what a floor's throughput is to be reached of. QR codes are drawn beyond the floor's work. */
const targets: Partial<Record<OperationName, number>> = {
  'Create payout': 0.8,
  'Create pay-in': 0.6,
  'Create subscription, journey 2': 0.6,
  'Create subscription, journey 3': 0.6,
};
const subscriptions = 20;

/** Those whose computing is shared out. */
const sharedOut: Partial<Record<OperationName, { readonly prefix: string; readonly threads: Threads<'function'> }>> = {
  'Create payout': { prefix: 'payout: ', threads: { main: 'main', function: 'CreatePayoutFun' } },
  'Create pay-in': { prefix: 'pay-in: ', threads: { main: 'main', function: 'CreatePayInFunc' } },
};

/** Row 1: requests a second through HTTP, beside Node's server and the SDK with the same calls on the same engine. */
export async function measureApi(run: BenchRun): Promise<readonly Figure[]> {
  const benched = await startBenched(run);
  const floor = await startFloor(run, benched.dynamodb);
  const ask = await operations(benched);
  const durationMs = run.choose({ full: 1000, quick: 400, smoke: 40 });
  const figures: Figure[] = [];
  for (const name of operationNames) {
    for (const once of [ask[name], floor.ask(name)]) await loadWith(once, { connections: 10, durationMs });
    for (const connections of run.choose({ full: [1, 10, 50], quick: [1, 10, 50], smoke: [10] })) {
      run.tell(`${name}, ${connections} connections`);
      const shared = connections === 10 ? sharedOut[name] : undefined;
      const own: (Load & Used)[] = [];
      const least: (Load & Used)[] = [];
      const computing: Computing<'function'>[] = [];
      for (let round = 0; round < run.rounds; round += 1) {
        const computed = shared && countComputing(benched, shared.threads);
        const load = await loadAndCount(benched.processId, benched, ask[name], { connections, durationMs });
        own.push(load);
        if (computed) computing.push(computed(load.count));
        least.push(await loadAndCount(floor.processId, benched, floor.ask(name), { connections, durationMs }));
      }
      figures.push(throughput(name, connections, own, least));
      if (shared === undefined) continue;
      const parts = { ...shared, one: 'a request', measured: computing };
      const further = { connections, durationMs: 2 * durationMs };
      figures.push(...(await measureParts(run, benched, parts, () => loadWith(ask[name], further))));
    }
  }
  return figures;
}

/** Computing of a request, milliseconds: of the process that answers it, and of the engine. */
type Used = { readonly server: number; readonly engine: number };

async function loadAndCount(
  processId: number,
  { engineId }: Benched,
  ...[ask, limits]: Parameters<typeof loadWith>
): Promise<Load & Used> {
  const before = { server: cpuMs(processId), engine: cpuMs(engineId) };
  const load = await loadWith(ask, limits);
  const each = (used: number, of: keyof Used): number => (used - before[of]) / load.count;
  return { ...load, server: each(cpuMs(processId), 'server'), engine: each(cpuMs(engineId), 'engine') };
}

function throughput(
  name: OperationName,
  at: number,
  own: readonly (Load & Used)[],
  least: readonly (Load & Used)[],
): Figure {
  const middle = (of: (one: Load & Used) => number, rounds = own): string => median(rounds.map(of)).toFixed(1);
  const used = (rounds = own): string =>
    `${middle(({ server }) => server, rounds)} ms, engine ${middle(({ engine }) => engine, rounds)} ms`;
  const atLeast = at === 10 ? targets[name] : undefined;
  return figureOf(
    own.map(({ perSecond }) => perSecond),
    {
      what: name,
      at,
      unit: 'requests/s',
      against: { what: 'HTTP server and SDK, the same calls', rounds: least.map(({ perSecond }) => perSecond) },
      beside: `p50 ${middle(({ p50Ms }) => p50Ms)} ms, p99 ${middle(({ p99Ms }) => p99Ms)} ms; computing a request: service ${used()}; floor ${used(least)}`,
      ...(atLeast !== undefined && { target: { of: 'ratio', atLeast } }),
    },
  );
}

/** The floor on a table of its own at the same engine: how to ask it for what an operation does. */
async function startFloor(
  run: BenchRun,
  endpoint: string,
): Promise<{ readonly ask: (name: OperationName) => () => Promise<void>; readonly processId: number }> {
  const table = await tableAt(endpoint, 'floor');
  const plan: FloorPlan = { endpoint, operations: await captureCalls(table.client, table.tableName) };
  const server = fork(fileURLToPath(import.meta.resolve('../floor/server.ts')), { serialization: 'advanced' });
  run.atEnd(() => {
    server.disconnect();
  });
  server.send(plan);
  const [port] = (await once(server, 'message')) as [number];
  const body = JSON.stringify(payout(crypto.randomUUID()));
  const ask = (name: OperationName) => async (): Promise<void> => {
    const answer = await send(`http://127.0.0.1:${port}`, {
      method: 'POST',
      path: `/${encodeURIComponent(name)}`,
      body,
    });
    if (answer.status !== 200) throw new Error(`The floor of "${name}" answered ${answer.status}: ${answer.text}`);
  };
  return { ask, processId: server.pid ?? Number.NaN };
}

/** The same operations as requests to the environment. */
async function operations({ partner, accountId }: Benched): Promise<Record<OperationName, () => Promise<unknown>>> {
  await partner.token();
  const made: string[] = [];
  const accepted: string[] = [];
  const more = { webhookUrl: 'http://127.0.0.1:9/', frequencyType: 'WEEKLY' } as const;
  while (accepted.length < subscriptions) {
    const { id } = (await partner.call(CreateSubscription, { body: journey2(accountId, more) })).body;
    await partner.call(ForceSubscriptionStatus, { body: { id, status: 'ACCEPTED' } });
    accepted.push(id);
  }
  let payments = 0;
  const ok = async (contract: Parameters<typeof partner.answer>[0], ask?: AnyRequest): Promise<HttpResponse> => {
    const answer = await partner.answer(contract, ask);
    if (answer.status > 201) throw new Error(`${contract.operationId} answered ${answer.status}: ${answer.text}`);
    return answer;
  };
  return {
    'Create payout': async () => {
      const { text } = await ok(CreatePayout, { body: payout(accountId, { amount: brl('0.01') }) });
      made.push((JSON.parse(text) as { id: string }).id);
    },
    'Get payout': () => ok(GetPayout, { params: { id: made[(payments += 1) % made.length] ?? '' } }),
    'Create pay-in': () => ok(CreatePayIn, { body: payIn(accountId) }),
    'Create subscription, journey 2': () => ok(CreateSubscription, { body: journey2(accountId, more) }),
    'Create subscription, journey 3': () => ok(CreateSubscription, { body: journey3(accountId, more) }),
    'Schedule a payment': () => {
      const place = (payments += 1);
      const dueDate = plusDays('2030-01-10', 7 * Math.floor(place / subscriptions));
      const id = accepted[place % subscriptions] ?? '';
      return ok(CreateScheduledPayment, { params: { id }, body: scheduledPayment({ dueDate }) });
    },
    'List accounts': () => ok(ListAccounts),
  };
}
