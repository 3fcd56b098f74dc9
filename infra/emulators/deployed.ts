import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { environments } from '../environments.ts';
import { replaceFile } from '../local/data-folder.ts';
import { openClientRegistry } from '../local/identity/client-registry.ts';
import { startTokenIssuer } from '../local/token-issuer.ts';
import { seedLocal } from '../partner/sandbox.ts';
import { tail } from './background-process.ts';
import { exitWith, ROOT, run, timed } from './commands.ts';
import { deploy, destroy, type Deployment } from './deployment.ts';
import { CREDENTIALS, REGION, startMiniStack, type MiniStack } from './ministack.ts';
import { pythonTool } from './python-tools.ts';

/** Everything that a run leaves: log of the emulator, assembly, sandbox file. Made anew by each. */
const FOLDER = join(ROOT, '.deployed');
const SANDBOX = join(FOLDER, 'sandbox.json');

/**
 * What the acceptance suite can judge on MiniStack; the suite names each test that needs more, with its reason, at the end.
 * docs/emulators.md says what was found out how.
 */
const CAPABILITIES = ['gateway-responses', 'retry-timing', 'speed'];

/**
 * `npm run test:deployed`: deploys the CDK app by the CDK CLI into MiniStack, onboards two companies there and runs the
 * acceptance suite against it. Exits with the suite's code.
 */
async function main(): Promise<number> {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
  const program = await timed('MiniStack from PyPI', () => pythonTool('ministack'));
  const emulator = await timed('start', () => startMiniStack(program, FOLDER));
  try {
    const code = await judge(emulator);
    if (code !== 0) console.log(`\nThe end of ${emulator.log}:\n${tail(emulator.log)}`);
    return code;
  } catch (error) {
    console.log(`\nThe end of ${emulator.log}:\n${tail(emulator.log)}`);
    throw error;
  } finally {
    await emulator.stop();
  }
}

async function judge(emulator: MiniStack): Promise<number> {
  const { scope } = environments.local.tokens;
  const registry = openClientRegistry(join(FOLDER, 'clients.json'));
  const keyFile = join(FOLDER, 'token-key.json');
  const issuer = await startTokenIssuer({ port: 0, audience: scope, keyFile, registry });
  try {
    const deployment = await timed('deployment', () => deploy(emulator, issuer, FOLDER));
    const { endpoint } = emulator;
    const aws = { region: REGION, endpoint, ...CREDENTIALS };
    const companies = await timed('onboarding', () => seedLocal({ aws, tableNames: [deployment.tableName], registry }));
    const sandbox = sandboxOf(deployment, issuer.tokenUrl, endpoint);
    replaceFile(SANDBOX, `${JSON.stringify({ ...sandbox, companies, signingKeyFile: keyFile }, null, 2)}\n`);
    const code = await timed('acceptance suite', () => acceptance(emulator));
    await timed('deletion of the stacks', () => destroy(emulator));
    return code;
  } finally {
    await issuer.stop();
  }
}

function sandboxOf(deployment: Deployment, tokenUrl: string, endpoint: string) {
  const { baseUrl, deadLetterQueueUrl } = deployment;
  const deadLetters = { endpoint, region: REGION, queueUrl: deadLetterQueueUrl };
  return { baseUrl, tokenUrl, scope: `${environments.local.tokens.scope}/.default`, deadLetters };
}

function acceptance({ environment }: MiniStack): Promise<number> {
  const named = process.argv.slice(2);
  return run(['vitest', 'run', '--project', 'acceptance', ...named], {
    environment: { ...environment, ACCEPTANCE_SANDBOX: SANDBOX, ACCEPTANCE_CAPABILITIES: CAPABILITIES.join(',') },
  });
}

exitWith(main());
