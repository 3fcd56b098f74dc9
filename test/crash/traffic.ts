import { setTimeout as sleep } from 'node:timers/promises';
import { routes } from '#functions/routes.ts';
import { RotateWebhookSecret } from '#functions/webhooks/rotate-secret/contract.ts';
import type { Partner } from '@banking-order/partner-tools';
import { requestOf } from '@banking-order/partner-tools';
import type { Draws } from '#test/model/bank-books.ts';
import { answerChecks } from '#test/simulation/checks/answers.ts';
import { startCrowd } from '#test/simulation/crowd/crowd.ts';
import type { Company, Received, Sent } from '#test/simulation/crowd/world-types.ts';
import type { Journal } from './journal.ts';
import { openKnowledge } from './knowledge.ts';

type Options = {
  readonly draws: Draws;
  /** The partners at the environment as it is now: after a death it has another address. */
  readonly partners: () => readonly Partner[];
  readonly endpointsOf: (companyId: string) => readonly string[];
  readonly journal: Journal;
};

const longestAnswerMs = 20_000;
/** Between two requests of a company, on the average. */
const paceMs = 60;
/**
 * What is asked for between two deaths: some of these, for every function that is asked has to start again after each
 * death. The checks read. Rotations are drawn by `rotate`, since a secret that is never answered could not be checked;
 * a clock that goes back would make what was seen newer than what comes next.
 */
const operations = {
  creations: ['createPayIn', 'createPayout', 'createSubscription', 'createScheduledPayment'],
  bank: ['forceOrderStatus', 'forceOrderStatus', 'forceSubscriptionStatus', 'forceScheduledPaymentStatus'],
  others: routes
    .filter(({ contract: { method, operationId } }) => method !== 'GET' || operationId === 'getKeyCode')
    .map(({ contract }) => contract.operationId)
    .filter((operationId) => !['rotateWebhookSecret', 'resetClock'].includes(operationId))
    .concat('listWebhookDeliveries'),
} as const;
const drawn = { creations: 2, bank: 2, others: 4 } as const;

export type Traffic = ReturnType<typeof startTraffic>;

