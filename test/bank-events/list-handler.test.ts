import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '#functions/workers/read-bank-lists/handler.ts';
import { registry } from '#shared/platform/table/keys.ts';
import { collectErrors } from '../support/logged.ts';

const context = { getRemainingTimeInMillis: () => 300_000 } as Context;
/** Partitions that the runs query. */
let partitions: string[] = [];
beforeEach(() => {
  collectErrors();
  vi.stubEnv('TABLE_NAME', 'orders');
  vi.stubEnv('CALLBACK_HOST', 'none');
  vi.stubEnv('DUE_BANK_LISTS_QUEUE_URL', 'https://sqs/lists');
  vi.useFakeTimers({ toFake: ['Date'] });
  partitions = [];
  vi.spyOn(SQSClient.prototype, 'send').mockImplementation((() => Promise.resolve({})) as never);
  vi.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(((command: { input: object }) => {
    partitions.push(JSON.stringify(command.input));
    return Promise.resolve({ Items: [] });
  }) as never);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test.each([
  ['06', {}, false],
  ['07', {}, true],
  ['09', {}, true],
  ['10', {}, false],
  ['30', { daily: true }, true],
])('a run at minute %s with the event %j looks for connected companies: %s', async (minute, event, isBegun) => {
  vi.setSystemTime(`2026-01-15T15:${minute}:10.000Z`);
  await handler(event, context);
  expect(partitions.length).toBeGreaterThan(60);
  expect(partitions.some((text) => text.includes(`"${registry}"`))).toBe(isBegun);
});
