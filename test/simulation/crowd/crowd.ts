import { brasiliaDate, plusMilliseconds } from '#shared/core/brasilia-time.ts';
import type { Route } from '#functions/routes.ts';
import { routes } from '#functions/routes.ts';
import { hostileBodies } from './hostile.ts';
import { learn } from './learn.ts';
import type { Remembered } from './memory.ts';
import { newMemory } from './memory.ts';
import { blockBeside, claimBack, operate, tend } from './operators.ts';
import type { Wish } from './moment.ts';
import { requests } from './requests.ts';
import type { Company, CrowdWorld, Received, Sent } from './world-types.ts';

/** Requests of a company that are under way at most: a partner has as many connections. */
const mostAtOnce = 10;
/** How often each operation is drawn beside 2. */
const weights: Readonly<Record<string, number>> = {
  ...{ createPayIn: 14, createPayout: 18, createSubscription: 10, createScheduledPayment: 16, refundPayIn: 8 },
  ...{ forceOrderStatus: 22, forceSubscriptionStatus: 12, forceScheduledPaymentStatus: 24, setClock: 5, resetClock: 1 },
  ...{ receiveCredit: 6, returnCredit: 5, assignCredit: 5, forceDisputeStatus: 8, defendDispute: 3 },
  ...{
    getSubscription: 8,
    createPixKey: 4,
    confirmPixKey: 7,
    listWebhookDeliveries: 3,
    cancelSubscription: 3,
    updateSubscription: 6,
    replaceWebhookSettings: 1,
  },
  ...{ rotateWebhookSecret: 1, cancelScheduledPayment: 4 },
};

type Program = { readonly company: Company; readonly memory: Remembered; underWay: number };

type CrowdOptions = {
  readonly isOver: () => boolean;
  /** Between two requests of a company, on the average. */
  readonly paceMs: number;
  /** What the partners remember, in the order of the companies; default: nothing. */
  readonly memories?: readonly Remembered[];
  /** Whether the partners request an operation now; default: all of them. */
  readonly asks?: (operationId: string) => boolean;
};

/**
 * Partners as programs, with operators among them: from now on each company draws requests, until it is over. Ends when
 * nothing is under way any more.
 */
export async function startCrowd(
  world: CrowdWorld,
  { isOver, paceMs, memories = [], asks = () => true }: CrowdOptions,
): Promise<void> {
  for (const { contract } of routes)
    if (requests[contract.operationId] === undefined)
      throw new Error(`No simulated partner requests ${contract.operationId}.`);
  const hostile = hostileBodies(world.draws);
  const under = new Set<Promise<void>>();
  const track = (work: Promise<void>): void => {
    under.add(work);
    void work.finally(() => under.delete(work));
  };
  const programs = world.companies.map((company, place): Program => {
    return { company, memory: memories[place] ?? newMemory(), underWay: 0 };
  });
  const run = async (program: Program): Promise<void> => {
    const all = drawnBy(program.company);
    while (!isOver()) {
      await world.sleep(Math.max(0, world.restsUntil() - world.now()) + world.draws.between(1, 2 * paceMs));
      if (world.hasOperators && world.draws.chance(0.01)) track(operate(world, program.company));
      if (program.company.kind === 'BANK' && world.draws.chance(0.1)) track(claimBack(world, program.company));
      if (program.underWay >= mostAtOnce) continue;
      program.underWay += 1;
      const drawn = all.filter(({ contract }) => asks(contract.operationId));
      track(
        intend(world, program, { route: world.draws.one(drawn), programs, hostile }).finally(() => {
          program.underWay -= 1;
        }),
      );
    }
  };
  const tended = world.hasOperators ? world.companies.map((company) => tend(world, company, isOver)) : [];
  await Promise.all([...programs.map(run), ...tended]);
  while (under.size > 0) await Promise.all(under);
}

function drawnBy({ kind }: Company): readonly Route[] {
  return routes
    .filter((route) => kind === 'TOOLS' || route.simulation !== true)
    .flatMap((route) => Array.from({ length: weights[route.contract.operationId] ?? 2 }, () => route));
}

type Intention = {
  readonly route: Route;
  readonly programs: readonly Program[];
  readonly hostile: ReturnType<typeof hostileBodies>;
};

