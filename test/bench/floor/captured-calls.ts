import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ListAccounts } from '#functions/accounts/list/contract.ts';
import { listAccounts } from '#functions/accounts/list/handler.ts';
import { plusDays } from '#shared/core/brasilia-time.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { Answer } from '#test/support/api.ts';
import { caller } from '#test/support/api.ts';
import { companyOne, payInBody, payoutBody } from '#test/support/bank-world.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import { paymentBody, paymentWorld } from '#test/support/payment-world.ts';
import { compositeBody, subscriptionBody } from '#test/support/subscription-world.ts';

/** The operations of row 1. */
export const operationNames = [
  'Create payout',
  'Get payout',
  'Create pay-in',
  'Create subscription, journey 2',
  'Create subscription, journey 3',
  'Schedule a payment',
  'List accounts',
] as const;
export type OperationName = (typeof operationNames)[number];

/** A call of the database, as the SDK is told it. */
export type DatabaseCall = { readonly command: string; readonly input: Readonly<Record<string, unknown>> };
type Client = Pick<DynamoDBDocumentClient, 'send'>;

/**
 * The calls that each operation makes of the database, in order, and what it answers: taken down while the operation
 * runs once on that table. What the simulated bank looks up is not among them: a real bank asks a directory of its own.
 */
export async function captureCalls(
  client: DynamoDBDocumentClient,
  tableName: string,
): Promise<Record<OperationName, { readonly calls: readonly DatabaseCall[]; readonly answer: string }>> {
  let calls: DatabaseCall[] = [];
  const listening = {
    send: (command: { readonly input: Readonly<Record<string, unknown>> }) => {
      calls.push({ command: command.constructor.name, input: command.input });
      return client.send(command as never);
    },
  } as unknown as Client;
  const run = operationsOn(dynamoStore({ client: listening, tableName }));
  const operations = await run;
  const captured = {} as Record<OperationName, { readonly calls: readonly DatabaseCall[]; readonly answer: string }>;
  for (const name of operationNames) {
    calls = [];
    const { status, text } = await operations[name]();
    if (status > 201) throw new Error(`${name}: ${status} ${text}`);
    captured[name] = { calls, answer: text };
  }
  return captured;
}

/** Each operation, ready to be run any number of times, in a company with one account and one weekly subscription. */
async function operationsOn(store: Store): Promise<Record<OperationName, () => Promise<Answer>>> {
  const world = await paymentWorld({ wrap: () => store, known: memoryStore() }, { frequencyType: 'WEEKLY' });
  await world.openAccount(10_000_000_000, { id: paying });
  const list = caller(ListAccounts, listAccounts, { store });
  let weeks = 0;
  let keys = 0;
  const asked = (body: object) => ({ companyId: companyOne, body, key: `bench-${(keys += 1)}` });
  let payoutId = '';
  return {
    'Create payout': async () => {
      const answer = await world.createPayout(asked(payoutBody({ accountId: paying })));
      payoutId = (answer.body as { id: string }).id;
      return answer;
    },
    'Get payout': () => world.getPayout({ companyId: companyOne, params: { id: payoutId } }),
    'Create pay-in': () => world.createPayIn(asked(payInBody({ accountId: paying }))),
    'Create subscription, journey 2': () => world.create(asked(subscriptionBody({ accountId: paying }))),
    'Create subscription, journey 3': () => world.create(asked(compositeBody({ accountId: paying }))),
    'Schedule a payment': () => world.schedule(paymentBody({ dueDate: plusDays('2026-01-15', 7 * (weeks += 1)) })),
    'List accounts': () => list({ companyId: companyOne }),
  };
}

const paying = 'aaaaaaaa-aaaa-4aaa-8aaa-cccccccccccc';
