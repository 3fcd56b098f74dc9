import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installDynamoDbLocal } from '@banking-order/cdk-local';
import { pathWithPackages } from '#infra/releases/commands.ts';
import { startInBackground } from './background.ts';
import { startDynamoDbLocal } from './dynamodb-local.ts';
import type { Emulator } from './emulator.ts';
import { asAws, credentials, noOtherAws } from './emulator.ts';
import { markVariable } from './loopback.ts';
import { standIns } from './not-judged.ts';
import { pythonTool } from './python-tools.ts';

/** Folder of the project's plugin, on the module path of LocalStack's Python. */
export const plugins = join(import.meta.dirname, 'localstack');

/** Installs LocalStack and its database. @returns The Python of its virtual environment. */
export async function installLocalStack(): Promise<string> {
  const python = await pythonTool('localstack');
  await installDynamoDbLocal();
  return python;
}

/**
 * Starts LocalStack 4.14, its last free edition, with this project's plugin on 127.0.0.1, empty: a plain process
 * without Docker or account. Its tables are those of Amazon's DynamoDB Local.
 * @param folder For its logs and files; absolute.
 * @throws Error when it does not start, or lacks a part of the plugin.
 */
export async function startLocalStack(python: string, folder: string, port: number): Promise<Emulator> {
  const endpoint = `http://127.0.0.1:${port}`;
  const mark = randomUUID();
  const marked = { [markVariable]: mark };
  const files = join(folder, 'localstack');
  mkdirSync(join(files, 'tmp'), { recursive: true });
  const log = join(folder, 'localstack.log');
  const database = await startDynamoDbLocal({ log: join(folder, 'dynamodb-local.log'), environment: marked });
  const environment = { ...noOtherAws, ...marked, ...settings(files, port, database.port) };
  const server = await startInBackground({
    command: [python, '-m', 'localstack.runtime.main'],
    environment,
    log,
    isReady: async () => (await fetch(`${endpoint}/_localstack/health`)).ok,
    readyWithinSeconds: 180,
  }).catch(async (error: unknown) => {
    await database.stop();
    throw error;
  });
  const stop = () => server.stop().finally(database.stop);
  const missing = missingStandIns(readFileSync(log, 'utf8'));
  if (missing.length > 0) {
    await stop();
    throw new Error(
      `LocalStack started without these parts of this project's plugin: ${missing.join(', ')}. See ${log}.`,
    );
  }
  return {
    name: 'LocalStack 4.14 with the plugin of this project',
    endpoint,
    log,
    mark,
    stop,
    environment: asAws(endpoint),
    apiAddress: (apiId, stage) => `${endpoint}/_aws/execute-api/${apiId}/${stage}`,
    correct: () => Promise.resolve(),
    correctionStacks: [],
    capabilities: ['gateway-responses', 'denial-texts', 'repeated-headers', 'retry-timing', 'speed'],
  };
}

/** LocalStack's settings (docs.localstack.cloud, "Configuration") where the default does not fit. */
function settings(files: string, port: number, databasePort: number): Readonly<Record<string, string>> {
  return {
    HOME: files,
    TMPDIR: join(files, 'tmp'),
    FILESYSTEM_ROOT: join(files, 'root'),
    // The first Node on the path runs the functions.
    PATH: pathWithPackages(),
    PYTHONPATH: plugins,
    PYTHONUNBUFFERED: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    GATEWAY_LISTEN: `127.0.0.1:${port}`,
    LOCALSTACK_HOST: `127.0.0.1:${port}`,
    DNS_ADDRESS: '0',
    // Nothing is sent and nothing is downloaded.
    DISABLE_EVENTS: '1',
    SKIP_SSL_CERT_DOWNLOAD: '1',
    // `http://127.0.0.1:<port>/queue/…`: the host names of other strategies do not lead to this machine.
    SQS_ENDPOINT_STRATEGY: 'path',
    LAMBDA_RUNTIME_EXECUTOR: 'process',
    // Seconds that a function may take to start: as long as its stand-in waits.
    LAMBDA_RUNTIME_ENVIRONMENT_TIMEOUT: '90',
    // The default keeps a hundred idle processes of functions.
    LAMBDA_KEEPALIVE_MS: '30000',
    LAMBDA_EVENT_SOURCE_MAPPING_POLL_INTERVAL_SEC: '0.05',
    LAMBDA_EVENT_SOURCE_MAPPING_MAX_BACKOFF_ON_EMPTY_POLL_SEC: '0.2',
    // DynamoDB Local has its own streams; the Docker image emulates Kinesis.
    PROVIDER_OVERRIDE_DYNAMODB: 'v2',
    PROVIDER_OVERRIDE_DYNAMODBSTREAMS: 'v2',
    DYNAMODB_LOCAL_PORT: `${databasePort}`,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
}

/** Returns the plugin's parts that LocalStack's log does not name: LocalStack starts even when a plugin fails. */
export function missingStandIns(log: string): readonly string[] {
  return Object.keys(standIns).filter((name) => !new RegExp(`^stand-in ${name}: `, 'mu').test(log));
}