/** One wish of a partner, in one of the ways in which partners ask. */
async function intend(world: CrowdWorld, program: Program, { route, programs, hostile }: Intention): Promise<void> {
  const { draws } = world;
  const { contract } = route;
  const wish = wishOf(world, program, contract.operationId);
  const sent: Sent = { contract, ...wish };
  const way = draws.between(0, 100);
  const asked = typeof wish.body === 'object' && wish.body !== null ? wish.body : {};
  if (way < 6) return race(world, program, sent);
  if (contract.operationId === 'confirmPixKey' && way < 20) return guess(world, program, sent);
  if (way < 8) return useKeyAgain(world, program, sent);
  if (way < 9) return useCursorElsewhere(world, program);
  if (way < 11 && 'externalId' in asked) return useExternalIdAgain(world, program, sent);
  if (way < 14) {
    const stranger = draws.one(programs);
    const otherCompanyRequest = wishOf(world, { ...program, memory: stranger.memory }, contract.operationId);
    const response = await ask(world, program, { contract, ...otherCompanyRequest }, stranger === program);
    const { cursor } = (otherCompanyRequest.query ?? {}) as { cursor?: string };
    if (stranger !== program && cursor !== undefined && response?.status === 200)
      world.finding(
        'a cursor belongs to one company',
        `${contract.operationId} accepts ${cursor} of another company`,
        [],
      );
    return;
  }
  if (way < 18) return raceMoves(world, program, draws.chance(0.5));
  if (way < 20 && program.company.kind === 'TOOLS') {
    const fault = draws.one(['lost-reply', 'unavailable', 'too-many-requests', 'slow=900', 'nothing-known']);
    await ask(world, program, { ...sent, headers: { 'x-simulate': fault } });
    return;
  }
  const isHostile = way < 30 && contract.method !== 'GET';
  if (!isHostile) {
    await ask(world, program, sent);
    return;
  }
  const drawn = hostile(contract.operationId);
  const body = program.company.kind === 'BANK' ? withinQuiet(drawn, wish.body) : drawn;
  await ask(world, program, { ...sent, body }, false);
}

/** What a bank settles by itself must end within the quiet: the day of a charge is that of a valid request. */
function withinQuiet(body: unknown, valid: unknown): unknown {
  if (typeof body === 'string' && body.includes('dueDate')) return {};
  if (typeof body !== 'object' || body === null || !('dueDate' in body)) return body;
  return { ...body, dueDate: (valid as { dueDate?: string }).dueDate };
}

function wishOf(
  world: CrowdWorld,
  { company, memory }: Pick<Program, 'company' | 'memory'>,
  operationId: string,
): Wish {
  memory.count += 1;
  const now = plusMilliseconds(world.realNow(), company.kind === 'TOOLS' ? memory.clockMs : 0);
  const moment = { world, company, memory, draws: world.draws, now, today: brasiliaDate(now) };
  return requests[operationId]!({ ...moment, fresh: `${company.companyId.slice(0, 6)}-${memory.count}` });
}

/** Equal concurrent requests: all have one response. Or the same key with another body: one of them is refused. */
async function race(world: CrowdWorld, program: Program, sent: Sent): Promise<void> {
  const others = Array.from({ length: world.draws.between(1, 3) }, () => sent);
  const responses = await Promise.all([sent, ...others].map((one) => ask(world, program, one)));
  const bodies = new Set(responses.flatMap((response) => (response?.status === 201 ? [response.text] : [])));
  if (sent.key !== undefined && bodies.size > 1)
    world.finding(
      'a repeated key returns the first response',
      `${sent.contract.operationId}: ${[...bodies].join(' and ')}`,
      [],
    );
}

/** A key that was used for one request is refused for another. */
async function useKeyAgain(world: CrowdWorld, program: Program, sent: Sent): Promise<void> {
  const first = await ask(world, program, sent);
  const { body, key, contract } = sent;
  if (first?.status !== 201 || key === undefined || typeof body !== 'object' || body === null) return;
  const other = wishOf(world, program, contract.operationId);
  const again = await ask(world, program, { ...sent, ...other, key }, false);
  const isSame = JSON.stringify([other.body, other.params]) === JSON.stringify([body, sent.params]);
  if (again !== undefined && !isSame && again.status < 300)
    world.finding('a key belongs to one request', `${contract.operationId} ${key}: ${again.status} ${again.text}`, [
      key,
    ]);
}

/** An external id of one order or subscription is refused for another. */
async function useExternalIdAgain(world: CrowdWorld, program: Program, sent: Sent): Promise<void> {
  const { contract, body } = sent;
  const first = await ask(world, program, sent);
  const other = wishOf(world, program, contract.operationId);
  // A charge with the same external id is its repetition.
  if (first?.status !== 201 || other.key === undefined) return;
  const { externalId } = body as { externalId: string };
  const again = { contract, ...other, body: { ...(other.body as object), externalId } };
  const response = await ask(world, program, again, false);
  if (response?.status === 201)
    world.finding(
      'an external id belongs to one resource',
      `${contract.operationId} ${externalId}: ${response.text}`,
      [],
    );
}

