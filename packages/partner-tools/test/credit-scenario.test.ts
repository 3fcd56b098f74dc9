import { expect, test } from 'vitest';
import type { Contract } from '#shared/contract/contract.ts';
import type { AnyRequest, Partner } from '#partner-tools/api/client.ts';
import { receiveCredit } from '#partner-tools/api/credits.ts';
import { readResponse } from '#partner-tools/api/responses.ts';
import { compareNotification } from '#partner-tools/scenarios/compare-notification.ts';
import { runScenario } from '#partner-tools/scenarios/context.ts';
import { unexpectedMoney } from '#partner-tools/scenarios/credit-scenarios.ts';
import type { NotificationReceiver, ReceivedNotification } from '#partner-tools/scenarios/notification-receiver.ts';
import { schemaOf } from '#partner-tools/scenarios/notification-receiver.ts';
import { createReporter } from '#partner-tools/scenarios/reporter.ts';
import { example as settings } from '#functions/webhooks/get/contract.ts';
import { example as delivery } from '#functions/webhooks/get-delivery/contract.ts';
import type { World } from '#test/support/bank-world.ts';
import { account, bankWorld, companyOne } from '#test/support/bank-world.ts';

type Body = ReceivedNotification['body'];

/** What a notification is about: a credit or a pay-in. */
function aboutOf(body: Body): string {
  const { id, data } = body as { id?: string; data?: { id?: string; credit?: { id: string } } };
  return id ?? data?.id ?? data?.credit?.id ?? '';
}

/** A partner of the world. The log of deliveries has each notification under its place in the table. */
function partnerOf(world: World): Partner {
  const text = (body: object) => ({ status: 200, text: JSON.stringify(body) });
  const clock = text({ now: world.clock.now, offsetSeconds: 1 });
  const log = ({ params }: AnyRequest) =>
    text({ ...delivery().response.body, payload: world.notifications()[Number(params?.['id'])] });
  const accounts = () => {
    const kept = world.items('ACCOUNT')[0]!;
    const { id, status, holderType, fullName, email, phone, document, bankAccountData, createdAt } = kept;
    const known = { id, status, holderType, fullName, email, phone, document, bankAccountData, createdAt };
    return text({ data: [known], hasNext: false, nextCursor: null });
  };
  const operations: Readonly<Record<string, (ask: never) => unknown>> = {
    ...{ createPayIn: world.createPayIn, getPayIn: world.getPayIn, getBalance: world.getBalance },
    ...{ receiveCredit: world.receiveCredit, returnCredit: world.returnCredit, assignCredit: world.assignCredit },
    ...{ getCredit: world.getCredit, listCredits: world.listCredits },
    forceOrderStatus: ({ body: { id, status } }: { body: { id: string; status: string } }) => world.force(id, status),
    ...{ getClock: () => clock, getWebhookDelivery: log, listAccounts: accounts },
    ...{ getWebhookSettings: () => text(settings().response.body) },
    ...{ replaceWebhookSettings: () => text(settings().response.body) },
  };
  const answer = async ({ operationId }: Contract, ask: AnyRequest = {}) => {
    const sent = { companyId: companyOne, key: world.ids.uuid(), ...ask };
    const received = (await operations[operationId]?.(sent as never)) as { status: number; text: string };
    const headers = { 'x-request-id': '6f1d2c3b-4a59-4e8f-9a0b-1c2d3e4f5a60', 'cache-control': 'no-store' };
    return { ...received, headers: { ...headers, 'content-type': 'application/json' } };
  };
  const call = async (contract: Contract, ask?: AnyRequest) =>
    readResponse(contract, await answer(contract, ask), 'CLOSED');
  return { answer, call } as unknown as Partner;
}

/** Receives each notification of the world once, by the layout of its event. */
function receiverOf(world: World): NotificationReceiver {
  const counted = new Set<number>();
  const isNew = (place: number): boolean => !counted.has(place);
  return {
    url: 'https://partner.example.com/hooks',
    secrets: [],
    receive: (event, id) => {
      const place = world
        .notifications()
        .findIndex((body, at) => isNew(at) && body['event'] === event && aboutOf(body) === id);
      counted.add(place);
      const body = schemaOf(event).parse(world.notifications()[place]);
      return Promise.resolve({ id: String(place), body, attempts: [], calls: [] });
    },
    awaitAgain: () => undefined,
    unexpected: () =>
      Promise.resolve(
        world
          .notifications()
          .filter((_, at) => isNew(at))
          .map(({ event }) => String(event)),
      ),
  };
}

async function opened() {
  const world = bankWorld();
  await world.openAccount(0);
  return { world, partner: partnerOf(world) };
}

test('the scenario unexpected-money passes in a world of its own', async () => {
  const { world, partner } = await opened();
  const lines: string[] = [];
  const reporter = createReporter((line) => lines.push(line));
  const receiver = receiverOf(world);
  await runScenario(unexpectedMoney, { partner, accountId: account, receiver, reporter, keepSecret: () => undefined });
  expect(world.notifications().map(({ event }) => event)).toEqual([
    ...['CREDIT.RECEIVED', 'CREDIT.RETURNED', 'CREDIT.RETURNED'],
    ...['ORDER-PAYIN.PAID', 'CREDIT.RECEIVED', 'CREDIT.RECEIVED', 'ORDER-PAYIN.PAID'],
  ]);
  expect(lines.join('\n')).toContain('✔ each notification was received once, and no other one');
});

test.each<readonly [event: string, path: string, change: (body: Body) => unknown]>([
  ['CREDIT.RECEIVED', 'occurredAt', (body) => ({ ...body, occurredAt: '2026-01-15T15:00:01.000Z' })],
  [
    'CREDIT.RECEIVED',
    'data.reason',
    (body) => ({ ...body, data: { ...(body['data'] as object), reason: 'OTHER_AMOUNT' } }),
  ],
  ['CREDIT.RETURNED', 'event', (body) => ({ ...body, event: 'CREDIT.RETURN_FAILED' })],
  [
    'CREDIT.RETURNED',
    'data.return',
    ({ data, ...body }) => ({ ...body, data: { ...(data as object), return: undefined } }),
  ],
])('a notification %s whose %s differs from the record is found', async (event, path, change) => {
  const { world, partner } = await opened();
  const id = await receiveCredit(partner, { accountId: account, amount: { currency: 'BRL', value: '5.00' } });
  if (event === 'CREDIT.RETURNED') {
    const { body } = await world.returnCredit({ companyId: companyOne, key: 'k', params: { id }, body: {} });
    await world.force((body as { returnId: string }).returnId, 'REFUNDED');
  }
  const place = world.notifications().findIndex((body) => body['event'] === event);
  const sent = world.notifications()[place]!;
  const compare = (body: Body) =>
    compareNotification({ partner, accountId: account }, event, { kind: 'credit', id }, { id: String(place), body });
  await compare(sent);
  await expect(compare(change(sent) as Body)).rejects.toThrow(`${event}: ${path} is `);
});

test('a credit that is booked after the tool responded is found by its end-to-end id', async () => {
  const asked: unknown[] = [];
  const call = ({ operationId }: Contract, ask: AnyRequest) => {
    asked.push(ask.query);
    return Promise.resolve({ body: operationId === 'receiveCredit' ? { id: 'E123' } : { data: [{ id: 'credit' }] } });
  };
  const partner = { call } as unknown as Partner;
  const amount = { currency: 'BRL', value: '5.00' } as const;
  expect(await receiveCredit(partner, { accountId: account, amount })).toBe('credit');
  expect(asked.at(-1)).toEqual({ endToEndId: 'E123' });
});
