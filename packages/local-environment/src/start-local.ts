import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { LocalTemplate, RunningTemplate } from '@banking-order/cdk-local';
import { listen, openDataFolder, prepareTemplate } from '@banking-order/cdk-local';
import { createConsole, createRequestLog } from '@banking-order/console';
import { startBankProcess } from './bank/child.ts';
import type { FakeBank } from './bank/connect-companies.ts';
import { connectCompanies } from './bank/connect-companies.ts';
import { followClocks } from './bank/follow-clocks.ts';
import { openClientRegistry } from '#infra/operator/client-registry.ts';
import type { Sandbox } from '#infra/operator/local-environment.ts';
import { localFiles, readLocalSecret } from '#infra/operator/local-environment.ts';
import { companyOfScenarios } from '@banking-order/partner-tools';
import { systemClock } from '#shared/platform/clock.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { connectStore } from '#shared/platform/table/dynamo-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { createTokenIssuer, keysPath, tokenPath } from './identity/token-issuer.ts';
import type { LocalOptions } from './options.ts';
import { runtimeSettings } from './options.ts';
import { createReceiver } from './receiver/routes.ts';
import { readSigners } from './receiver/signatures.ts';
import { createReference } from './reference.ts';
import type { seedSandbox } from './sandbox.ts';
import { prepareSandbox } from './sandbox.ts';

type StartOptions = {
  readonly options: LocalOptions;
  /** Reads the stacks to run. Functions run from the folder, which no other environment uses. */
  readonly readTemplate: (folder: string) => Promise<LocalTemplate>;
  /** `aud` of the issuer's tokens. */
  readonly audience: string;
  /** Creates the companies of the sandbox at the first start. */
  readonly seed: typeof seedSandbox;
  /** Receives the name of each long step when it begins. */
  readonly begin?: (step: string) => void;
  /** Receives lines that the developer should see immediately. */
  readonly report?: (line: string) => void;
};

/**
 * Version of the stored data: items, messages, checkpoints, clients. Raise it with a change that makes data of an
 * earlier start unreadable: local data are not migrated.
 */
const layout = 4;
/** Files of the data folder that are not the engines' files, such as the cursors of listeners. */
const callersFiles = /^(bank|bank\.log|(clients|sandbox|token-key|bank-secrets|listen-.*)\.json)$/u;

/**
 * Runs the service on this machine: the synthesized template, and beside it a token issuer, a partner's receiver, the
 * API reference, the console and, with `--bank`, a fake bank.
 *
 * @throws LocalStartError with one line for the developer. The parts that have started by then are stopped.
 */
export async function startLocal(start: StartOptions) {
  await using undo = new AsyncDisposableStack();
  const environment = await assemble(start, undo);
  const stack = undo.move();
  let stopped: Promise<void> | undefined;
  return { ...environment, stop: (): Promise<void> => (stopped ??= stack.disposeAsync()) };
}

async function assemble(start: StartOptions, undo: AsyncDisposableStack) {
  const { options, audience, begin } = start;
  const folder = openDataFolder(options.folder, { layout, fresh: options.fresh, callersFiles });
  undo.defer(folder.release);
  const server = await listen(options.port);
  undo.defer(server.stop);
  const { baseUrl } = server;
  const parts = [
    prepareTemplate(
      {
        folder,
        server,
        engine: options.engine,
        readTemplate: start.readTemplate,
        variables: { SETTINGS: runtimeSettings(options, { baseUrl, jwksUri: `${baseUrl}${keysPath}` }) },
        readSecret: (name) => readLocalSecret(folder.path, name),
        scheduleSeconds: options.scheduleSeconds,
        begin,
        report: start.report,
      },
      undo,
    ),
    startBank(options, folder, undo),
  ] as const;
  // Waits for both: if one fails, the other has started by then, and `undo` stops it.
  await Promise.allSettled(parts);
  const [running, bank] = await Promise.all(parts);
  const { endpoints, aws, invoke, failed } = running;

  const registry = openClientRegistry(folder.file(localFiles.clients));
  const issuer = await createTokenIssuer({ baseUrl, audience, keyFile: folder.file('token-key.json'), registry });
  const store = connectStore(endpoints.tableName, { client: DynamoDBDocumentClient.from(aws.dynamodb) });
  const sandboxFile = folder.file(localFiles.sandbox);
  const addresses = { baseUrl, tokenUrl: `${baseUrl}${tokenPath}`, scope: `${audience}/.default` };
  const seed = () => {
    begin?.('First companies, with clients and accounts');
    return start.seed({ store, ids: randomIds, now: systemClock, registry });
  };
  const sandbox = await prepareSandbox(sandboxFile, addresses, seed);

  const receiver = createReceiver({ baseUrl, secrets: () => readSigners(store) });
  const reference = createReference({ ...addresses, accountId: sandbox.companies[0]?.accounts[0]?.id });
  const requests = createRequestLog();
  const consoleReceiver = `${baseUrl}/receiver/console`;
  const page = createConsole({ sandboxFile, receiver: consoleReceiver, requests, requestsOf: 'environment' });
  // First: its ports are new, and a queued callback that meets the old ones waits for its visibility timeout.
  if (bank !== undefined) await followBank({ folder: folder.path, store, sandbox, bank, invoke }, undo);
  running.start([issuer, receiver, reference, page], requests.record);
  return { baseUrl, sandboxFile, bankFile: bank?.connectionFile, invoke, failed };
}

type Folder = ReturnType<typeof openDataFolder>;

/** Starts the fake bank that `--bank` requests. */
async function startBank(
  { bank }: LocalOptions,
  folder: Folder,
  undo: AsyncDisposableStack,
): Promise<FakeBank | undefined> {
  if (bank === undefined) return undefined;
  const { connectionFile, stop } = await startBankProcess(bank, folder.file('bank'), folder.file('bank.log'));
  undo.defer(stop);
  return { name: bank, connectionFile };
}

/** Connects companies to the fake bank, and runs due jobs immediately while a company's clock is advanced. */
async function followBank(
  {
    folder,
    store,
    sandbox,
    bank,
    invoke,
  }: {
    readonly folder: string;
    readonly store: Store;
    readonly sandbox: Sandbox;
    readonly bank: FakeBank;
    readonly invoke: RunningTemplate['invoke'];
  },
  undo: AsyncDisposableStack,
): Promise<void> {
  // The second company stays with the simulated bank.
  const companies = sandbox.companies.filter(({ name }, at) => at === 0 || name === companyOfScenarios);
  undo.defer((await connectCompanies({ folder, store, companies, bank, invoke })).stop);
  undo.defer(followClocks(store, () => invoke('RunCompanyJobsFunction', {})).stop);
}
