import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { SQSClient } from '@aws-sdk/client-sqs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readApi } from './api/api-model.ts';
import type { Exchange } from './api/gateway.ts';
import { createGateway, watchGateway } from './api/gateway.ts';
import type { listen, SideRoutes } from './api/http-server.ts';
import type { DataFolder } from './data-folder.ts';
import type { Engine } from './engines/dynamodb-engine.ts';
import { startDynamoDbEngine } from './engines/dynamodb-engine.ts';
import { prepareTable } from './engines/dynamodb-table.ts';
import { startCompaction } from './engines/embedded-database.ts';
import { startSqsEngine } from './engines/sqs-engine.ts';
import { prepareQueues } from './engines/sqs-queues.ts';
import { openCheckpoints } from './event-sources/checkpoints.ts';
import { passedByAll, readEventSources } from './event-sources/event-sources.ts';
import type { Loop } from './event-sources/loop.ts';
import { functionDefinitions } from './functions/function-definitions.ts';
import type { FunctionLog } from './functions/function-log.ts';
import { openFunctionLog } from './functions/function-log.ts';
import type { FunctionRuntime } from './functions/function-runtime.ts';
import { createFunctionRuntime } from './functions/function-runtime.ts';
import { readSchedules, startSchedules } from './schedules.ts';
import { createBuckets } from './local-aws/buckets.ts';
import { createSecrets } from './local-aws/secrets.ts';
import { createSigningKeys } from './local-aws/signing-keys.ts';
import type { LocalTemplate } from './template/local-template.ts';
import { checkResourceTypes } from './template/local-template.ts';
import { region } from './template/local-values.ts';
import { resourceReader } from './template/resources.ts';

type TemplateRun = {
  /** Folder of data, logs and bundles. */
  readonly folder: DataFolder;
  readonly server: Awaited<ReturnType<typeof listen>>;
  readonly engine: Engine;
  /** Reads the stacks to run. Functions run from the given folder, which only this run uses. */
  readonly readTemplate: (folder: string) => Promise<LocalTemplate>;
  /** Variables with values of this run, by name. Each replaces the variable of every function that has it. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The text of a secret by its name; undefined where there is none. */
  readonly readSecret?: (name: string) => string | undefined;
  /** Seconds between two runs of every schedule, for tests. Absent: the schedules of the template. */
  readonly scheduleSeconds?: number | undefined;
  /** Takes the name of each long step when the step begins. */
  readonly begin?: ((step: string) => void) | undefined;
  /** Takes lines that the developer should see immediately. */
  readonly report?: ((line: string) => void) | undefined;
};

export type RunningTemplate = Awaited<ReturnType<typeof prepareTemplate>>;

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const;
/** How long current work may take to end. Then it is cut off, as by a crash. */
const graceMs = 1000;

/**
 * Starts the engines and creates the template's table and queues. Functions, event sources and schedules wait until
 * `start` is called.
 *
 * @param undo Takes a function that stops each part. After a failure the caller disposes of `undo`.
 * @throws LocalStartError with one line for the developer.
 */
export async function prepareTemplate(run: TemplateRun, undo: AsyncDisposableStack) {
  const log = openFunctionLog(run.folder.file('functions.log'), run.report ?? console.error);
  undo.defer(log.close);
  const engines = await startEngines(run, undo);
  const { dynamodbEngine, sqsEngine, dynamodb, sqs, table, queues } = engines;
  const services = createServices(run, engines);
  const { runtime, api, sources, schedules } = readFunctions(run, engines, { log, services }, undo);
  const endpoints = {
    baseUrl: run.server.baseUrl,
    region,
    tableName: table.name,
    dynamodb: dynamodbEngine.endpoint,
    sqs: sqsEngine.endpoint,
  };
  return {
    /** Addresses, as in `endpoints.json`. */
    endpoints,
    aws: { dynamodb, sqs },
    queues,
    /** Invokes a function by its name or logical id, the hash at the end may be left out. */
    invoke: async (nameOrId: string, event: unknown) => runtime.invoke(runtime.find(nameOrId), event),
    /** Settles when the DynamoDB engine stopped unexpectedly: the run cannot go on. */
    failed: dynamodbEngine.failed,
    /**
     * Starts event sources and schedules, serves requests and writes the addresses into the folder.
     *
     * @param watch Takes each exchange with the API after its response.
     */
    start: (sideRoutes: readonly SideRoutes[] = [], watch?: (exchange: Exchange) => void): void => {
      const loops = [...startSources(sources, engines, log), startSchedules(schedules, runtime)];
      undo.defer(() => stopWork([...loops, run.server], runtime));
      const gateway = createGateway(api, runtime, log);
      const routes = [...sideRoutes, ...Object.values(services).map((service) => service.routes)];
      run.server.serve(watch === undefined ? gateway : watchGateway(gateway, watch), routes);
      run.folder.announce(endpoints);
    },
  };
}

