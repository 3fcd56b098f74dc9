import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { maxCountedFailures } from '#shared/platform/outbox/delivery.ts';
import { longestWaits, settingsVariable } from '#shared/platform/settings.ts';
import { environments } from '#infra/environments.ts';
import type { Engine } from '@banking-order/cdk-local';
import { engineNames, LocalStartError } from '@banking-order/cdk-local';
import type { BankName } from '@banking-order/fake-bank';
import { bankNames } from '@banking-order/fake-bank';

/** Options of a local run, from arguments and environment variables. */
export type LocalOptions = {
  readonly port: number;
  readonly folder: string;
  /** Deletes the data of earlier starts first. */
  readonly fresh?: true;
  /** Waits between the attempts of a delivery. */
  readonly retryDelaysSeconds: readonly number[];
  /** Waits before the probes of an endpoint that fails. */
  readonly probeDelaysSeconds: readonly number[];
  /** Name servers for partners' addresses, instead of the system's. */
  readonly nameServers?: readonly string[];
  readonly engine: Engine;
  /** Starts a fake bank on this machine beside the service. */
  readonly bank?: BankName;
  /** Seconds between two runs of every schedule, for tests; default: as in the template. */
  readonly scheduleSeconds?: number;
};

/**
 * Reads the arguments of `npm start --` (`--engine NAME`, `--bank NAME`, `--fresh`) and its environment variables.
 * packages/local-environment/test/start-entry.test.ts checks that README.md and the usage of start.cjs list the same
 * ones.
 *
 * @throws LocalStartError naming the invalid argument or variable.
 */
export function readOptions(
  environment: Readonly<Record<string, string | undefined>>,
  args: readonly string[] = [],
): LocalOptions {
  const port = environment['PORT'] ?? '3000';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new LocalStartError(`PORT must be a number from 0 to 65535, not ${port}.`);
  const scheduleSeconds = environment['SCHEDULE_SECONDS'];
  if (scheduleSeconds !== undefined && !/^[1-9]\d?$/.test(scheduleSeconds))
    throw new LocalStartError(`SCHEDULE_SECONDS must be a number from 1 to 99, not ${scheduleSeconds}.`);
  const { engine, bank, fresh } = readArguments(args);
  const { retryDelaysSeconds, circuit } = environments.local.deliveries;
  const nameServers = environment['NAME_SERVERS']?.split(',');
  if (nameServers?.some((nameServer) => !isNameServer(nameServer)))
    throw new LocalStartError(
      'NAME_SERVERS must be IPv4 addresses, with a port from 1 to 65535 or without, and commas between them.',
    );
  return {
    port: Number(port),
    folder: environment['LOCAL_DIR'] ?? '.local',
    retryDelaysSeconds:
      readSeconds(environment, 'RETRY_DELAYS_SECONDS', longestWaits.retry, maxCountedFailures - 1) ??
      retryDelaysSeconds,
    probeDelaysSeconds:
      readSeconds(environment, 'PROBE_DELAYS_SECONDS', longestWaits.probe) ?? circuit.probeDelaysSeconds,
    engine: readEngine(environment['AWS_ENDPOINT_URL_DYNAMODB'], engine),
    ...(bank !== undefined && { bank }),
    ...(fresh === true && { fresh }),
    ...(nameServers !== undefined && { nameServers }),
    ...(scheduleSeconds !== undefined && { scheduleSeconds: Number(scheduleSeconds) }),
  };
}

function isNameServer(text: string): boolean {
  const [address = '', port = '53', ...more] = text.split(':');
  return isIP(address) === 4 && /^[1-9]\d{0,4}$/u.test(port) && Number(port) <= 65_535 && more.length === 0;
}

const argumentOptions = { engine: { type: 'string' }, bank: { type: 'string' }, fresh: { type: 'boolean' } } as const;

/** @throws LocalStartError */
function readArguments(args: readonly string[]) {
  try {
    const { values } = parseArgs({ args: [...args], options: argumentOptions });
    const engine = engineNames.find((name) => name === values.engine);
    const bank = bankNames.find((name) => name === values.bank);
    if (engine === values.engine && bank === values.bank) return { engine, bank, fresh: values.fresh };
  } catch {
    // Refused below.
  }
  throw new LocalStartError(
    `npm start accepts --engine ${engineNames.join(' or --engine ')}, --bank ${bankNames.join(' or --bank ')}, and --fresh, not ${args.join(' ')}.`,
  );
}

function readEngine(endpoint: string | undefined, named: (typeof engineNames)[number] | undefined): Engine {
  if (endpoint === undefined) return named ?? 'embedded';
  if (named === undefined) return { endpoint };
  throw new LocalStartError(`Use either --engine ${named} or AWS_ENDPOINT_URL_DYNAMODB: each chooses the database.`);
}

function readSeconds(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
  longest: number,
  atMost = Infinity,
): readonly number[] | undefined {
  const seconds = environment[name];
  const waits = seconds?.split(',').map(Number);
  if (seconds !== undefined && (!/^\d+(,\d+)*$/.test(seconds) || waits?.some((wait) => wait > longest) === true))
    throw new LocalStartError(
      `${name} must be whole seconds from 0 to ${longest} with commas between them, not ${seconds}.`,
    );
  if (waits !== undefined && waits.length > atMost)
    throw new LocalStartError(`${name} must be at most ${atMost} waits, not ${waits.length}.`);
  return waits;
}

/**
 * Returns the value of the functions' variable `SETTINGS`. It has the waits and the token issuer of this run, which the
 * template cannot contain.
 */
export function runtimeSettings(
  { retryDelaysSeconds, probeDelaysSeconds, nameServers = [] }: LocalOptions,
  issuer: { readonly baseUrl: string; readonly jwksUri: string },
): string {
  const { local } = environments;
  const circuit = { ...local.deliveries.circuit, probeDelaysSeconds };
  const deliveries = { ...local.deliveries, retryDelaysSeconds, circuit, nameServers: [...nameServers] };
  const tokens = { ...local.tokens, issuers: [issuer.baseUrl], jwksUri: issuer.jwksUri };
  return settingsVariable({ ...local, deliveries, tokens });
}

/** Next steps once the environment runs: `npm run …` scripts and addresses, each with its purpose. */
const steps: readonly (readonly [(baseUrl: string) => string, string])[] = [
  [() => 'npm run demo', 'runs a whole journey step by step, in a second terminal'],
  [() => 'npm run doctor', 'finds problems, and prints how to solve them'],
  [(baseUrl) => `${baseUrl}/console`, 'shows your orders and deliveries live, and the payer’s phone'],
  [() => 'npm run logs', 'shows what the functions log: -- --level warn --request ID --follow'],
  [(baseUrl) => `${baseUrl}/docs`, 'API reference in which you can try every call'],
  [(baseUrl) => `${baseUrl}/receiver/my-app`, 'a webhookUrl that acknowledges every notification; GET shows them'],
  [() => 'npm run listen', 'forwards notifications to your receiver: -- --forward-to http://127.0.0.1:4000/any/path'],
  [() => 'README.md', 'the first calls with curl; docs/partners.md has the rest'],
];

/** Returns the lines that the terminal shows below the line `ready`. */
export function nextSteps(baseUrl: string): string {
  const rows = steps.map(([formatEntry, about]) => [formatEntry(baseUrl), about] as const);
  const width = Math.max(...rows.map(([entry]) => entry.length));
  return ['Next:', ...rows.map(([entry, about]) => `  ${entry.padEnd(width)}  ${about}`), 'Ctrl-C stops it.'].join(
    '\n',
  );
}
