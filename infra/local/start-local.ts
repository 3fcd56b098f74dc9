import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '#shared/platform/clock.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { connectStore } from '#shared/platform/table/dynamo-store.ts';
import { createConsole } from '../console/server/console.ts';
import { createRequestLog } from '../console/server/requests.ts';
import { openClientRegistry } from '../operator/client-registry.ts';
import type { Endpoints } from '../operator/local-environment.ts';
import { localFiles, readLocalSecret } from '../operator/local-environment.ts';
import { companyOfScenarios } from '../partner/sandbox.ts';
import { readApi } from './api/api-model.ts';
import { createGateway, watchGateway } from './api/gateway.ts';
import { listen } from './api/http-server.ts';
import { startBankProcess } from './bank/child.ts';
import { connectCompanies } from './bank/connect-companies.ts';
import { followClocks } from './bank/follow-clocks.ts';
import { openDataFolder } from './data-folder.ts';
import { startDynamoDbEngine } from './engines/dynamodb-engine.ts';
import { prepareTable } from './engines/dynamodb-table.ts';
import { startCompaction } from './engines/embedded-database.ts';
import { startSqsEngine } from './engines/sqs-engine.ts';
import { prepareQueues } from './engines/sqs-queues.ts';
import { openCheckpoints } from './event-sources/checkpoints.ts';
import { passedByAll, readEventSources } from './event-sources/event-sources.ts';
import type { Loop } from './event-sources/loop.ts';
import { functionDefinitions } from './functions/function-definitions.ts';
import { openFunctionLog } from './functions/function-log.ts';
import type { FunctionRuntime } from './functions/function-runtime.ts';
import { createFunctionRuntime } from './functions/function-runtime.ts';
import { createTokenIssuer, keysPath, tokenPath } from './identity/token-issuer.ts';
import type { LocalOptions } from './options.ts';
import { runtimeSettings } from './options.ts';
import { createReceiver } from './receiver/routes.ts';
import { readSigners } from './receiver/signatures.ts';
import { createSecrets } from './secrets.ts';
import { createReference } from './reference.ts';
import type { seedSandbox } from './sandbox.ts';
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
  readonly seed?: typeof seedSandbox;
  /** Told of each step that takes time, in words. */
  readonly begin?: (step: string) => void;
  /** Takes lines that the developer should see at once. */
  readonly report?: (line: string) => void;
};

export type LocalEnvironment = Awaited<ReturnType<typeof startLocal>>;

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const;
/** How long work in hand may take to end; then it is cut off, as by a crash. */
const graceMs = 1000;

/**
 * Runs the synthesized template on this machine.
 *
 * @throws LocalStartError with one line for the developer; what was started until then is stopped.
 */
export async function startLocal(start: StartOptions) {
  await using undo = new AsyncDisposableStack();
  const environment = await assemble(start, undo);
  const stack = undo.move();
  let stopped: Promise<void> | undefined;
  return { ...environment, stop: (): Promise<void> => (stopped ??= stack.disposeAsync()) };
}

type Infrastructure = Awaited<ReturnType<typeof startInfrastructure>>;

/** Folder, port and engines, with the template's table and queues. */
async function startInfrastructure(
  { options, readTemplate, begin, report = console.error }: StartOptions,
  undo: AsyncDisposableStack,
) {
  const folder = openDataFolder(options.folder, options.fresh);
  undo.defer(folder.release);
  const server = await listen(options.port);
  undo.defer(server.stop);
  const log = openFunctionLog(folder.file('functions.log'), report);
  undo.defer(log.close);
  const keep = <T extends { readonly stop: () => Promise<void> }>(engine: T): T => {
    undo.defer(engine.stop);
    return engine;
  };
  const bank =
    options.bank === undefined
      ? Promise.resolve(undefined)
      : startBankProcess(folder.file('bank'), folder.file('bank.log')).then(keep);
  begin?.('Database and queue');
  const parts = [
    startDynamoDbEngine(folder, options.engine, report).then(keep),
    startSqsEngine(folder).then(keep),
    readTemplate(folder.file('build')),
    bank,
  ] as const;
  // If one fails, the others are up by then, and are stopped.
  await Promise.allSettled(parts);
  const [dynamodbEngine, sqsEngine, template, startedBank] = await Promise.all(parts);
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
  const bankFile = startedBank?.connectionFile;
  return {
    folder,
    server,
    log,
    dynamodbEngine,
    sqsEngine,
    template,
    read,
    dynamodb,
    streams,
    sqs,
    table,
    queues,
    bankFile,
  };
}

