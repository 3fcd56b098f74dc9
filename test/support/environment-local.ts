import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { engineNames } from '@banking-order/cdk-local';
import type { BankName } from '@banking-order/fake-bank';
import { processTree } from './process-tree.ts';
import type { DeadLetters, Sandbox } from './environment-sandbox.ts';
import { readJudgedSandbox } from './environment-sandbox.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const Project = z.object({ scripts: z.object({ start: z.string() }) });
const readyWithinMs = 180_000;
const stopWithinMs = 10_000;
const tailLines = 30;

/**
 * Begins a shell whose whole process group ends as soon as its standard input closes, which also happens when this
 * process is killed, or Ctrl-C ends it: a run leaves no environment behind. What the shell becomes reads nothing.
 */
const guard = 'exec 3<&0 </dev/null; { read -r _ <&3; kill -9 0; } >/dev/null 2>&1 & exec 3<&-;';

/** A local environment in a process of its own. */
export type LocalProcess = {
  readonly folder: string;
  readonly sandbox: Sandbox;
  /** SIGTERM, then waits for the end. */
  readonly stop: () => Promise<void>;
  /** `kill -9` of the process alone, or of everything that it started too. */
  readonly kill: (target: 'process' | 'group') => Promise<void>;
};

type LocalOptions = {
  readonly folder: string;
  /** Seconds between the attempts of a delivery. */
  readonly retryDelaysSeconds: string;
  /** Seconds between two runs of every job; a minute unless said. */
  readonly scheduleSeconds?: number;
  /** Name servers of partners' hosts; the system's unless said. */
  readonly nameServers?: string;
  /** Where it listens; any free port unless said. */
  readonly port?: number;
  /** Endpoint of a database that runs already. */
  readonly database?: string;
  /** As behind `npm start --`; the embedded one unless said. */
  readonly engine?: (typeof engineNames)[number];
  /** Connects the first company to this fake bank; all have the simulated one unless said. */
  readonly bank?: BankName;
};

/**
 * Runs what `npm start` runs, and waits until it says that it is ready.
 * @throws Error with the last lines of its output when it ends or stays silent.
 */
export async function startLocalProcess(options: LocalOptions): Promise<LocalProcess> {
  const { folder, retryDelaysSeconds, scheduleSeconds, nameServers, port = 0, database, engine, bank } = options;
  const { scripts } = Project.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  // The shell becomes the process that it starts.
  const child = spawn(
    '/bin/sh',
    ['-c', `${guard} ${scripts.start} "$@"`, 'sh', ...word('--engine', engine), ...word('--bank', bank)],
    {
      cwd: root,
      // Its own process group, so that a crash of all processes together can be tested.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...inherited(['HOME', 'TMPDIR', 'AWS_ENDPOINT_URL_DYNAMODB']),
        PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
        PORT: String(port),
        LOCAL_DIR: folder,
        RETRY_DELAYS_SECONDS: retryDelaysSeconds,
        ...(database !== undefined && { AWS_ENDPOINT_URL_DYNAMODB: database }),
        ...(nameServers !== undefined && { NAME_SERVERS: nameServers }),
        ...(scheduleSeconds !== undefined && { SCHEDULE_SECONDS: String(scheduleSeconds) }),
      },
    },
  );
  const exited = once(child, 'exit').finally(() => child.stdin.destroy());
  const tail: string[] = [];
  const ready = Promise.withResolvers<'ready'>();
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      tail.push(line);
      tail.splice(0, tail.length - tailLines);
      if (line.startsWith('ready')) ready.resolve('ready');
    });
  const enough = new AbortController();
  const first = await Promise.race([
    ready.promise,
    exited.then(() => 'ended'),
    sleep(readyWithinMs, 'silent', { signal: enough.signal }),
  ]);
  enough.abort();
  const signal = (name: NodeJS.Signals, group: boolean): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    // Of a list that is complete before the first of them ends: the others would have another parent then.
    for (const id of group ? processTree(child.pid) : [child.pid]) sendSignal(id, name);
  };
  const kill: LocalProcess['kill'] = async (target) => {
    signal('SIGKILL', target === 'group');
    await exited;
  };
  const stop = async (): Promise<void> => {
    signal('SIGTERM', false);
    const late = setTimeout(() => {
      signal('SIGKILL', true);
    }, stopWithinMs);
    await exited;
    clearTimeout(late);
  };
  if (first !== 'ready') {
    await kill('group');
    throw new Error(`The local environment ${first} before it was ready:\n${tail.join('\n')}`);
  }
  return { folder, sandbox: readJudgedSandbox(join(folder, 'sandbox.json')), stop, kill };
}

function word(option: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [option, value];
}

function sendSignal(id: number, name: NodeJS.Signals): void {
  try {
    process.kill(id, name);
  } catch (error) {
    // It ended by itself a moment ago.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function inherited(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const Endpoints = z.object({ sqs: z.string(), region: z.string() });

/** The dead-letter queue of a local environment, found at the queue engine that its `endpoints.json` names. */
export async function localDeadLetters(folder: string): Promise<DeadLetters | undefined> {
  const file = join(folder, 'endpoints.json');
  const read = Endpoints.safeParse(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);
  if (!read.success) return undefined;
  const { sqs: endpoint, region } = read.data;
  const client = new SQSClient({ endpoint, region, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } });
  const { QueueUrls: urls = [] } = await client.send(new ListQueuesCommand({}));
  client.destroy();
  const queueUrl = urls.find((url) => /dead.?letter|dlq/iu.test(url));
  return queueUrl === undefined ? undefined : { endpoint, region, queueUrl };
}
