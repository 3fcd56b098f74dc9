import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Running } from '../../../infra/local/data-folder.ts';
import { handlesOf } from './start-probe.ts';

/** The probe as a process of its own; resolves when it is ready. */
export async function spawnProbe(folder: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run-probe.ts'), folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(createInterface({ input: child.stdout }), 'line');
  return child;
}

export function runningIn(folder: string): Running {
  return JSON.parse(readFileSync(join(folder, 'running.json'), 'utf8')) as Running;
}

/** The handles of a probe that runs in another process. */
export async function connectTo(folder: string) {
  const running = runningIn(folder);
  const client = { region: running.region, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
  const sqs = new SQSClient({ ...client, endpoint: running.sqs });
  const dynamodb = new DynamoDBClient({ ...client, endpoint: running.dynamodb });
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  const queues = QueueUrls.map((url) => ({ name: url.split('/').at(-1) ?? '', url, retentionSeconds: 0 }));
  return {
    ...handlesOf({ aws: { dynamodb, sqs }, queues, running }),
    close: () => {
      sqs.destroy();
      dynamodb.destroy();
    },
  };
}