type Engines = Awaited<ReturnType<typeof startEngines>>;

/** Starts both engines and creates the template's table and queues. */
async function startEngines({ folder, engine, readTemplate, begin, report }: TemplateRun, undo: AsyncDisposableStack) {
  const keep = <T extends { readonly stop: () => Promise<void> }>(started: T): T => {
    undo.defer(started.stop);
    return started;
  };
  begin?.('Database and queue');
  const parts = [
    startDynamoDbEngine(folder, engine, report).then(keep),
    startSqsEngine(folder).then(keep),
    readTemplate(folder.file('build')),
  ] as const;
  // Waits for all parts, so that after a failure of one part the others are started and can be stopped.
  await Promise.allSettled(parts);
  const [dynamodbEngine, sqsEngine, template] = await Promise.all(parts);
  checkResourceTypes(template);
  const client = { region, credentials };
  const dynamodb = new DynamoDBClient({ ...client, endpoint: dynamodbEngine.endpoint });
  const streams = new DynamoDBStreamsClient({ ...client, endpoint: dynamodbEngine.endpoint });
  const sqs = new SQSClient({ ...client, endpoint: sqsEngine.endpoint });
  const read = resourceReader(template, sqsEngine.endpoint);
  begin?.('Table and queues of the service');
  const [table, queues] = await Promise.all([
    prepareTable(dynamodb, read),
    prepareQueues(sqs, sqsEngine.endpoint, read),
  ]);
  return { dynamodbEngine, sqsEngine, template, read, dynamodb, streams, sqs, table, queues };
}

type Services = ReturnType<typeof createServices>;

/** Creates the services that this process is itself, each at its own path of the server. */
function createServices({ folder, readSecret = () => undefined }: TemplateRun, { read }: Engines) {
  return { secrets: createSecrets(readSecret), kms: createSigningKeys(read, folder), s3: createBuckets(read, folder) };
}

/** Reads the functions, the API, the event sources and the schedules of the template. */
function readFunctions(
  { folder, server, variables = {}, scheduleSeconds }: TemplateRun,
  engines: Engines,
  { log, services }: { readonly log: FunctionLog; readonly services: Services },
  undo: AsyncDisposableStack,
) {
  const { template, read, dynamodbEngine, sqsEngine, table } = engines;
  const definitions = functionDefinitions(read, template.assets, {
    dynamodb: dynamodbEngine.endpoint,
    sqs: sqsEngine.endpoint,
    secrets: `${server.baseUrl}${services.secrets.path}`,
    kms: `${server.baseUrl}${services.kms.path}`,
    s3: `${server.baseUrl}${services.s3.path}`,
    variables,
  });
  const runtime = createFunctionRuntime(definitions, log);
  const checkpoints = openCheckpoints(folder.file('checkpoints.db'));
  undo.defer(checkpoints.close);
  const { database } = dynamodbEngine;
  const newestRecord = database && (() => database.newestRecord(table.name));
  const { access } = sqsEngine;
  return {
    runtime,
    api: readApi(read, runtime.find),
    sources: readEventSources(read, { ...engines, log, access, runtime, checkpoints, newestRecord }),
    schedules: readSchedules(read, runtime, scheduleSeconds),
  };
}

/** Starts the event sources and, on the embedded engine, the compaction of its data. */
function startSources(
  sources: ReturnType<typeof readEventSources>,
  { dynamodbEngine: { database }, dynamodb, table }: Engines,
  log: FunctionLog,
): readonly Loop[] {
  const loops = sources.map((source) => source.start());
  if (database === undefined) return loops;
  const passed = () => passedByAll(loops);
  const failure = (text: string): void => {
    log.failure('Compaction', text);
  };
  const now = () => Math.floor(Date.now() / 1000);
  return [...loops, startCompaction({ database, client: dynamodb, table, passed, failure, now })];
}

/** Stops new work and waits for current work. After `graceMs` current work is cut off, as by a crash. */
async function stopWork(loops: readonly Loop[], runtime: FunctionRuntime): Promise<void> {
  const exited = Promise.all(loops.map((loop) => loop.stop()));
  const enough = new AbortController();
  await Promise.race([exited, sleep(graceMs, undefined, { signal: enough.signal }).catch(() => undefined)]);
  enough.abort();
  await runtime.stop();
  await exited;
}
