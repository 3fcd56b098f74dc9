import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '#shared/platform/clock.ts';
import { env } from '#shared/platform/env.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { settings } from '#shared/platform/settings.ts';
import { connectStore } from '#shared/platform/table/dynamo-store.ts';
import type { CallDeps } from './call.ts';
import { report, reportHealth } from './report.ts';
import { sender } from './sender.ts';
import { resolver } from '#shared/platform/target-guard.ts';

/** Dependencies of calls to partners, by the environment's settings. */
export function callDeps(): CallDeps {
  const { allowLocalTargets, nameServers, retryDelaysSeconds, circuit } = settings().deliveries;
  return {
    store: connectStore(env('TABLE_NAME')),
    now: systemClock,
    newId: () => randomIds.uuid(),
    random: Math.random,
    sleep: (milliseconds) => sleep(milliseconds),
    send: sender({ rules: { allowLocal: allowLocalTargets }, resolve: resolver(nameServers) }),
    delays: retryDelaysSeconds,
    rules: circuit,
    report,
    onHealth: reportHealth,
  };
}
