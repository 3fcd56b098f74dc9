import { ResourceNotFoundException } from '@aws-sdk/client-lambda';
import { describe, expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import { examineAccount } from '#infra/operator/preflight/preflight.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { Answers } from './recorded-account.ts';
import { readyAnswers, recordedAccount } from './recorded-account.ts';

describe('reserved executions of production', () => {
  const { prod } = environments;
  const unreserved = (count: number): Answers => ({
    GetAccountSettingsCommand: { AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: count } },
  });
  const concurrency = async (answers: Answers, settings: EnvironmentSettings = prod) => {
    const { clients } = recordedAccount({ ...readyAnswers, ...answers });
    const { findings } = await examineAccount(clients, settings, 'sa-east-1', () => '2026-03-10T12:00:00.000Z');
    return findings.find(({ check }) => check === 'Lambda: unreserved concurrency');
  };

  test('must be free before the first deployment', async () => {
    const absent = { GetFunctionConcurrencyCommand: new ResourceNotFoundException({ message: '', $metadata: {} }) };
    expect(await concurrency({ ...absent, ...unreserved(662) })).toMatchObject({ says: '662 of 1000, 662 needed' });
    expect(await concurrency({ ...absent, ...unreserved(661) })).toMatchObject({
      says: '661 of 1000, 662 needed',
      cure: expect.stringContaining('Request a higher limit') as unknown,
    });
  });

  test('may be none: then queues and instances that are ready need 164, beside the 100 that nobody may reserve', async () => {
    const { reserved: _reserved, ...functions } = prod.functions;
    expect(await concurrency(unreserved(264), { ...prod, functions })).toMatchObject({
      says: '264 of 1000, 264 needed',
    });
  });

  test('count as free once a deployment has reserved them', async () => {
    const own = { GetFunctionConcurrencyCommand: { ReservedConcurrentExecutions: 130 } };
    expect(await concurrency({ ...own, ...unreserved(142) })).toMatchObject({ says: '662 of 1000, 662 needed' });
  });
});
