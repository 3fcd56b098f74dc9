import { beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '#infra/operator/main.ts';
import { queueName } from '#infra/resource-name.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { moveProgress } from '#shared/accounts/chain/items.ts';
import { minuteOf } from '#shared/accounts/chain/minutes.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { DueKind } from '#shared/platform/jobs/due-kinds.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import { deliveryItem } from '#shared/platform/outbox/delivery-items.ts';
import { dueAttributesAt } from '#shared/platform/table/due-keys.ts';
import { clockListAttributes, keys } from '#shared/platform/table/keys.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { addressCircuit, newHealth } from '#shared/webhooks/health/health.ts';
import { healthWrites } from '#shared/webhooks/health/store.ts';
import type { World } from '../support/bank-world.ts';
import { bankWorld, companyOne, payoutBody } from '../support/bank-world.ts';
import type { CircuitState } from '../support/circuit.ts';
import { connectedItems, connectionId } from '../support/connected-items.ts';
import type { TestOperator } from './terminal.ts';
import { at, testOperator } from './terminal.ts';

/** `status` over one table, with one fault after another, each made where it would be. */

const ago = (seconds: number): string => plusSeconds(at, -seconds);
const endpoint = 'https://partner.example/hooks';
const connection: BankConnection = {
  id: connectionId,
  companyId: companyOne,
  dialect: 'EFI',
  apiUrl: 'https://bank.example.com',
  tokenUrl: 'https://bank.example.com/oauth/token',
  clientId: 'client',
  secret: 'banking-order/local/bank/x',
  callback: { tokenHash: '0'.repeat(64), subject: 'CN=bank' },
  accounts: {},
  createdAt: ago(86_400),
};

let world: World;
let operator: TestOperator;
beforeEach(async () => {
  world = bankWorld({ now: ago(600) });
  operator = testOperator('local', world.store);
  await operator.json('company:create', '--name', 'Loja', '--company-id', companyOne);
});

const put = (item: Item) => operator.store.write([{ put: item }], crypto.randomUUID());
async function connect(more: Partial<BankConnection> = {}, readTo = ago(60)): Promise<void> {
  await operator.store.write(connectedItems({ ...connection, ...more }), crypto.randomUUID());
  const poll = { entity: 'RECEIVED_POLL', connection: connectionId, readTo, version: 1 };
  await put({ ...keys.receivedPoll(companyOne, connectionId), ...poll });
}
async function givenCalls(calls: object): Promise<void> {
  await connect();
  const item = { entity: 'BANK_CALLS', companyId: companyOne, refusals: {}, pauses: {}, version: 1, ...calls };
  await put({ ...keys.bankCalls(companyOne, connectionId), ...item });
}
/** Closes the minutes of statements to that of an instant. */
async function givenClosed(instant: string): Promise<void> {
  await moveProgress(operator.store, undefined, { closing: minuteOf(instant), closed: minuteOf(instant) });
}
async function givenCircuit(state: CircuitState): Promise<void> {
  const none = newHealth(companyOne);
  const circuits = [{ name: addressCircuit(endpoint), url: endpoint, ...state }];
  await operator.store.write(healthWrites(none, { ...none, circuits }, at), crypto.randomUUID());
}
async function givenFailed(type: 'PAY_IN' | 'WEBHOOK_TEST'): Promise<void> {
  const resource = { type, id: 'r-1' } as const;
  const notification = {
    id: 'd-1',
    event: 'E',
    createdAt: ago(600),
    requestId: 'r',
    resource,
    target: { type: 'PAYIN' },
  };
  await put(deliveryItem({ ...newDelivery(companyOne, notification as never), status: 'FAILED' }));
}
const givenJob = (kind: DueKind, dueAt: string, id = 'j-1') =>
  put({ PK: `C#${companyOne}#JOB#${id}`, SK: kind, ...dueAttributesAt(companyOne, kind, dueAt, id) });
const letters = (key: Parameters<typeof queueName>[1], count: number) =>
  operator.queues.set(queueName({ name: 'local' }, key), count);
async function givenHangingBank(): Promise<void> {
  const silent = () => Promise.resolve({ outcome: 'UNKNOWN' } as const);
  world.bank.payouts.send = { submit: silent, find: silent };
  await world.openAccount(100_000);
  for (const key of ['one', 'two'])
    await world.createPayout({ companyId: companyOne, key, body: payoutBody({ externalId: key }) });
}

type Status = {
  readonly state: string;
  readonly problems: readonly { readonly problem: string; readonly next: string }[];
  readonly banks: readonly object[];
  readonly work: readonly object[];
  readonly queues: readonly object[];
  readonly deployment: object;
};
async function look(): Promise<Status & { readonly code: number }> {
  const { code, out, err } = await operator.run('status', '--json');
  expect(err).toBe('');
  return { code, ...(JSON.parse(out) as Status) };
}

test('status is GOOD and exits with 0 when nothing is wrong, and shows the deployment and the bank', async () => {
  await connect();
  expect(await look()).toMatchObject({
    code: 0,
    state: 'GOOD',
    problems: [],
    banks: [{ company: 'Loja', connectionId, state: 'GOOD', since: null, readTo: ago(60), waiting: '0', oldest: null }],
    work: [],
    deployment: { environment: 'local', release: '1.2.3', at },
  });
});

test('status names no connection that has ended', async () => {
  await connect({ endedAt: ago(60), paused: { until: at, cause: 'no response', failures: 1 } });
  expect(await look()).toMatchObject({ code: 0, banks: [] });
});

const check = `bank:check --company ${companyOne} --connection ${connectionId}`;
test.each<[string, () => unknown, RegExp, string]>([
  [
    'a bank whose calls are paused',
    () => connect({ paused: { until: ago(1), cause: 'no response', failures: 3, since: ago(300) } }),
    /^Loja: bank paused 3 times since .*11:55:00\.000Z, now until .*: no response$/u,
    check,
  ],
  [
    'a bank that an operator paused',
    async () => {
      await connect();
      await operator.json('bank:pause', '--company', companyOne);
    },
    /^Loja: bank paused since .*12:00:00\.000Z: an operator paused the connection$/u,
    `bank:resume --company ${companyOne} --connection ${connectionId}`,
  ],
  [
    'an operation that the bank refuses',
    () => givenCalls({ refusals: { 'PUT /v3/gn/pix': { status: 403, since: ago(900), last: ago(60), count: 4 } } }),
    /^Loja: bank PUT \/v3\/gn\/pix refused: 403, 4 times/u,
    check,
  ],
  [
    'lists that the bank limits',
    () => givenCalls({ pauses: { LIST: { until: plusSeconds(at, 60), cause: 'status 429', failures: 1 } } }),
    /^Loja: bank LIST calls paused until .*: status 429$/u,
    check,
  ],
  ['a bank whose payments are not read', () => connect({}, ago(601)), /^Loja: bank not read since /u, check],
  [
    'commands that wait at a bank',
    givenHangingBank,
    /^Loja: commands without an outcome: 2, 20\.00 BRL, the oldest since .*:50:00\.000Z$/u,
    'bank:unanswered --older-than 5m',
  ],
  [
    'an endpoint that fails',
    () =>
      givenCircuit({
        ...{ state: 'OPEN', since: at, failingSince: ago(3600), reason: 'HTTP 503' },
        ...{ probes: 3, probeAt: at, probedAt: at },
      }),
    /^Loja: endpoint https:\/\/partner\.example\/hooks is FAILING since .*11:00:00\.000Z \(HTTP 503\)$/u,
    `webhook:endpoints --company ${companyOne}`,
  ],
  [
    'a company whose notifications an operator holds',
    () => operator.json('webhook:hold', '--company', companyOne),
    /^Loja: endpoint all is HELD since/u,
    `webhook:release --company ${companyOne}`,
  ],
  [
    'a notification that failed',
    () => givenFailed('PAY_IN'),
    /^Loja: notifications that failed: 1$/u,
    `health --company ${companyOne}`,
  ],
  [
    'due work that is late',
    () => givenJob('PAY_IN_EXPIRY', ago(901)),
    /^late work PAY_IN_EXPIRY: 1 due, the oldest since .*11:44:59\.000Z$/u,
    'docs/runbook.md#late-work',
  ],
  [
    'stream records that the relay skipped',
    () => letters('relayFailures', 2),
    /^banking-order-local-webhook-relay-failures: messages: 2$/u,
    'docs/runbook.md#relay-failures',
  ],
  [
    'schedules that could not start',
    () => letters('scheduleFailures', 1),
    /schedule-failures: messages: 1$/u,
    'docs/runbook.md#schedule-failures',
  ],
  [
    'callbacks that could not be read',
    () => letters('callbackFailures', 1),
    /bank-callback-failures: messages: 1$/u,
    'docs/runbook.md#callbacks-of-banks',
  ],
  [
    'a queue that does not exist',
    () => operator.queues.delete(queueName({ name: 'local' }, 'deadLetters')),
    /webhook-dead-letters: there is no such queue$/u,
    'docs/runbook.md#dead-letters-left',
  ],
  [
    'a company with a malformed item',
    () => put({ ...keys.webhookHealth(companyOne), entity: 'WEBHOOK_HEALTH', circuits: 'none' }),
    /^1{8}-.* cannot be read: .*malformed/u,
    'reconcile',
  ],
  [
    'minutes of statements that stay open',
    () => givenClosed(ago(961)),
    /^statements have proofs of entries up to /u,
    'docs/runbook.md#worker-errors',
  ],
])('status names %s in one line with the next command, and exits with 1', async (_fault, plant, problem, next) => {
  await plant();
  const { code, state, problems } = await look();
  expect({ code, state }).toEqual({ code: 1, state: 'TROUBLED' });
  expect(problems).toEqual([{ problem: expect.stringMatching(problem) as string, next }]);
});

test('status shows up to when entries have proofs, and finds nothing wrong within 15 minutes', async () => {
  expect(await look()).toMatchObject({ code: 0, statements: { provedTo: null } });
  await givenClosed(ago(900));
  const provedTo = plusSeconds(`${minuteOf(ago(900))}:00.000Z`, 60);
  expect(await look()).toMatchObject({ code: 0, statements: { provedTo } });
});

test('status shows the money that waits at a bank at once, and as a problem after five minutes', async () => {
  world = bankWorld({ now: ago(299) });
  operator = testOperator('local', world.store);
  await operator.json('company:create', '--name', 'Loja', '--company-id', companyOne);
  await givenHangingBank();
  const waits = { state: 'SIMULATED', waiting: '2', amount: '20.00', oldest: ago(299) };
  expect(await look()).toMatchObject({
    code: 0,
    problems: [],
    banks: [{ company: 'Loja', connectionId: null, ...waits }],
  });
});

test('status takes a failed test notification for no problem, though its dead letter stays', async () => {
  await givenFailed('WEBHOOK_TEST');
  letters('deadLetters', 1);
  expect(await look()).toMatchObject({
    code: 0,
    queues: [{ queue: 'banking-order-local-webhook-dead-letters', messages: 1 }, {}, {}, {}],
  });
});

test('status counts the due jobs of a kind up to 1024, and finds the oldest of all', async () => {
  for (let job = 0; job < 1100; job += 1) await givenJob('PAY_IN_EXPIRY', ago(job % 60), `j-${job}`);
  await givenJob('PAY_IN_EXPIRY', ago(800), 'oldest');
  await givenJob('KEY_CODE', ago(10));
  await givenJob('DELIVERY', plusSeconds(at, 1));
  expect(await look()).toMatchObject({
    code: 0,
    work: [
      { kind: 'PAY_IN_EXPIRY', due: '1024+', oldest: ago(800), ageSeconds: 800, state: 'IN TIME' },
      { kind: 'KEY_CODE', due: '1', ageSeconds: 10, state: 'IN TIME' },
    ],
  });
});

test('status leaves out work that follows the simulated clock of its company, and no other work', async () => {
  await put({ ...keys.companyClock(companyOne), ...clockListAttributes(companyOne) });
  await givenJob('PAY_IN_EXPIRY', ago(5000));
  expect(await look()).toMatchObject({ code: 0, work: [] });
  await givenJob('BACKLOG', ago(5000));
  expect(await look()).toMatchObject({ code: 1, work: [{ kind: 'BACKLOG', state: 'LATE' }] });
});

test('status names the queues that it may not read, and takes an unreadable deployment for no problem', async () => {
  const refuse = () => Promise.reject(Object.assign(new Error('of an account'), { name: 'AccessDenied' }));
  const around = { environment: 'prod', messagesIn: refuse, deployment: refuse } as const;
  let out = '';
  const terminal = { out: (text: string) => (out += text), err: () => undefined };
  const code = await runCommandLine(['status'], () => ({ ...operator, surroundings: () => around }), terminal);
  expect(code).toBe(1);
  expect(out.match(/cannot be read: AccessDenied/gu)).toHaveLength(4);
  expect(out).toContain('release AccessDenied');
  expect(out).not.toContain('of an account');
});

test('status --watch looks again, also after the table did not respond, and exits as the last look', async () => {
  const said: string[] = [];
  const waits: number[] = [];
  const plants = [
    () => letters('relayFailures', 1),
    () => (operator = { ...operator, store: { ...operator.store, query: () => Promise.reject(new Error('away')) } }),
    () => (operator = testOperator('local', world.store)),
  ];
  const again = (seconds: number): Promise<boolean> => {
    waits.push(seconds);
    plants.shift()?.();
    return Promise.resolve(waits.length < 4);
  };
  const terminal = { out: (text: string) => said.push(text), err: (text: string) => said.push(text), again };
  const code = await runCommandLine(['status', '--watch'], () => operator, terminal);
  expect(said.map((text) => text.split('\n')[0]?.replace(/^state +/u, ''))).toEqual([
    'GOOD',
    'TROUBLED',
    'Error: away',
    'GOOD',
  ]);
  expect({ code, waits }).toEqual({ code: 0, waits: [10, 10, 10, 10] });
});
