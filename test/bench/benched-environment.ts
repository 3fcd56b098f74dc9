import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { freePort } from '#infra/local/processes.ts';
import type { Partner } from '#infra/partner/api/client.ts';
import { partnerOf } from '../support/client.ts';
import type { LocalProcess } from '../support/environment-local.ts';
import { startLocalProcess } from '../support/environment-local.ts';
import type { BenchRun } from './bench-run.ts';
import { cpuMs, familyOf, findProcess } from './processes.ts';

const Endpoints = z.object({ processId: z.int(), dynamodb: z.string(), tableName: z.string() });

/** A local environment that is being measured. */
export type Benched = z.infer<typeof Endpoints> & {
  readonly local: LocalProcess;
  readonly partner: Partner;
  /** An account with money. */
  readonly accountId: string;
  /** The process of the database engine. */
  readonly engineId: number;
  /** Where the process opens its inspector when it is asked to. */
  readonly inspectPort: number;
  /** Computing time that both processes took since their start, milliseconds. */
  readonly used: () => { readonly node: number; readonly engine: number };
};

/** An environment of the row's own; where little is measured, one for all rows. */
export function startBenched(run: BenchRun): Promise<Benched> {
  const start = (by: BenchRun): Promise<Benched> => startBenchedIn(by, join(by.folder, 'local'));
  return run.scale === 'smoke' ? run.share('environment', start) : start(run);
}

/** Runs what `npm start` runs on that folder, and ends it with the row. */
export async function startBenchedIn(run: BenchRun, folder: string): Promise<Benched> {
  const inspectPort = await freePort();
  const local = await startLocalProcess({ folder, retryDelaysSeconds: '1,1,1,1', inspectPort });
  run.atEnd(local.stop);
  const endpoints = Endpoints.parse(JSON.parse(readFileSync(join(folder, 'endpoints.json'), 'utf8')));
  const { processId } = endpoints;
  const engineId = findProcess(familyOf(processId), 'dynoxide');
  if (engineId === undefined) throw new Error('The local environment has no engine of its own.');
  const [company] = local.sandbox.companies;
  return {
    ...endpoints,
    local,
    partner: partnerOf(local.sandbox, company),
    accountId: company.accounts[0]?.id ?? '',
    engineId,
    inspectPort,
    used: () => ({ node: cpuMs(processId), engine: cpuMs(engineId) }),
  };
}
