import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { SQSClient } from '@aws-sdk/client-sqs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readApi } from './api/api-model.ts';
import { createGateway } from './api/gateway.ts';
import { listen } from './api/http-server.ts';
import { openDataFolder, type Endpoints } from './data-folder.ts';
import { startDynamoDbEngine } from './engines/dynamodb-engine.ts';
import { prepareTables } from './engines/dynamodb-tables.ts';
import { startSqsEngine } from './engines/sqs-engine.ts';
import { prepareQueues, type LocalQueue } from './engines/sqs-queues.ts';
import { openCheckpoints } from './event-sources/checkpoints.ts';
import { readEventSources } from './event-sources/event-sources.ts';
import type { Loop } from './event-sources/stopping.ts';
import { functionDefinitions } from './functions/function-definitions.ts';
import { openFunctionLog } from './functions/function-log.ts';
import { createFunctionRuntime, type FunctionRuntime, type InvokeOutcome } from './functions/function-runtime.ts';
import { openClientRegistry, type FileClientRegistry } from './identity/client-registry.ts';
import { runtimeOverrides, type LocalOptions } from './options.ts';
import { prepareSandbox, type Sandbox, type Seed } from './sandbox.ts';
import { readSchedules, startSchedules } from './schedules/schedules.ts';
import { synthesize, type BuildApp } from './template/assembly.ts';
import { createResolver } from './template/intrinsics.ts';
import { LocalStartError } from './template/local-template.ts';
import { localValues, REGION } from './template/local-values.ts';
import { checkResourceTypes } from './template/resource-types.ts';
import { createTokenIssuer, KEYS_PATH, TOKEN_PATH } from './token-issuer.ts';

export interface StartOptions {
  readonly options: LocalOptions;
  readonly buildApp: BuildApp;
  /** Stage of the app to run; without it all. */
  readonly stage?: string;
  /** `aud` of the issuer's tokens. */
  readonly audience: string;
  /** Makes the companies of the sandbox at the first start. */
  readonly seed?: Seed;
  /** Run once everything is up, beside the first requests. */
  readonly onReady?: readonly ((environment: LocalEnvironment) => Promise<unknown>)[];
  /** Lines that a person should see at once. */
  readonly report?: (line: string) => void;
}

export interface LocalEnvironment {
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
  /** Settles when something below broke and the environment cannot go on. */
  readonly failed: Promise<Error>;
  readonly stop: () => Promise<void>;
}

const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;
/** What is being worked on may take this long to end; then it is cut off, as by a crash. */
const GRACE_MS = 1000;

/**
 * Runs the synthesized template on this machine.
 *
 * @throws {LocalStartError} with one line for the person who starts it; whatever was started until then is stopped.
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

type Ground = Awaited<ReturnType<typeof layGround>>;

/** What everything else stands on: the folder, the port, the engines with the template's table and queues. */
async function layGround(start: StartOptions, undo: AsyncDisposableStack) {
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
  const [dynamodbEngine, sqsEngine, template] = await Promise.all([
    startDynamoDbEngine(folder, options.dynamodbEndpoint).then(keep),
    startSqsEngine(folder, REGION).then(keep),
    synthesize(start.buildApp, folder.file('build'), start.stage),
  ]);
  checkResourceTypes(template);
  const client = { region: REGION, credentials: CREDENTIALS };
  const dynamodb = new DynamoDBClient({ ...client, endpoint: dynamodbEngine.endpoint });
  const streams = new DynamoDBStreamsClient({ ...client, endpoint: dynamodbEngine.endpoint });
  const sqs = new SQSClient({ ...client, endpoint: sqsEngine.endpoint });
  const resolve = createResolver(template, localValues({ region: REGION, sqs: sqsEngine.endpoint }));
  const [tables, queues] = await Promise.all([
    prepareTables(dynamodb, template, resolve),
    prepareQueues(sqs, template, resolve),
  ]);
  return { folder, server, log, dynamodbEngine, sqsEngine, template, resolve, dynamodb, streams, sqs, tables, queues };
}

/** Functions and what calls them, from the template; nothing runs yet. */
function readService(start: StartOptions, ground: Ground, undo: AsyncDisposableStack) {
  const { template, resolve, server, log } = ground;
  const definitions = functionDefinitions(template, resolve, {
    region: REGION,
    dynamodb: ground.dynamodbEngine.endpoint,
    sqs: ground.sqsEngine.endpoint,
    overrides: runtimeOverrides(start.options, { baseUrl: server.baseUrl, jwksUri: `${server.baseUrl}${KEYS_PATH}` }),
  });
  const runtime = createFunctionRuntime(definitions, log);
  const api = readApi(template, resolve, runtime.find);
  if (api === undefined) throw new LocalStartError('The template has no REST API.');
  const checkpoints = openCheckpoints(ground.folder.file('checkpoints.db'));
  undo.defer(checkpoints.close);
  const sources = readEventSources(template, resolve, { ...ground, region: REGION, runtime, checkpoints });
  const schedules = readSchedules(template, resolve, runtime, REGION);
  return { runtime, api, sources, schedules };
}

async function assemble(start: StartOptions, undo: AsyncDisposableStack): Promise<Omit<LocalEnvironment, 'stop'>> {
  const ground = await layGround(start, undo);
  const { folder, server, dynamodb, sqs, queues } = ground;
  const { runtime, api, sources, schedules } = readService(start, ground, undo);

  const registry = openClientRegistry(folder.file('clients.json'));
  const { baseUrl } = server;
  const keyFile = folder.file('token-key.json');
  const issuer = await createTokenIssuer({ baseUrl, audience: start.audience, keyFile, registry });
  const tableNames = ground.tables.map(({ name }) => name);
  const sandboxFile = folder.file('sandbox.json');
  const addresses = { baseUrl, tokenUrl: `${baseUrl}${TOKEN_PATH}`, scope: `${start.audience}/.default` };
  const aws = { region: REGION, endpoint: ground.dynamodbEngine.endpoint, ...CREDENTIALS };
  const seed = async (): ReturnType<Seed> => (await start.seed?.({ dynamodb, aws, tableNames, registry })) ?? [];
  const sandbox = await prepareSandbox(sandboxFile, addresses, seed);

  const loops = [...sources.map((source) => source.start()), startSchedules(schedules, runtime)];
  undo.defer(() => stopService([...loops, server], runtime));
  server.serve(createGateway(api, runtime, REGION), issuer);
  const [tableName = ''] = tableNames;
  const endpoints = { baseUrl, dynamodb: aws.endpoint, sqs: ground.sqsEngine.endpoint, region: REGION, tableName };
  folder.announce(endpoints);
  const invoke = async (nameOrId: string, event: unknown): Promise<InvokeOutcome> =>
    runtime.invoke(runtime.find(nameOrId), event);
  const { failed } = ground.dynamodbEngine;
  return { baseUrl, endpoints, sandbox, sandboxFile, aws: { dynamodb, sqs }, queues, registry, invoke, failed };
}

/** No new work; what is in hand may come to its end within the grace, what is not done by then is cut off as by a crash. */
async function stopService(loops: readonly Loop[], runtime: FunctionRuntime): Promise<void> {
  const ended = Promise.all(loops.map((loop) => loop.stop()));
  const enough = new AbortController();
  await Promise.race([ended, sleep(GRACE_MS, undefined, { signal: enough.signal }).catch(() => undefined)]);
  enough.abort();
  await runtime.stop();
  await ended;
}
