import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { SQSClient } from '@aws-sdk/client-sqs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConsole } from '../console/server/console.ts';
import { createRequestLog } from '../console/server/requests.ts';
import type { FileClientRegistry } from '../operator/client-registry.ts';
import { openClientRegistry } from '../operator/client-registry.ts';
import type { Endpoints } from '../operator/local-environment.ts';
import { localFiles } from '../operator/local-environment.ts';
import type { Sandbox } from '../operator/local-environment.ts';
import { readApi } from './api/api-model.ts';
import { createGateway, watchGateway } from './api/gateway.ts';
import { listen } from './api/http-server.ts';
import { openDataFolder } from './data-folder.ts';
import { startDynamoDbEngine } from './engines/dynamodb-engine.ts';
import { prepareTable } from './engines/dynamodb-table.ts';
import { startCompaction } from './engines/embedded-database.ts';
import { startSqsEngine } from './engines/sqs-engine.ts';
import type { LocalQueue } from './engines/sqs-queues.ts';
import { prepareQueues } from './engines/sqs-queues.ts';
import { openCheckpoints } from './event-sources/checkpoints.ts';
import { passedByAll, readEventSources } from './event-sources/event-sources.ts';
import type { Loop } from './event-sources/loop.ts';
import { functionDefinitions } from './functions/function-definitions.ts';
import { openFunctionLog } from './functions/function-log.ts';
import type { FunctionRuntime, InvokeOutcome } from './functions/function-runtime.ts';
import { createFunctionRuntime } from './functions/function-runtime.ts';
import { createTokenIssuer, keysPath, tokenPath } from './identity/token-issuer.ts';
import type { LocalOptions } from './options.ts';
import { runtimeOverrides } from './options.ts';
import { createReceiver } from './receiver/routes.ts';
import { secretsOf } from './receiver/signatures.ts';
import { createReference } from './reference.ts';
import type { Seed } from './sandbox.ts';
import { prepareSandbox } from './sandbox.ts';
import { readSchedules, startSchedules } from './schedules.ts';
import type { LocalTemplate } from './template/local-template.ts';
import { checkResourceTypes } from './template/local-template.ts';
import { region } from './template/local-values.ts';
import { resourceReader } from './template/resources.ts';

type StartOptions = {
  readonly options: LocalOptions;
  /** The stacks to run. Functions run from the folder, which is this environment's alone. */
  readonly readTemplate: (folder: string) => Promise<LocalTemplate>;
  /** `aud` of the issuer's tokens. */
  readonly audience: string;
  /** Makes the companies of the sandbox at the first start. */
  readonly seed?: Seed;
  /** Run once everything is up, beside the first requests. */
  readonly onReady?: readonly ((environment: LocalEnvironment) => Promise<unknown>)[];
  /** Takes lines that a person should see at once. */
  readonly report?: (line: string) => void;
};

export type LocalEnvironment = {
  readonly baseUrl: string;
  /** As in `endpoints.json`. */
  readonly endpoints: Endpoints;
  readonly sandbox: Sandbox;
  readonly sandboxFile: string;
  readonly aws: { readonly dynamodb: DynamoDBClient; readonly sqs: SQSClient };
  readonly queues: readonly LocalQueue[];
  readonly registry: FileClientRegistry;
  /** Invokes a function by its name or logical id, the hash at the end may be left out. */
  readonly invoke: (nameOrId: string, event: unknown) => Promise<InvokeOutcome>;
  /** Settles when an engine broke and the environment cannot go on. */
  readonly failed: Promise<Error>;
  readonly stop: () => Promise<void>;
};

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const;
/** How long work in hand may take to end; then it is cut off, as by a crash. */
const graceMs = 1000;

/**
 * Runs the synthesized template on this machine.
 *
 * @throws LocalStartError with one line for the person who starts it; whatever was started until then is stopped.
 */
export async function startLocal(start: StartOptions): Promise<LocalEnvironment> {
  await using undo = new AsyncDisposableStack();
  const environment = await assemble(start, undo);
  const stack = undo.move();
  let stopped: Promise<void> | undefined;
  const running = { ...environment, stop: () => (stopped ??= stack.disposeAsync()) };
  for (const hook of start.onReady ?? []) {
    hook(running).catch((error: unknown) => {
      (start.report ?? console.error)(`After the start: ${String(error)}`);
    });
  }
  return running;
}

type Infrastructure = Awaited<ReturnType<typeof startInfrastructure>>;

/** What the service runs on: the folder, the port, the engines with the template's table and queues. */
async function startInfrastructure(start: StartOptions, undo: AsyncDisposableStack) {
  const { options } = start;
  const folder = openDataFolder(options.folder);
  undo.defer(folder.release);
  const server = await listen(options.port);
  undo.defer(server.stop);
  const log = openFunctionLog(folder.file('functions.log'), start.report ?? console.error);
  undo.defer(log.close);
  const keep = <T extends { readonly stop: () => Promise<void> }>(engine: T): T => {
    undo.defer(engine.stop);
    return engine;
  };
  const parts = [
    startDynamoDbEngine(folder, options.engine, start.report ?? console.error).then(keep),
    startSqsEngine(folder).then(keep),
    start.readTemplate(folder.file('build')),
  ] as const;
  // If one fails, the others are up by then, and are stopped.
  await Promise.allSettled(parts);
  const [dynamodbEngine, sqsEngine, template] = await Promise.all(parts);
  checkResourceTypes(template);
  const client = { region, credentials };
  const dynamodb = new DynamoDBClient({ ...client, endpoint: dynamodbEngine.endpoint });
  const streams = new DynamoDBStreamsClient({ ...client, endpoint: dynamodbEngine.endpoint });
  const sqs = new SQSClient({ ...client, endpoint: sqsEngine.endpoint });
  const read = resourceReader(template, sqsEngine.endpoint);
  const [table, queues] = await Promise.all([
    prepareTable(dynamodb, read),
    prepareQueues(sqs, sqsEngine.endpoint, read),
  ]);
  return { folder, server, log, dynamodbEngine, sqsEngine, template, read, dynamodb, streams, sqs, table, queues };
}

