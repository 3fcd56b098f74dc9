import {
  DeleteQueueCommand,
  CreateQueueCommand,
  PurgeQueueCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LocalBank } from '@banking-order/fake-bank';
import type { Partner } from '@banking-order/partner-tools';
import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { CancelPayIn } from '#functions/pay-ins/cancel/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import { ResendDelivery } from '#functions/webhooks/resend-delivery/contract.ts';
import { runCommandLine } from '#infra/operator/main.ts';
import { connectTarget } from '#infra/operator/target.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { dueAttributesAt } from '#shared/platform/table/due-keys.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Item, Key } from '#shared/platform/table/store.ts';
import { payIn, payout } from '#test/acceptance/samples.ts';
import { control } from '#test/support/api-pix/client.ts';
import { partnerOf } from '#test/support/client.ts';
import type { LocalProcess } from '#test/support/environment-local.ts';
import { startLocalProcess } from '#test/support/environment-local.ts';

/** `operator status` over `npm start -- --bank api-pix`: each fault is planted where it would be, named, and healed. */

const folder = mkdtempSync(join(tmpdir(), 'operator-status-'));
let local: LocalProcess;
let partner: Partner;
let companyId: string;
let bank: LocalBank;
beforeAll(async () => {
  local = await startLocalProcess({ folder, retryDelaysSeconds: '1,1,1,1', scheduleSeconds: 2, bank: 'api-pix' });
  const [company] = local.sandbox.companies;
  partner = partnerOf(local.sandbox, company);
  ({ companyId } = company);
  bank = JSON.parse(readFileSync(join(folder, 'bank/connection.json'), 'utf8')) as LocalBank;
}, 200_000);
afterAll(async () => {
  await local.stop();
  rmSync(folder, { recursive: true });
});

const operate = async (args: readonly string[], laterSeconds = 0): Promise<{ code: number; out: string }> => {
  let out = '';
  const terminal = { out: (text: string) => (out += text), err: (text: string) => (out += text) };
  const code = await runCommandLine(
    args,
    () => {
      const target = connectTarget({ localDir: folder }, {});
      return { ...target, now: () => plusSeconds(target.now(), laterSeconds) };
    },
    terminal,
  );
  return { code, out };
};
type Status = { readonly state: string; readonly problems: readonly { problem: string; next: string }[] };
async function problems(laterSeconds = 0): Promise<string> {
  const { code, out } = await operate(['status', '--json'], laterSeconds);
  const { state, problems: found } = JSON.parse(out) as Status;
  expect(code).toBe(state === 'GOOD' ? 0 : 1);
  return found.map(({ problem, next }) => `${problem} → ${next}`).join('\n');
}

const accountId = (): string => partner.accounts[0]!.id;
const pay = () => partner.call(CreatePayout, { body: payout(accountId()) });
const fault = (change: object) => control(bank, 'fault', change);
const clear = () => control(bank, 'clear-faults', {});
/** The first success ends a refusal and a pause. */
const healed = async (): Promise<void> => {
  await clear();
  await pay();
};
const write = (change: { put: Item } | { delete: Key }) =>
  connectTarget({ localDir: folder }, {}).store.write([change], crypto.randomUUID());
const sendTo = async (endpoint: string): Promise<void> => {
  await partner.call(ReplaceWebhookSettings, { body: { events: [{ type: 'PAYIN', endpoint }] } });
};

const addresses = () =>
  JSON.parse(readFileSync(join(folder, 'endpoints.json'), 'utf8')) as Record<'sqs' | 'region' | 'baseUrl', string>;
async function withQueue(name: string, use: (client: SQSClient, QueueUrl: string) => Promise<unknown>): Promise<void> {
  const { sqs: endpoint, region } = addresses();
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new SQSClient({ endpoint, region, credentials });
  await use(client, `${endpoint}/000000000000/banking-order-local-${name}`);
  client.destroy();
}
const letterIn = (name: string) => () =>
  withQueue(name, (client, QueueUrl) => client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'letter' })));
const purge = (name: string) => () =>
  withQueue(name, (client, QueueUrl) => client.send(new PurgeQueueCommand({ QueueUrl })));

const lateJob = () => {
  const key = { PK: `C#${companyId}#LATE`, SK: 'LATE' };
  return { ...key, ...dueAttributesAt(companyId, 'PAYMENT_SWEEP', '2026-01-01T00:00:00.000Z', 'late') };
};

