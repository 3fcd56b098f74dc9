import { join } from 'node:path';
import { endpointFunction, workers } from '#functions/workers.ts';
import { variableValues, pick } from '#infra/aws/service-functions.ts';
import { bundleFunctions, bundles } from '#infra/aws/bundle.ts';
import type { Build } from '#infra/aws/bundle.ts';
import { environments } from '#infra/environments.ts';
import { openDataFolder } from '#infra/local/data-folder.ts';
import { startSqsEngine } from '#infra/local/engines/sqs-engine.ts';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';

import { startEngine } from '../support/engine.ts';
import type { BenchRun } from './bench-run.ts';
import { invokeAlone } from './function-process.ts';
import type { Invoked } from './invoked.ts';
import type { InvokedName } from './journey-events.ts';
import { eventsOn } from './journey-events.ts';
import { startLightReceiver } from './light-receiver.ts';

/** Bundles of the functions that are invoked, and which of them only the simulation has. */
const builds: Readonly<Record<InvokedName, Build>> = {
  'payouts-create': 'production',
  'pay-ins-create': 'production',
  'subscriptions-create': 'production',
  'scheduled-payments-create': 'production',
  'order-tools-force-order-status': 'simulation',
  'order-tools-force-subscription-status': 'simulation',
  'order-tools-force-scheduled-payment-status': 'simulation',
  'workers-relay-deliveries': 'production',
  'workers-deliver-notification': 'production',
};

export type Measured = Invoked & { readonly memoryMb: number };

/** Each function of the journeys in a plain Node, by an engine and a queue of its own, one invocation after another. */
export function measureInvocations(run: BenchRun): Promise<Readonly<Record<InvokedName, Measured>>> {
  return run.share('invocations', invokeAll);
}

async function invokeAll(run: BenchRun): Promise<Readonly<Record<InvokedName, Measured>>> {
  const engine = await startEngine('invocations');
  run.atEnd(engine.stop);
  const sqs = await startQueue(run);
  const receiver = await startLightReceiver();
  run.atEnd(receiver.stop);
  const store = dynamoStore({ client: engine.client, tableName: engine.tableName });
  const count = run.choose({ full: 100, quick: 30, smoke: 2 });
  const events = await eventsOn(store, { count, webhookUrl: receiver.url });
  const variables = {
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
    ...localValues(engine.tableName, sqs.queueUrl),
  };
  const measured = {} as Record<InvokedName, Measured>;
  for (const [name, build] of Object.entries(builds) as [InvokedName, Build][]) {
    run.tell(name);
    const module = await bundleOf(run, build, name);
    measured[name] = {
      ...(await invokeAlone({
        module,
        events: events[name],
        variables: { ...variables, ...variablesOf(name, variables) },
      })),
      memoryMb: workerOf(name)?.memoryMb ?? endpointFunction.memoryMb,
    };
  }
  return measured;
}

/** The bundle as it is deployed, of one function. */
async function bundleOf(run: BenchRun, build: Build, name: string): Promise<string> {
  const outdir = join(run.folder, `bundle-${name}`);
  await bundleFunctions({ build, outdir, only: bundles(build).filter((one) => one.name === name) });
  return join(outdir, name, 'index.mjs');
}

function workerOf(name: InvokedName) {
  const worker = name.replace(/^workers-/u, '');
  return name.startsWith('workers-') ? workers[worker as WorkerName] : undefined;
}

function variablesOf(name: InvokedName, values: Readonly<Record<string, string>>): Record<string, string> {
  const names = workerOf(name)?.variables ?? endpointFunction.variables;
  return pick(values, names);
}

/** Variables as the local environment has them, on the bench's table and queue. */
function localValues(tableName: string, queueUrl: string): Record<string, string> {
  const queue = { queueUrl };
  const sources = {
    table: { tableName },
    queues: { deliveries: queue, deadLetters: queue },
    settings: environments.local,
  };
  return variableValues(sources as unknown as Parameters<typeof variableValues>[0]);
}

async function startQueue(run: BenchRun): Promise<{ readonly endpoint: string; readonly queueUrl: string }> {
  const folder = openDataFolder(join(run.folder, 'queue'));
  run.atEnd(folder.release);
  const { endpoint, stop } = await startSqsEngine(folder, 'us-east-1');
  run.atEnd(stop);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new SQSClient({ endpoint, region: 'us-east-1', credentials });
  await client.send(new CreateQueueCommand({ QueueName: 'bench' }));
  client.destroy();
  // As the local environment names queues: the engine itself answers with a host that only it knows.
  return { endpoint, queueUrl: `${endpoint}/000000000000/bench` };
}
