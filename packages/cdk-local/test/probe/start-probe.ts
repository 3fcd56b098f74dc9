import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { listen } from '#cdk-local/api/http-server.ts';
import { openDataFolder } from '#cdk-local/data-folder.ts';
import { prepareTemplate } from '#cdk-local/run-template.ts';
import { synthesize } from '#cdk-local/template/assembly.ts';
import { buildProbe } from './probe-app.ts';

export type Probe = Awaited<ReturnType<typeof startProbe>>;

/** Starts the probe on a folder; what it reports is thrown away unless a test takes it. */
export async function startProbe(path: string, report: (line: string) => void = () => undefined) {
  const undo = new AsyncDisposableStack();
  try {
    const folder = openDataFolder(path, { layout: 1 });
    undo.defer(folder.release);
    const server = await listen(0);
    undo.defer(server.stop);
    const readTemplate = (build: string) => synthesize(buildProbe, build, 'Probe');
    const variables = { SETTINGS: JSON.stringify({ of: 'this run' }) };
    const running = await prepareTemplate(
      { folder, server, engine: 'embedded', readTemplate, variables, report },
      undo,
    );
    running.start();
    return { ...running, baseUrl: server.baseUrl, stop: () => undo.disposeAsync() };
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
}

/** What tests do with table and queues of a running probe. */
export function handlesOf({ aws, queues, endpoints }: Pick<Probe, 'aws' | 'queues' | 'endpoints'>) {
  const { tableName: TableName } = endpoints;
  const urlOf = (queue: string): string => queues.find(({ name }) => name.includes(queue))?.url ?? '';
  return {
    putItem: async (id: string, entity: string, mode = 'ok'): Promise<void> => {
      const Item = { PK: { S: id }, SK: { S: 'ITEM' }, entity: { S: entity }, mode: { S: mode } };
      await aws.dynamodb.send(new PutItemCommand({ TableName, Item }));
    },
    /** What a function noted under this name; undefined when it did not. */
    noteOf: async (id: string): Promise<Record<string, unknown> | undefined> => {
      const Key = { PK: { S: `NOTE#${id}` }, SK: { S: 'NOTE' } };
      const { Item } = await aws.dynamodb.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
      return Item && (JSON.parse(Item['content']?.S ?? '{}') as Record<string, unknown>);
    },
    send: async (id: string, mode: string, queue = 'Deliveries'): Promise<void> => {
      await aws.sqs.send(new SendMessageCommand({ QueueUrl: urlOf(queue), MessageBody: JSON.stringify({ id, mode }) }));
    },
    /** Bodies of the messages in a queue, without taking them for longer than a moment. */
    peek: async (queue: string): Promise<readonly unknown[]> => {
      const QueueUrl = urlOf(queue);
      const bodies: unknown[] = [];
      for (;;) {
        const { Messages = [] } = await aws.sqs.send(
          new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 1 }),
        );
        if (Messages.length === 0) return bodies;
        bodies.push(...Messages.map(({ Body }) => JSON.parse(Body ?? 'null') as unknown));
      }
    },
  };
}
