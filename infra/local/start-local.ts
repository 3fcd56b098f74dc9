import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { SQSClient } from '@aws-sdk/client-sqs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readApi } from './api/api-model.ts';
import { createGateway } from './api/gateway.ts';
import { listen } from './api/http-server.ts';
import { openDataFolder } from './data-folder.ts';
import { startDynamoDbEngine } from './engines/dynamodb-engine.ts';
import { prepareTables } from './engines/dynamodb-tables.ts';
import { startSqsEngine } from './engines/sqs-engine.ts';
import { prepareQueues, type LocalQueue } from './engines/sqs-queues.ts';
import { openCheckpoints } from './event-sources/checkpoints.ts';
import { readEventSources } from './event-sources/event-sources.ts';
import type { Loop } from './event-sources/stopping.ts';
import { functionDefinitions } from './functions/function-definitions.ts';
import { openFunctionLog } from './functions/function-log.ts';
import { createFunctionRuntime, type InvokeOutcome } from './functions/function-runtime.ts';
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
  readonly sandbox: Sandbox;
  readonly sandboxFile: string;
  readonly aws: { readonly dynamodb: DynamoDBClient; readonly sqs: SQSClient };
  readonly queues: readonly LocalQueue[];
  readonly tableNames: readonly string[];
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

async function assemble(start: StartOptions, undo: AsyncDisposableStack): Promise<Omit<LocalEnvironment, 'stop'>> {
  const { options } = start;
  const folder = openDataFolder(options.folder);
  undo.defer(folder.release);
  const server = await listen(options.port);
  undo.defer(server.stop);
  const log = openFunctionLog(folder.file('functions.log'), start.report ?? console.error);
  undo.defer(log.close);

  const [dynamodbEngine, sqsEngine, template] = await Promise.all([
    startDynamoDbEngine(folder, options.dynamodbEndpoint).then((engine) => {
      undo.defer(engine.stop);
      return engine;
    }),
    startSqsEngine(folder, REGION).then((engine) => {
      undo.defer(engine.stop);
      return engine;
    }),
    synthesize(start.buildApp, start.stage),
  ]);
  checkResourceTypes(template);
  const client = { region: REGION, credentials: CREDENTIALS };
  const dynamodb = new DynamoDBClient({ ...client, endpoint: dynamodbEngine.endpoint });
  const streams = new DynamoDBStreamsClient({ ...client, endpoint: dynamodbEngine.endpoint });
  const sqs = new SQSClient({ ...client, endpoint: sqsEngine.endpoint });
  const resolve = createResolver(
    template,
    localValues({ region: REGION, api: server.baseUrl, sqs: sqsEngine.endpoint }),
  );
  const [tables, queues] = await Promise.all([
    prepareTables(dynamodb, template, resolve),
    prepareQueues(sqs, template, resolve),
  ]);

  const definitions = functionDefinitions(template, resolve, {
    region: REGION,
    dynamodb: dynamodbEngine.endpoint,
    sqs: sqsEngine.endpoint,
    overrides: runtimeOverrides(options, { baseUrl: server.baseUrl, jwksUri: `${server.baseUrl}${KEYS_PATH}` }),
  });
  const runtime = createFunctionRuntime(definitions, log);
  undo.defer(runtime.stop);
  const api = readApi(template, resolve, runtime.find);
  if (api === undefined) throw new LocalStartError('The template has no REST API.');
  const checkpoints = openCheckpoints(folder.file('checkpoints.json'));
  const sources = readEventSources(template, resolve, {
    region: REGION,
    streams,
    sqs,
    tables,
    queues,
    runtime,
    checkpoints,
    log,
  });
  const schedules = readSchedules(template, resolve, runtime, REGION);

  const registry = openClientRegistry(folder.file('clients.json'));
  const issuer = await createTokenIssuer({
    baseUrl: server.baseUrl,
    audience: start.audience,
    keyFile: folder.file('token-key.json'),
    registry,
  });
  const tableNames = tables.map(({ name }) => name);
  const sandboxFile = folder.file('sandbox.json');
  const addresses = {
    baseUrl: server.baseUrl,
    tokenUrl: `${server.baseUrl}${TOKEN_PATH}`,
    scope: `${start.audience}/.default`,
  };
  const seedContext = {
    dynamodb,
    aws: { region: REGION, endpoint: dynamodbEngine.endpoint, ...CREDENTIALS },
    tableNames,
    registry,
  };
  const sandbox = await prepareSandbox(sandboxFile, addresses, () => start.seed?.(seedContext) ?? Promise.resolve([]));

  const loops = [...sources.map((source) => source.start()), startSchedules(schedules, runtime)];
  server.serve(createGateway(api, runtime, REGION), issuer);
  undo.defer(() => stopWithin(GRACE_MS, [...loops, server]));
  const failed = dynamodbEngine.failed;
  const invoke = (nameOrId: string, event: unknown): Promise<InvokeOutcome> =>
    runtime.invoke(runtime.find(nameOrId), event);
  return {
    baseUrl: server.baseUrl,
    sandbox,
    sandboxFile,
    aws: { dynamodb, sqs },
    queues,
    tableNames,
    registry,
    invoke,
    failed,
  };
}

async function stopWithin(milliseconds: number, loops: readonly Loop[]): Promise<void> {
  const enough = new AbortController();
  await Promise.race([
    Promise.all(loops.map((loop) => loop.stop())),
    sleep(milliseconds, undefined, { signal: enough.signal }).catch(() => undefined),
  ]);
  enough.abort();
}