/** Functions and what calls them, from the template; nothing runs yet. */
function readService(start: StartOptions, infrastructure: Infrastructure, undo: AsyncDisposableStack) {
  const { template, read, server, log } = infrastructure;
  const definitions = functionDefinitions(read, template.assets, {
    dynamodb: infrastructure.dynamodbEngine.endpoint,
    sqs: infrastructure.sqsEngine.endpoint,
    overrides: runtimeOverrides(start.options, { baseUrl: server.baseUrl, jwksUri: `${server.baseUrl}${keysPath}` }),
  });
  const runtime = createFunctionRuntime(definitions, log);
  const api = readApi(read, runtime.find);
  const checkpoints = openCheckpoints(infrastructure.folder.file('checkpoints.db'));
  undo.defer(checkpoints.close);
  const { database } = infrastructure.dynamodbEngine;
  const newestRecord = database && (() => database.newestRecord(infrastructure.table.name));
  const { access } = infrastructure.sqsEngine;
  const sources = readEventSources(read, {
    ...infrastructure,
    access,
    runtime,
    checkpoints,
    newestRecord,
  });
  const schedules = readSchedules(read, runtime, start.options.scheduleSeconds);
  return { runtime, api, sources, schedules };
}

async function assemble(start: StartOptions, undo: AsyncDisposableStack): Promise<Omit<LocalEnvironment, 'stop'>> {
  const infrastructure = await startInfrastructure(start, undo);
  const { folder, server, dynamodb, sqs, queues } = infrastructure;
  const { runtime, api, sources, schedules } = readService(start, infrastructure, undo);

  const registry = openClientRegistry(folder.file(localFiles.clients));
  const { baseUrl } = server;
  const keyFile = folder.file('token-key.json');
  const issuer = await createTokenIssuer({ baseUrl, audience: start.audience, keyFile, registry });
  const { name: tableName } = infrastructure.table;
  const sandboxFile = folder.file(localFiles.sandbox);
  const addresses = { baseUrl, tokenUrl: `${baseUrl}${tokenPath}`, scope: `${start.audience}/.default` };
  const aws = { region, endpoint: infrastructure.dynamodbEngine.endpoint, ...credentials };
  const seed = async (): ReturnType<Seed> => (await start.seed?.({ aws, tableName, registry })) ?? [];
  const sandbox = await prepareSandbox(sandboxFile, addresses, seed);

  const loops = [...startSources(sources, infrastructure), startSchedules(schedules, runtime)];
  undo.defer(() => stopService([...loops, server], runtime));
  const receiver = createReceiver({ baseUrl, secrets: secretsOf(dynamodb, tableName) });
  const accountId = sandbox.companies[0]?.accounts[0]?.id;
  const reference = createReference({ ...addresses, accountId });
  const requests = createRequestLog();
  const page = createConsole({
    sandboxFile,
    receiver: `${baseUrl}/receiver/console`,
    requests,
    requestsOf: 'environment',
  });
  const gateway = watchGateway(createGateway(api, runtime, infrastructure.log), requests.record);
  server.serve(gateway, [issuer, receiver, reference, page]);
  const endpoints = { baseUrl, dynamodb: aws.endpoint, sqs: infrastructure.sqsEngine.endpoint, region, tableName };
  folder.announce(endpoints);
  const invoke = async (nameOrId: string, event: unknown): Promise<InvokeOutcome> =>
    runtime.invoke(runtime.find(nameOrId), event);
  const { failed } = infrastructure.dynamodbEngine;
  return { baseUrl, endpoints, sandbox, sandboxFile, aws: { dynamodb, sqs }, queues, registry, invoke, failed };
}

/** Starts the event sources and, on the embedded engine, the compaction of its data. */
function startSources(sources: ReturnType<typeof readEventSources>, infrastructure: Infrastructure): readonly Loop[] {
  const loops = sources.map((source) => source.start());
  const { database } = infrastructure.dynamodbEngine;
  if (database === undefined) return loops;
  const compaction = startCompaction({
    database,
    client: infrastructure.dynamodb,
    table: infrastructure.table,
    passed: () => passedByAll(loops),
    failure: (text) => {
      infrastructure.log.failure('Compaction', text);
    },
    now: () => Math.floor(Date.now() / 1000),
  });
  return [...loops, compaction];
}

/**
 * Takes no new work and waits for the work in hand; after the grace that is cut off, as by a crash.
 */
async function stopService(loops: readonly Loop[], runtime: FunctionRuntime): Promise<void> {
  const ended = Promise.all(loops.map((loop) => loop.stop()));
  const enough = new AbortController();
  await Promise.race([ended, sleep(graceMs, undefined, { signal: enough.signal }).catch(() => undefined)]);
  enough.abort();
  await runtime.stop();
  await ended;
}
