import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { environments } from '#infra/environments.ts';
import { openClientRegistry } from '#infra/operator/client-registry.ts';
import type { Endpoints } from '#infra/operator/local-environment.ts';
import { localFiles, replaceFile } from '#infra/operator/local-environment.ts';
import { startTokenIssuer } from '../local/identity/token-issuer.ts';
import { tail, outputOf, runStep } from './commands.ts';
import type { Deployment } from './deployment.ts';
import { deploy, destroy, onboard } from './deployment.ts';
import type { Emulator } from './emulator.ts';
import { region } from './emulator.ts';
import { checkLoopback, checkNoneLeft } from './loopback.ts';

/** The service in an emulator, with two companies. */
export type Trial = { readonly emulator: Emulator; readonly baseUrl: string; readonly sandboxFile: string };

const operator = join(import.meta.dirname, '../operator/main.ts');

/** Empties the folder of a run. It holds secrets: only its owner may read it. */
export function emptyFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/**
 * Deploys the app into an emulator, onboards two companies, uses the service, then deletes the stacks and stops the
 * emulator with all its processes. After a failure it shows the end of the emulator's log.
 * @param folder For logs, assembly, `sandbox.json`, `endpoints.json`; absolute.
 */
export async function withTrial<T>(emulator: Emulator, folder: string, use: (trial: Trial) => Promise<T>): Promise<T> {
  try {
    const addresses = checkLoopback(emulator.mark).map(({ address, port }) => `${address}:${port}`);
    console.log(`── ${emulator.name} listens on ${addresses.join(', ')}`);
    return await withDeployment(emulator, folder, use);
  } catch (error) {
    console.log(`\nThe end of ${emulator.log}:\n${tail(emulator.log)}`);
    throw error;
  } finally {
    await emulator.stop();
    await checkNoneLeft(emulator.mark);
  }
}

async function withDeployment<T>(emulator: Emulator, folder: string, use: (trial: Trial) => Promise<T>): Promise<T> {
  const { scope } = environments.local.tokens;
  const clientsFile = join(folder, localFiles.clients);
  const keyFile = join(folder, 'token-key.json');
  const registry = openClientRegistry(clientsFile);
  const issuer = await startTokenIssuer({ port: 0, audience: scope, keyFile, registry });
  try {
    const deployment = await runStep('deployment', () => deploy(emulator, issuer, folder));
    const { baseUrl, tableName } = deployment;
    const place = ['--table', tableName, '--clients-file', clientsFile, '--json'];
    const { endpoint, environment } = emulator;
    const companies = await runStep("onboarding by the operator's command", () =>
      onboard(
        async (...args) => JSON.parse(await outputOf(['node', operator, ...args, ...place], environment)) as unknown,
      ),
    );
    const sandboxFile = join(folder, 'sandbox.json');
    const sandbox = { ...sandboxOf(deployment, issuer.tokenUrl, endpoint), companies, signingKeyFile: keyFile };
    replaceFile(sandboxFile, `${JSON.stringify(sandbox, null, 2)}\n`);
    // The tools of `npm start` find the table by this file in LOCAL_DIR.
    const endpoints: Endpoints = { baseUrl, dynamodb: endpoint, sqs: endpoint, region, tableName };
    replaceFile(join(folder, localFiles.endpoints), `${JSON.stringify(endpoints, null, 2)}\n`);
    const result = await use({ emulator, baseUrl, sandboxFile });
    await runStep('deletion of the stacks', () => destroy(emulator));
    return result;
  } finally {
    await issuer.stop();
  }
}

function sandboxOf({ baseUrl, deadLetterQueueUrl }: Deployment, tokenUrl: string, endpoint: string) {
  const deadLetters = { endpoint, region, queueUrl: deadLetterQueueUrl };
  return { baseUrl, tokenUrl, scope: `${environments.local.tokens.scope}/.default`, deadLetters };
}
