import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Endpoints } from '#cdk-local/data-folder.ts';
import { handlesOf } from './start-probe.ts';

/** The probe as a process of its own; resolves when it is ready. */
export async function spawnProbe(folder: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run-probe.ts'), folder], {
    // It ends when this end of its input does: whatever becomes of the test, no process stays behind.
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  await once(createInterface({ input: child.stdout }), 'line');
  return child;
}

export function endpointsIn(folder: string): Endpoints {
  return JSON.parse(readFileSync(join(folder, 'endpoints.json'), 'utf8')) as Endpoints;
}

/** The handles of a probe that runs in another process. */
export async function connectTo(folder: string) {
  const endpoints = endpointsIn(folder);
  const client = { region: endpoints.region, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
  const sqs = new SQSClient({ ...client, endpoint: endpoints.sqs });
  const dynamodb = new DynamoDBClient({ ...client, endpoint: endpoints.dynamodb });
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  const queues = QueueUrls.map((url) => ({ name: url.split('/').at(-1) ?? '', url, retentionSeconds: 0 }));
  return {
    ...handlesOf({ aws: { dynamodb, sqs }, queues, endpoints }),
    close: () => {
      sqs.destroy();
      dynamodb.destroy();
    },
  };
}