/** The simulator's partners against a real environment: the same requests, repeated with their keys after deaths. */
export function startTraffic({ draws, partners, endpointsOf, journal }: Options) {
  const known = openKnowledge(journal);
  const checks = answerChecks(journal.finding);
  const count = { answered: 0, lost: 0, replayed: 0 };
  const gate = openGate();
  const asked = new Set<string>();
  const rotations = new Set<Promise<void>>();
  let isOver = false;
  // Until the connection breaks, a service that dies may answer anything.
  let isDying = false;
  let underWay = 0;
  const exchange = async (place: number, sent: Sent): Promise<Received | 'LOST'> => {
    const partner = partners()[place]!;
    const { companyId } = partner;
    const { contract, key = '', params = {} } = sent;
    const response = await sendRequest(partner, sent);
    const about = `${companyId} ${contract.operationId} ${key} ${Object.values(params).join(' ')} ${JSON.stringify(sent.body ?? {})}`;
    journal.note(response === 'LOST' ? `${about}: LOST` : `${about}: ${response.status} ${response.text}`);
    if (response === 'LOST' || (response.status >= 500 && isDying)) {
      count.lost += 1;
      return 'LOST';
    }
    count.answered += 1;
    if (response.status === 500)
      journal.finding('no request gets 500', `${about}: ${response.status} ${response.text}`, [key]);
    if (response.status >= 500) return 'LOST';
    if (response.headers['idempotent-replayed'] === 'true') count.replayed += 1;
    const { status: statusCode, text: body, headers } = response;
    if (statusCode === 201) checks.owns(String((response.body as { id?: unknown }).id), companyId);
    checks.answered({ companyId, contract, sent, response: { statusCode, body, headers } });
    known.learn(companyId, sent, response);
    return response;
  };
  const send = async (place: number, sent: Sent): Promise<Received | 'LOST'> => {
    await gate.opened();
    underWay += 1;
    const response = await exchange(place, sent);
    underWay -= 1;
    return response;
  };
  const companyOf = ({ companyId, clientId, accounts }: Partner, place: number): Company => ({
    ...{ companyId, clientId, kind: 'TOOLS', accounts: accounts.map(({ id }) => id) },
    send: (sent) => send(place, sent),
  });
  const world = {
    ...{ draws, finding: journal.finding, companies: partners().map(companyOf), endpointsOf, codeFor: known.codeFor },
    now: () => Date.now(),
    sleep: (ms: number) => sleep(Math.min(ms, 400)),
    at: (ms: number, work: () => void) => void setTimeout(work, ms - Date.now()),
    realNow: () => new Date().toISOString(),
    // Operators have tests of their own: here partners and deaths are at work, without a rest.
    hasOperators: false,
    operate: () => Promise.resolve(undefined),
    openCommands: () => [],
    restsUntil: () => 0,
    received: () => [],
    seePayIn: () => undefined,
    seeRecurrence: () => undefined,
  };
  const finished = startCrowd(world, {
    isOver: () => isOver,
    paceMs,
    asks: (operationId) => asked.has(operationId),
  });
  /** A new secret: asked for with its key until it is answered. */
  const rotate = async (place: number): Promise<void> => {
    const sent = { contract: RotateWebhookSecret, key: `rotation-${place}-${journal.cycle()}`, body: {} };
    for (;;) {
      const response = await exchange(place, sent);
      if (response !== 'LOST') return;
      await sleep(200);
    }
  };
  return {
    count,
    known,
    exchange,
    /** Lets requests out, of operations that are drawn anew. */
    flow: (): void => {
      asked.clear();
      for (const kind of ['creations', 'bank', 'others'] as const)
        for (let count = 0; count < drawn[kind]; count += 1) asked.add(draws.one(operations[kind]));
      gate.open();
    },
    /** Lets none out: the service dies now. */
    breakOff: (): void => {
      gate.close();
      isDying = true;
    },
    rotate: (place: number): void => {
      const rotation = rotate(place).finally(() => rotations.delete(rotation));
      rotations.add(rotation);
    },
    /** After the next start: waits for what was under way, and for the secrets that were asked for. */
    halt: async (): Promise<void> => {
      while (underWay > 0) await sleep(5);
      isDying = false;
      await Promise.all(rotations);
    },
    /** Everything that was asked for is answered, and nothing more is asked for. */
    end: async (): Promise<void> => {
      isOver = true;
      gate.open();
      await finished;
    },
    /** Nothing more is asked for. */
    abandon: (): void => {
      isOver = true;
      gate.close();
    },
  };
}

/** What waits until it is opened. */
function openGate() {
  let way = Promise.withResolvers<undefined>();
  let isOpen = false;
  return {
    opened: async (): Promise<void> => {
      while (!isOpen) await way.promise;
    },
    open: (): void => {
      isOpen = true;
      way.resolve(undefined);
    },
    close: (): void => {
      if (isOpen) way = Promise.withResolvers();
      isOpen = false;
    },
  };
}

/** The answer to a request; lost with the connection, or when it does not come. */
async function sendRequest(partner: Partner, sent: Sent): Promise<Received | 'LOST'> {
  const { contract, body, key = null, params = {}, query = {}, headers = {} } = sent;
  const asked = { key, body, headers, params, query: query as Readonly<Record<string, string>> };
  const request = requestOf(contract, asked);
  const late = new AbortController();
  try {
    const response = await Promise.race([
      partner.raw(typeof body === 'string' ? { ...request, body } : request),
      sleep(longestAnswerMs, undefined, { signal: late.signal, ref: false }),
    ]);
    if (response === undefined) return 'LOST';
    const { status, text, headers: given } = response;
    return { status, text, body: JSON.parse(text) as unknown, headers: given as Readonly<Record<string, string>> };
  } catch {
    return 'LOST';
  } finally {
    late.abort();
  }
}
