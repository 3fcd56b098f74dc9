import { GetQueueAttributesCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { endAfterMs } from './call-limit.ts';
import { errorFields, log } from './log.ts';

/** A message to send. Its group makes a queue fair among companies. */
type NewMessage = { readonly body: object; readonly companyId: string; readonly delaySeconds?: number };

/** The client of every queue. A call that hangs ends before the function does. */
export const sqs = new SQSClient({ requestHandler: endAfterMs(5000) });

/** Sends at most ten messages. Returns the indexes of those that the queue did not take, all of them after an error. */
export async function sendMessages(QueueUrl: string, messages: readonly NewMessage[]): Promise<ReadonlySet<number>> {
  const Entries = messages.map(({ body, companyId, delaySeconds }, place) => ({
    Id: String(place),
    MessageBody: JSON.stringify(body),
    MessageGroupId: companyId,
    ...(delaySeconds !== undefined && { DelaySeconds: delaySeconds }),
  }));
  try {
    const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    for (const { Code } of Failed) log('error', 'SQS rejected a message', { code: Code });
    return new Set(Failed.map(({ Id }) => Number(Id)));
  } catch (error) {
    log('error', 'Cannot send messages to SQS', errorFields(error));
    return new Set(messages.keys());
  }
}

/** Returns how many messages wait for a first or a further receive: SQS counts them approximately. */
export async function messagesWaiting(QueueUrl: string): Promise<number> {
  const name = 'ApproximateNumberOfMessages';
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }));
  return Number(Attributes?.[name] ?? 0);
}
