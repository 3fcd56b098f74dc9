import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { freePort } from '../local/processes.ts';
import { startInBackground } from './background-process.ts';
import { pathWithPackages } from './commands.ts';
import type { Emulator } from './emulator.ts';
import { account, asAws, credentials, noOtherAws, region, stacks } from './emulator.ts';
import { markVariable } from './loopback.ts';
import { correct, correctionsStack } from './ministack-corrections.ts';

/**
 * Starts MiniStack on a free port of 127.0.0.1, empty, and makes this process trust its certificate.
 *
 * It enforces the IAM policies of the functions (`AUTH`), and speaks TLS, without which the policies of queues and of
 * the CDK's bucket refuse every call. Functions run as processes of the first `node` on the path: that of the packages.
 *
 * @param program Path of `ministack`.
 * @param folder For its log and temporary files; absolute.
 */
export async function startMiniStack(program: string, folder: string): Promise<Emulator> {
  const port = await freePort();
  const endpoint = `https://127.0.0.1:${port}`;
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  // Else the package.json of the repository would make ES modules of MiniStack's own scripts.
  writeFileSync(join(temporary, 'package.json'), '{ "type": "commonjs" }');
  const certificate = join(temporary, 'ministack-tls/server.crt');
  const log = join(folder, 'ministack.log');
  const mark = randomUUID();
  const { stop } = await startInBackground({
    command: [program],
    environment: {
      ...noOtherAws,
      [markVariable]: mark,
      PATH: pathWithPackages(),
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      GATEWAY_PORT: `${port}`,
      MINISTACK_REGION: region,
      MINISTACK_ACCOUNT_ID: account,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
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
  // Node reads the first, the CDK CLI the second.
  const environment = { ...asAws(endpoint), NODE_EXTRA_CA_CERTS: certificate, AWS_CA_BUNDLE: certificate };
  return {
    name: 'MiniStack',
    endpoint,
    environment,
    log,
    mark,
    stop,
    withoutMathAlarms: true,
    apiAddress: (apiId, stage) => `${endpoint}/restapis/${apiId}/${stage}/_user_request_`,
    correct: () => correct(endpoint, stacks),
    correctionStacks: [correctionsStack],
    capabilities: ['gateway-responses', 'retry-timing', 'speed'],
  };
}

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
