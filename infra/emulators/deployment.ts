import { CloudFormationClient, DeleteStackCommand, waitUntilStackDeleteComplete } from '@aws-sdk/client-cloudformation';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SWITCHES } from '../switches.ts';
import { runOrThrow } from './commands.ts';
import { CORRECTIONS_STACK, correct } from './ministack-corrections.ts';
import { ACCOUNT, CREDENTIALS, REGION, type MiniStack } from './ministack.ts';

/** The stacks of the stage Local, as the CDK names them; the second uses the first. */
const STACKS = { data: 'Local-Data', service: 'Local-Service' } as const;

export type TokenIssuer = { readonly baseUrl: string; readonly jwksUri: string };

export type Deployment = { readonly baseUrl: string; readonly tableName: string; readonly deadLetterQueueUrl: string };

/**
 * Synthesizes the app, bootstraps the account and deploys the stage Local, all by the CDK CLI.
 *
 * @param folder For the assembly and the outputs; absolute.
 */
export async function deploy(emulator: MiniStack, issuer: TokenIssuer, folder: string): Promise<Deployment> {
  const { environment, endpoint } = emulator;
  const assembly = join(folder, 'cdk.out');
  const log = join(folder, 'cdk.log');
  const outputsFile = join(folder, 'outputs.json');
  const switches = {
    [SWITCHES.tokenIssuer]: issuer.baseUrl,
    [SWITCHES.tokenJwksUri]: issuer.jwksUri,
    [SWITCHES.withoutMathAlarms]: 'true',
  };
  const context = Object.entries(switches).flatMap(([name, value]) => ['--context', `${name}=${value}`]);
  const cdk = (...args: string[]) => runOrThrow(['cdk', '--no-notices', '--no-color', ...args], { environment, log });
  await cdk('synth', '--quiet', '--output', assembly, ...context);
  await cdk('bootstrap', `aws://${ACCOUNT}/${REGION}`, '--app', assembly);
  await cdk(
    ...['deploy', 'Local/*', '--app', assembly, '--outputs-file', outputsFile],
    ...['--require-approval', 'never'],
  );
  await correct(emulator, STACKS);
  const outputs = JSON.parse(readFileSync(outputsFile, 'utf8')) as Record<string, Record<string, string>>;
  const output = (stack: string, name: RegExp): string => {
    const found = Object.entries(outputs[stack] ?? {}).find(([key]) => name.test(key));
    if (found === undefined) throw new Error(`The stack ${stack} has no output ${name.source}.`);
    return found[1];
  };
  return {
    baseUrl: emulatedApi(endpoint, output(STACKS.service, /^PartnerApiEndpoint/u)),
    tableName: output(STACKS.data, /^TableName$/u),
    deadLetterQueueUrl: output(STACKS.service, /^DeadLetterQueueUrl$/u),
  };
}

/** `https://<id>.execute-api.<region>.amazonaws.com/<stage>/` as LocalStack and its likes serve it. */
function emulatedApi(endpoint: string, url: string): string {
  const { hostname, pathname } = new URL(url);
  const [id = ''] = hostname.split('.');
  const stage = pathname.replaceAll('/', '');
  return `${endpoint}/restapis/${id}/${stage}/_user_request_`;
}

/**
 * Deletes the stacks by name: `cdk destroy` does not end on MiniStack.
 *
 * @throws Error when one of them cannot be deleted.
 */
export async function destroy({ endpoint }: MiniStack): Promise<void> {
  const client = new CloudFormationClient({ endpoint, region: REGION, credentials: CREDENTIALS });
  for (const StackName of [CORRECTIONS_STACK, STACKS.service, STACKS.data]) {
    await client.send(new DeleteStackCommand({ StackName }));
    await waitUntilStackDeleteComplete({ client, maxWaitTime: 60, minDelay: 1, maxDelay: 1 }, { StackName });
  }
  client.destroy();
}
