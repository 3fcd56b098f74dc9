import { failureQueues, queueName } from '#infra/resource-name.ts';
import type { Problem } from './problem.ts';
import type { Surroundings } from './surroundings.ts';

/** Messages of a queue; null where the queue cannot be read. */
export type QueueState = { readonly queue: string; readonly messages: number | null };

/**
 * The queues of what failed, with the section of the runbook about a message in it. The dead letters of notifications
 * are no problem by themselves: a test, or a notification that the partner has taken since, leaves one for 14 days.
 * Open ones are counted by company.
 */
const sections = {
  deadLetters: 'dead-letters-left',
  relayFailures: 'relay-failures',
  scheduleFailures: 'schedule-failures',
  callbackFailures: 'callbacks-of-banks',
} as const satisfies Record<(typeof failureQueues)[number], string>;

export async function countFailures({
  environment,
  messagesIn,
}: Surroundings): Promise<{ readonly queues: readonly QueueState[]; readonly problems: readonly Problem[] }> {
  const queues: QueueState[] = [];
  const problems: Problem[] = [];
  for (const key of failureQueues) {
    const queue = queueName({ name: environment }, key);
    const next = `docs/runbook.md#${sections[key]}`;
    try {
      const messages = (await messagesIn(queue)) ?? null;
      queues.push({ queue, messages });
      if (messages === null) problems.push({ problem: `${queue}: there is no such queue`, next });
      else if (messages > 0 && key !== 'deadLetters')
        problems.push({ problem: `${queue}: messages: ${messages}`, next });
    } catch (error) {
      queues.push({ queue, messages: null });
      problems.push({ problem: `${queue} cannot be read: ${error instanceof Error ? error.name : 'failed'}`, next });
    }
  }
  return { queues, problems };
}
