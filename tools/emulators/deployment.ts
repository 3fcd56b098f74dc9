import { CloudFormationClient, DeleteStackCommand, waitUntilStackDeleteComplete } from '@aws-sdk/client-cloudformation';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { contextSwitches } from '#infra/aws/switches.ts';
import { environments } from '#infra/environments.ts';
import { openClientRegistry } from '#infra/operator/client-registry.ts';
import type { Endpoints, SandboxCompany } from '#infra/operator/local-environment.ts';
import { localFiles, replaceFile } from '#infra/operator/local-environment.ts';
import { formatAmount } from '#shared/core/money.ts';
import { startTokenIssuer, samples } from '@banking-order/local-environment';
import type { SampleAccount } from '@banking-order/local-environment';
import { deployArgs } from '#infra/releases/order.ts';
import { outputOf, root, runOrThrow, runStep, tail } from '#infra/releases/commands.ts';
import type { Emulator } from './emulator.ts';
import { account, credentials, region, stacks, stackWait } from './emulator.ts';
import { checkLoopback, checkNoneLeft } from './loopback.ts';

/** The service in an emulator, with two companies. */
export type Trial = {
  readonly emulator: Emulator;
  readonly baseUrl: string;
  readonly sandboxFile: string;
  readonly tableName: string;
  /** Deploys the release of a checkout over the running one. `args`: CDK arguments of a release or a rollback. */
  readonly deploy: (checkout: string, args: readonly string[]) => Promise<void>;
};

/** Path from the root of the project: every npm script runs there. */
const operator = 'infra/operator/main.ts';

/** Empties the folder of a run. It holds secrets: only its owner may read it. */
export function emptyFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/**
 * Deploys the app into an emulator, onboards two companies, uses the service, then deletes the stacks and stops the
 * emulator with all its processes. After a failure it shows the end of the emulator's log.
 * @param folder For logs, assembly, `sandbox.json`, `endpoints.json`; absolute.
 * @param checkout The release that is deployed.
 */
export async function withTrial<T>(
  emulator: Emulator,
  folder: string,
  use: (trial: Trial) => Promise<T>,
  checkout = root,
): Promise<T> {
  try {
    const addresses = checkLoopback(emulator.mark).map(({ address, port }) => `${address}:${port}`);
    console.log(`── ${emulator.name} listens on ${addresses.join(', ')}`);
    return await withDeployment(emulator, folder, use, checkout);
  } catch (error) {
    console.log(`\nLast lines of ${emulator.log}:\n${tail(emulator.log)}`);
    throw error;
  } finally {
    await emulator.stop();
    await checkNoneLeft(emulator.mark);
  }
}

async function withDeployment<T>(
  emulator: Emulator,
  folder: string,
  use: (trial: Trial) => Promise<T>,
  checkout: string,
): Promise<T> {
  const { scope } = environments.local.tokens;
  const clientsFile = join(folder, localFiles.clients);
  const keyFile = join(folder, 'token-key.json');
  const registry = openClientRegistry(clientsFile);
  const issuer = await startTokenIssuer({ port: 0, audience: scope, keyFile, registry });
  try {
    const deploying = { emulator, issuer, folder };
    const deployment = await runStep('deployment', () => deployFirst(deploying, checkout));
    const { baseUrl, tableName } = deployment;
    const place = ['--table', tableName, '--clients-file', clientsFile, '--json'];
    const { endpoint, environment } = emulator;
    const companies = await runStep('onboarding with the operator command', () =>
      onboard(
        async (...args) => JSON.parse(await outputOf(['node', operator, ...args, ...place], environment)) as unknown,
      ),
    );
    const sandboxFile = join(folder, 'sandbox.json');
    const deadLetters = { endpoint, region, queueUrl: deployment.deadLetterQueueUrl };
    const addresses = { baseUrl, tokenUrl: issuer.tokenUrl, scope: `${scope}/.default`, deadLetters };
    const sandbox = { ...addresses, companies, signingKeyFile: keyFile };
    replaceFile(sandboxFile, `${JSON.stringify(sandbox, null, 2)}\n`);
    // The tools of `npm start` find the table by this file in LOCAL_DIR.
    const endpoints: Endpoints = { baseUrl, dynamodb: endpoint, sqs: endpoint, region, tableName };
    replaceFile(join(folder, localFiles.endpoints), `${JSON.stringify(endpoints, null, 2)}\n`);
    const result = await use({
      emulator,
      baseUrl,
      sandboxFile,
      tableName,
      deploy: async (from, args) => {
        await deploy(deploying, from, args);
      },
    });
    await runStep('deletion of the stacks', () => destroy(emulator));
    return result;
  } finally {
    await issuer.stop();
  }
}

type TokenIssuer = { readonly baseUrl: string; readonly jwksUri: string };

type Deployment = { readonly baseUrl: string; readonly tableName: string; readonly deadLetterQueueUrl: string };

/** Where deployments of a trial go. `folder`: for the assembly and the outputs; absolute. */
type Deploying = { readonly emulator: Emulator; readonly issuer: TokenIssuer; readonly folder: string };