type Fault = {
  readonly name: string;
  readonly plant: () => unknown;
  readonly named: RegExp;
  readonly heal: () => unknown;
  /** Looks so many seconds later. */
  readonly later?: number;
};
const faults: readonly Fault[] = [
  {
    name: 'a bank that refuses payouts',
    plant: async () => {
      await fault({ fault: 'FORBID', method: 'PUT' });
      await pay();
    },
    named: /bank PUT \/v3\/gn\/pix refused: 403 .*, \d+ times.* → bank:check --company/u,
    heal: healed,
  },
  {
    name: 'a bank that hangs',
    plant: async () => {
      await fault({ fault: 'HANG', method: 'PUT' });
      await fault({ fault: 'LOSE_REQUEST', method: 'GET' });
      await pay();
    },
    named: /commands without an outcome: [1-9]\d*, \d+\.\d\d BRL, .* → bank:unanswered --older-than 5m/u,
    heal: healed,
    later: 301,
  },
  {
    name: 'a bank whose lists cannot be read',
    plant: () => fault({ fault: 'TOO_MANY', method: 'GET', path: '^/v2/pix$', retryAfter: 20 }),
    named: /bank LIST calls paused until .*429/u,
    heal: clear,
  },
  {
    name: 'a bank that an operator paused',
    plant: () => operate(['bank:pause', '--company', companyId]),
    named: /bank paused since 20.*: an operator paused the connection → bank:resume/u,
    heal: () => operate(['bank:resume', '--company', companyId]),
  },
  {
    name: 'notifications that an operator holds',
    plant: () => operate(['webhook:hold', '--company', companyId]),
    named: /endpoint all is HELD since .* → webhook:release --company/u,
    heal: () => operate(['webhook:release', '--company', companyId]),
  },
  {
    name: 'a receiver that is dead',
    plant: async () => {
      await sendTo('http://127.0.0.1:1/dead');
      const { id } = (await partner.call(CreatePayIn, { body: payIn(accountId()) })).body;
      await partner.call(CancelPayIn, { params: { id } });
    },
    named: /notifications that failed: 1 → health --company/u,
    heal: async () => {
      await sendTo(`${addresses().baseUrl}/receiver/alive`);
      const { data } = (await partner.call(ListDeliveries, { query: { status: 'FAILED' } })).body;
      for (const { id } of data) await partner.call(ResendDelivery, { params: { id } });
    },
  },
  {
    name: 'stream records that the relay skipped',
    plant: letterIn('webhook-relay-failures'),
    named: /webhook-relay-failures: messages: 1 → docs\/runbook\.md#relay-failures/u,
    heal: purge('webhook-relay-failures'),
  },
  {
    name: 'a schedule that could not start',
    plant: letterIn('schedule-failures'),
    named: /schedule-failures: messages: 1 → docs\/runbook\.md#schedule-failures/u,
    heal: purge('schedule-failures'),
  },
  {
    name: 'a callback that could not be read',
    plant: letterIn('bank-callback-failures'),
    named: /bank-callback-failures: messages: 1 → docs\/runbook\.md#callbacks-of-banks/u,
    heal: purge('bank-callback-failures'),
  },
  {
    name: 'due work that is late',
    plant: () => write({ put: lateJob() }),
    named: /late work PAYMENT_SWEEP: 1 due, the oldest since 2026-01-01T00:00:00\.000Z → docs\/runbook\.md#late-work/u,
    heal: () => write({ delete: { PK: lateJob().PK, SK: lateJob().SK } }),
  },
  {
    name: 'a company with a malformed item',
    plant: () => write({ put: { ...keys.webhookHealth(companyId), entity: 'WEBHOOK_HEALTH', circuits: 'none' } }),
    named: /cannot be read: .*malformed.* → reconcile/u,
    heal: () => write({ delete: keys.webhookHealth(companyId) }),
  },
  {
    name: 'a queue that was deleted',
    plant: () =>
      withQueue('schedule-failures', (client, QueueUrl) => client.send(new DeleteQueueCommand({ QueueUrl }))),
    named: /schedule-failures: there is no such queue/u,
    heal: () =>
      withQueue('schedule-failures', (client, url) =>
        client.send(new CreateQueueCommand({ QueueName: url.split('/').at(-1) })),
      ),
  },
];

const patience = { timeout: 120_000, interval: 500 };

test('status is GOOD for an environment that has just started', async () => {
  await sendTo(`${addresses().baseUrl}/receiver/alive`);
  await expect.poll(() => problems(), patience).toBe('');
});

for (const { name, plant, named, heal, later } of faults)
  test(`status names ${name} with the next command, and is GOOD again when it is healed`, async () => {
    await plant();
    await expect.poll(() => problems(later), patience).toMatch(named);
    await heal();
    await expect.poll(() => problems(), { ...patience, timeout: 200_000 }).toBe('');
  });
