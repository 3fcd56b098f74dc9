import { dueFamilyNames } from '#shared/platform/jobs/due-kinds.ts';
import { world } from '../world/current.ts';
import { dueQueueUrl, queueUrls } from '../world/queues.ts';

/* `@aws-sdk/client-sqs` for the service: the world's queues, by the calls that the service makes. */

export class SendMessageBatchCommand {
  readonly input: { readonly QueueUrl: string; readonly Entries: readonly Entry[] };
  constructor(input: SendMessageBatchCommand['input']) {
    this.input = input;
  }
}
type Entry = {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId: string;
  readonly DelaySeconds?: number;
};

export class ChangeMessageVisibilityCommand {
  readonly input: { readonly QueueUrl: string; readonly ReceiptHandle: string; readonly VisibilityTimeout: number };
  constructor(input: ChangeMessageVisibilityCommand['input']) {
    this.input = input;
  }
}

export class ReceiveMessageCommand {
  readonly input: { readonly QueueUrl: string; readonly VisibilityTimeout: number };
  constructor(input: ReceiveMessageCommand['input']) {
    this.input = input;
  }
}

export class DeleteMessageCommand {
  readonly input: { readonly QueueUrl: string; readonly ReceiptHandle: string };
  constructor(input: DeleteMessageCommand['input']) {
    this.input = input;
  }
}

export class GetQueueAttributesCommand {
  readonly input: { readonly QueueUrl: string; readonly AttributeNames: readonly string[] };
  constructor(input: GetQueueAttributesCommand['input']) {
    this.input = input;
  }
}

type Command =
  | SendMessageBatchCommand
  | ChangeMessageVisibilityCommand
  | ReceiveMessageCommand
  | DeleteMessageCommand
  | GetQueueAttributesCommand;

export class SQSClient {
  send(command: Command): Promise<object> {
    const { queues, actors, rights } = world();
    rights.ask([rightOf(command, actors.present()?.name)], command.constructor.name);
    const call = { name: command.constructor.name, canFail: true };
    if (command instanceof SendMessageBatchCommand)
      return actors.step(call, () => queues.send(command.input.QueueUrl, command.input.Entries));
    if (command instanceof ChangeMessageVisibilityCommand) {
      const { QueueUrl, ReceiptHandle, VisibilityTimeout } = command.input;
      return actors.step(call, () => queues.hide(QueueUrl, ReceiptHandle, VisibilityTimeout));
    }
    if (command instanceof GetQueueAttributesCommand)
      return actors.step(call, () => queues.attributes(command.input.QueueUrl));
    if (command instanceof ReceiveMessageCommand) return actors.step(call, () => queues.receiveDead(command.input));
    return actors.step(call, () => queues.removeDead(command.input.ReceiptHandle));
  }
}

const names: Readonly<Record<string, string>> = {
  [queueUrls.QUEUE_URL]: 'deliveryQueue',
  [queueUrls.DRAIN_QUEUE_URL]: 'drainQueue',
  [queueUrls.DEAD_LETTER_QUEUE_URL]: 'deadLetterQueue',
};

const dueQueues = new Map(dueFamilyNames.map((family) => [dueQueueUrl(family), `dueQueue: ${family}`]));

/** By the names of functions/access.ts. Only the relay sends to a queue of due jobs that is not its own. */
function rightOf(command: Command, actor: string | undefined): string {
  if (actor === 'relay-deliveries' && command.input.QueueUrl === dueQueueUrl('KEY_CODES')) return 'keyCodeQueue: sends';
  const due = dueQueues.get(command.input.QueueUrl);
  if (due !== undefined) return due;
  return `${names[command.input.QueueUrl] ?? 'no queue'}: ${command instanceof SendMessageBatchCommand ? 'sends' : 'receives'}`;
}