/** Functions and what calls them, from the template; nothing runs yet. */
function readService(
  start: StartOptions,
  infrastructure: Infrastructure,
  secrets: { readonly path: string },
  undo: AsyncDisposableStack,
) {
  const { template, read, server, log, dynamodbEngine, sqsEngine, table } = infrastructure;
  const definitions = functionDefinitions(read, template.assets, {
    dynamodb: dynamodbEngine.endpoint,
    sqs: sqsEngine.endpoint,
    secrets: `${server.baseUrl}${secrets.path}`,
    settings: runtimeSettings(start.options, { baseUrl: server.baseUrl, jwksUri: `${server.baseUrl}${keysPath}` }),
  });
  const runtime = createFunctionRuntime(definitions, log);
  const checkpoints = openCheckpoints(infrastructure.folder.file('checkpoints.db'));
  undo.defer(checkpoints.close);
  const { database } = dynamodbEngine;
  const newestRecord = database && (() => database.newestRecord(table.name));
  const { access } = sqsEngine;
  return {
    runtime,
    api: readApi(read, runtime.find),
    sources: readEventSources(read, { ...infrastructure, access, runtime, checkpoints, newestRecord }),
    schedules: readSchedules(read, runtime, start.options.scheduleSeconds),
  };
}

async function assemble(start: StartOptions, undo: AsyncDisposableStack) {
  const infrastructure = await startInfrastructure(start, undo);
  const { folder, server, dynamodb, sqs, queues, log } = infrastructure;
  const secrets = createSecrets((name) => readLocalSecret(folder.path, name));
  const { runtime, api, sources, schedules } = readService(start, infrastructure, secrets, undo);

  const registry = openClientRegistry(folder.file(localFiles.clients));
  const { baseUrl } = server;
  const keyFile = folder.file('token-key.json');
  const issuer = await createTokenIssuer({ baseUrl, audience: start.audience, keyFile, registry });
  const { name: tableName } = infrastructure.table;
  const store = connectStore(tableName, { client: DynamoDBDocumentClient.from(dynamodb) });
  const sandboxFile = folder.file(localFiles.sandbox);
  const addresses = { baseUrl, tokenUrl: `${baseUrl}${tokenPath}`, scope: `${start.audience}/.default` };
  const seed = async () => {
    start.begin?.('First companies, with clients and accounts');
    return (await start.seed?.({ store, ids: randomIds, now: systemClock, registry })) ?? [];
  };
  const sandbox = await prepareSandbox(sandboxFile, addresses, seed);

  const loops = [...startSources(sources, infrastructure), startSchedules(schedules, runtime)];
  undo.defer(() => stopService([...loops, server], runtime));
  const receiver = createReceiver({ baseUrl, secrets: () => readSigners(store) });
  const reference = createReference({ ...addresses, accountId: sandbox.companies[0]?.accounts[0]?.id });
  const requests = createRequestLog();
  const consoleReceiver = `${baseUrl}/receiver/console`;
  const page = createConsole({ sandboxFile, receiver: consoleReceiver, requests, requestsOf: 'environment' });
  server.serve(watchGateway(createGateway(api, runtime, log), requests.record), [
    issuer,
    receiver,
    reference,
    page,
    secrets.routes,
  ]);
  const endpoints: Endpoints = {
    ...{ baseUrl, region, tableName },
    dynamodb: infrastructure.dynamodbEngine.endpoint,
    sqs: infrastructure.sqsEngine.endpoint,
  };
  folder.announce(endpoints);
  const { bankFile } = infrastructure;
  if (bankFile !== undefined) {
    // The second company stays with the simulated bank.
    const companies = sandbox.companies.filter(({ name }, at) => at === 0 || name === companyOfScenarios);
    const hear = (event: object) => runtime.invoke(runtime.find('ReceiveCallbacksFunction'), event);
    undo.defer((await connectCompanies({ folder: folder.path, store, companies, bankFile, hear })).stop);
    const jobs = () => runtime.invoke(runtime.find('RunCompanyJobsFunction'), {});
    undo.defer(followClocks(store, jobs).stop);
  }
  return {
    baseUrl,
    /** As in `endpoints.json`. */
    endpoints,
    sandboxFile,
    /** What a connection to the bank of this machine needs, if there is one. */
    bankFile,
    aws: { dynamodb, sqs },
    queues,
    /** Invokes a function by its name or logical id, the hash at the end may be left out. */
    invoke: async (nameOrId: string, event: unknown) => runtime.invoke(runtime.find(nameOrId), event),
    /** Settles when an engine broke and the environment cannot go on. */
    failed: infrastructure.dynamodbEngine.failed,
  };
}

/** Starts the event sources and, on the embedded engine, the compaction of its data. */
function startSources(sources: ReturnType<typeof readEventSources>, infrastructure: Infrastructure): readonly Loop[] {
  const loops = sources.map((source) => source.start());
  const { dynamodbEngine, dynamodb, table, log } = infrastructure;
  const { database } = dynamodbEngine;
  if (database === undefined) return loops;
  const passed = () => passedByAll(loops);
  const failure = (text: string): void => {
    log.failure('Compaction', text);
  };
  const now = () => Math.floor(Date.now() / 1000);
  return [...loops, startCompaction({ database, client: dynamodb, table, passed, failure, now })];
}

/** Takes no new work and waits for the work in hand; after the grace that is cut off, as by a crash. */
async function stopService(loops: readonly Loop[], runtime: FunctionRuntime): Promise<void> {
  const ended = Promise.all(loops.map((loop) => loop.stop()));
  const enough = new AbortController();
  await Promise.race([ended, sleep(graceMs, undefined, { signal: enough.signal }).catch(() => undefined)]);
  enough.abort();
  await runtime.stop();
  await ended;
}