/** Deploys the stage Local of a checkout by the CDK CLI into an empty emulator. */
async function deployFirst(deploying: Deploying, checkout: string): Promise<Deployment> {
  const { emulator } = deploying;
  const outputs = await deploy(deploying, checkout, deployArgs('Local'), true);
  // An output may be of another stack in another release.
  const all = Object.values(outputs).flatMap((stackOutputs) => Object.entries(stackOutputs));
  const output = (name: RegExp): string => {
    const found = all.find(([key]) => name.test(key));
    if (found === undefined) throw new Error(`No stack has an output ${name.source}.`);
    return found[1];
  };
  const { id, stage } = readApiUrl(output(/^PartnerApiEndpoint/u));
  return {
    baseUrl: emulator.apiAddress(id, stage),
    tableName: output(/^TableName$/u),
    deadLetterQueueUrl: output(/^DeadLetterQueueUrl$/u),
  };
}

type Outputs = Readonly<Record<string, Readonly<Record<string, string>>>>;

async function deploy(
  { emulator, issuer, folder }: Deploying,
  checkout: string,
  deployArguments: readonly string[],
  bootstraps = false,
): Promise<Outputs> {
  const { environment } = emulator;
  const assembly = join(folder, 'cdk.out');
  const log = join(folder, 'cdk.log');
  const outputsFile = join(folder, 'outputs.json');
  const switches = {
    [contextSwitches.local]: 'true',
    [contextSwitches.tokenIssuer]: issuer.baseUrl,
    [contextSwitches.tokenJwksUri]: issuer.jwksUri,
  };
  const context = Object.entries(switches).flatMap(([name, value]) => ['--context', `${name}=${value}`]);
  const cdk = (...args: readonly string[]) =>
    runOrThrow(['cdk', '--no-notices', '--no-color', ...args], { environment, log, folder: checkout });
  rmSync(assembly, { recursive: true, force: true });
  await cdk('synth', '--quiet', '--output', assembly, ...context);
  if (bootstraps) await cdk('bootstrap', `aws://${account}/${region}`, '--app', assembly);
  const unattended = ['--require-approval', 'never'];
  await cdk(...deployArguments, '--app', assembly, '--outputs-file', outputsFile, ...unattended);
  await emulator.correct();
  return JSON.parse(readFileSync(outputsFile, 'utf8')) as Outputs;
}

/**
 * Reads `https://<id>.execute-api.<region>.amazonaws.com/<stage>/`. An emulator may write its own address after
 * `execute-api`, which is no URL.
 * @throws Error for another address.
 */
export function readApiUrl(url: string): { readonly id: string; readonly stage: string } {
  const [, id, stage] = /^https?:\/\/([a-z0-9]+)\.execute-api\.[^/]+\/+(\w+)\/*$/u.exec(url) ?? [];
  if (id === undefined || stage === undefined) throw new Error(`${url} is not the address of an API Gateway stage.`);
  return { id, stage };
}

/** Deletes the stacks by name: `cdk destroy` does not end on MiniStack. @throws Error when a deletion fails. */
async function destroy({ endpoint, correctionStacks }: Emulator): Promise<void> {
  const client = new CloudFormationClient({ endpoint, region, credentials });
  for (const StackName of [...correctionStacks, stacks.service, stacks.data]) {
    await client.send(new DeleteStackCommand({ StackName }));
    await waitUntilStackDeleteComplete({ client, ...stackWait }, { StackName });
  }
  client.destroy();
}

/** Runs a command of the operator with `--json` and gives its output. */
type Operate = (...args: readonly string[]) => Promise<unknown>;

type Output<T extends string> = Readonly<Record<T, string>>;

/** Creates the sandbox's companies, clients and accounts, only by commands of the operator. */
export async function onboard(operate: Operate): Promise<readonly SandboxCompany[]> {
  const companies: SandboxCompany[] = [];
  for (const { name, accounts } of samples) {
    const created = (await operate('company:create', '--name', name)) as Output<'companyId' | 'webhookSecret'>;
    const { companyId, webhookSecret } = created;
    const client = await operate('client:create', '--company', companyId);
    const { clientId, clientSecret } = client as Output<'clientId' | 'clientSecret'>;
    const opened: SandboxCompany['accounts'] = [];
    for (const account of accounts) {
      const output = await operate('account:create', '--company', companyId, ...accountOptions(account));
      const { id, status, fullName } = output as Output<'id' | 'status' | 'fullName'>;
      opened.push({ id, status, fullName, document: account.document });
    }
    companies.push({ companyId, name, clientId, clientSecret, webhookSecret, accounts: opened });
  }
  return companies;
}

function accountOptions(account: SampleAccount): readonly string[] {
  const { fullName, document, email, phone, status, holderType, openingBalance } = account;
  const options = {
    name: fullName,
    document: document.number,
    'document-type': document.type,
    email,
    phone,
    ispb: environments.local.orders.ispb,
    status,
    'holder-type': holderType ?? undefined,
    'opening-balance': openingBalance && formatAmount(openingBalance),
  };
  return Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
}
