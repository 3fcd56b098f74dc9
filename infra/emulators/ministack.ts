import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { freePort } from '../local/engines/free-port.ts';
import { startInBackground, type BackgroundProcess } from './background-process.ts';
import { pathWithPackages } from './commands.ts';

/** The region of production; an emulator has all of them. */
export const REGION = 'sa-east-1';

/** Account of MiniStack. */
export const ACCOUNT = '000000000000';

/** An access key that the emulator takes for the account's root; functions get those of their roles. */
export const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

export type MiniStack = BackgroundProcess & {
  readonly endpoint: string;
  /** Environment of programs that shall take it for AWS: CDK CLI, AWS SDK, tests. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: string;
};

/**
 * Starts MiniStack on a free port of 127.0.0.1, empty, and makes this process trust its certificate.
 *
 * It enforces the IAM policies of the functions (`AUTH`), and speaks TLS, without which the policies of queues and of the
 * CDK's bucket refuse every call. Functions run as processes of the first `node` on the path: that of the packages.
 *
 * @param program Path of `ministack`.
 * @param folder For its log and temporary files; absolute.
 */
export async function startMiniStack(program: string, folder: string): Promise<MiniStack> {
  const port = await freePort();
  const endpoint = `https://127.0.0.1:${port}`;
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  // Else the package.json of the repository would make ES modules of MiniStack's own scripts.
  writeFileSync(join(temporary, 'package.json'), '{ "type": "commonjs" }');
  const certificate = join(temporary, 'ministack-tls/server.crt');
  const log = join(folder, 'ministack.log');
  const { stop } = await startInBackground({
    command: [program],
    environment: {
      ...NO_OTHER_AWS,
      PATH: pathWithPackages(),
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      GATEWAY_PORT: `${port}`,
      MINISTACK_REGION: REGION,
      MINISTACK_ACCOUNT_ID: ACCOUNT,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      AUTH: 'true',
      USE_SSL: '1',
      TMPDIR: temporary,
      PYTHONUNBUFFERED: '1',
    },
    log,
    isReady: () => isHealthy(endpoint, certificate),
    readyWithinSeconds: 60,
  });
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(certificate, 'utf8')]);
  const environment = {
    ...NO_OTHER_AWS,
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    // Node reads the first, the CDK CLI the second.
    NODE_EXTRA_CA_CERTS: certificate,
    AWS_CA_BUNDLE: certificate,
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
  return { endpoint, environment, log, stop };
}

/** What a developer's shell may say about AWS must not reach the emulator, nor what runs against it. */
const NO_OTHER_AWS = {
  AWS_PROFILE: undefined,
  AWS_SESSION_TOKEN: undefined,
  AWS_DEFAULT_REGION: undefined,
  AWS_ENDPOINT_URL: undefined,
  AWS_ENDPOINT_URL_DYNAMODB: undefined,
  NODE_EXTRA_CA_CERTS: undefined,
} as const;

async function isHealthy(endpoint: string, certificate: string): Promise<boolean> {
  if (!existsSync(certificate)) return false;
  const ca = readFileSync(certificate, 'utf8');
  return new Promise((answer, fail) => {
    request(`${endpoint}/_ministack/health`, { ca, agent: false }, (response) => {
      response.resume();
      answer(response.statusCode === 200);
    })
      .on('error', fail)
      .end();
  });
}