/** Guesses the code of a key until its validation is blocked. */
async function guess(world: CrowdWorld, program: Program, sent: Sent): Promise<void> {
  const { validationId } = (sent.body ?? {}) as { validationId?: string };
  for (let tried = 1; tried <= guesses; tried += 1) {
    const code = String(world.draws.between(0, 1_000_000)).padStart(6, '0');
    await ask(world, program, { ...sent, key: `${sent.key ?? ''}-${tried}`, body: { validationId, code } }, false);
  }
}
/** One more than are allowed. */
const guesses = 6;

/** A status by which no other request of the crowd filters. */
const otherStatus: Readonly<Record<string, string>> = {
  listPayIns: 'ERROR',
  listPayouts: 'CANCELED',
  listSubscriptions: 'REJECTED',
  listAccounts: 'INACTIVE',
  listCredits: 'RETURNED',
  listDisputes: 'CANCELED',
};

/** A cursor goes on with the listing that gave it, and with no other. */
async function useCursorElsewhere(world: CrowdWorld, program: Program): Promise<void> {
  const known = program.memory.cursors.filter(({ operationId }) => otherStatus[operationId] !== undefined);
  if (known.length === 0) return;
  const { operationId, query, cursor } = world.draws.one(known);
  const { contract } = routes.find((route) => route.contract.operationId === operationId)!;
  const sent = { contract, query: { ...query, status: otherStatus[operationId] ?? '', cursor } };
  const response = await ask(world, program, sent, false);
  if (response?.status === 200)
    world.finding('a cursor belongs to one listing', `${operationId} accepts ${cursor} with other filters`, []);
}

/** Two concurrent requests about the newest orders, or about one; sometimes with an operator, who blocks accounts. */
async function raceMoves(world: CrowdWorld, program: Program, isTool: boolean): Promise<void> {
  const names =
    isTool && program.company.kind === 'TOOLS'
      ? [
          'forceOrderStatus',
          'forceOrderStatus',
          'forceScheduledPaymentStatus',
          'cancelPayIn',
          'refundPayIn',
          'returnCredit',
          'assignCredit',
          'forceDisputeStatus',
          'defendDispute',
          'setClock',
        ]
      : [
          'cancelPayIn',
          'refundPayIn',
          'returnCredit',
          'assignCredit',
          'cancelSubscription',
          'updateSubscription',
          'cancelScheduledPayment',
          'createPayout',
        ];
  const one = world.draws.one(names);
  const contracts = [one, world.draws.chance(0.3) ? one : world.draws.one(names)].map(
    (name) => routes.find(({ contract }) => contract.operationId === name)!.contract,
  );
  const [first, second] = contracts.map((contract): Sent => ({
    contract,
    ...wishOf(world, program, contract.operationId),
  }));
  if (first === undefined || second === undefined) return;
  const same = first.contract === second.contract && first.params !== undefined ? { params: first.params } : {};
  const both = [first, { ...second, ...same }];
  const move = () => Promise.all(both.map((sent) => ask(world, program, sent)));
  await (world.hasOperators && world.draws.chance(0.3) ? blockBeside(world, program.company, move) : move());
}

const tries = 60;

/**
 * Asks until an answer decides: after a lost answer the same again, with longer and longer waits. Sometimes once more
 * after that, which gives the same answer.
 */
async function ask(world: CrowdWorld, program: Program, sent: Sent, learns = true): Promise<Received | undefined> {
  const { company, memory } = program;
  const { draws } = world;
  const isSafe = sent.contract.method === 'GET' || sent.key !== undefined || sent.contract.onceBy !== undefined;
  for (let tried = 0; tried < tries; tried += 1) {
    // A fault that was asked for comes once.
    const { headers: _asked, ...plain } = sent;
    const response = await company.send(tried === 0 ? sent : plain);
    if (response !== 'LOST' && response.status < 500 && response.status !== 401) {
      if (learns && response.status < 300) learn(company, world, memory, sent, response);
      if (response.status === 201 && sent.key !== undefined && sent.headers === undefined && draws.chance(0.1))
        await askAgain(world, program, sent, response);
      return response;
    }
    if (response === 'LOST' && !isSafe) return undefined;
    await world.sleep(draws.between(100, Math.min(600_000, 1000 * 2 ** tried)));
  }
  return undefined;
}

async function askAgain(world: CrowdWorld, { company }: Program, sent: Sent, first: Received): Promise<void> {
  await world.sleep(world.draws.between(10, 600_000));
  const again = await company.send(sent);
  if (again === 'LOST' || again.status >= 500 || [401, 403, 429].includes(again.status)) return;
  const isSame = again.text === first.text && again.status === first.status;
  if (isSame && again.headers['idempotent-replayed'] === 'true') return;
  const text = `${sent.contract.operationId} ${sent.key ?? ''}: ${first.text} then ${again.status} ${again.text}`;
  world.finding('a repeated key returns the first response', text, [sent.key ?? '']);
}
