import { concurrently } from '../platform/concurrently.ts';
import { nowMs } from '../platform/clock.ts';
import { errorFields, log } from '../platform/log.ts';
import { emit } from '../platform/metrics.ts';
import { BankUnavailable, UnknownBankValue } from '../bank/outcome.ts';
import { applyBankEvent } from './apply-event.ts';
import type { BankEventDependencies, BankEventOutcome } from './context.ts';
import { bankEventContext } from './context.ts';
import type { Called } from './messages.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import { parseBankEventMessage } from './messages.ts';
import { findOwn } from './own.ts';

/** A message of the queue; `receives`: how often it was received, this time included. */
type QueuedMessage = {
  readonly messageId: string;
  readonly body: string;
  readonly receives: number;
  /** When the queue took it, by the clock of SQS. */
  readonly sentMs: number;
};

type WorkDependencies<Message> = BankEventDependencies & {
  /** Sets the delay before the next receive, seconds; without it the queue's visibility timeout holds. */
  readonly hide: (message: Message, seconds: number) => Promise<void>;
};

/**
 * Seconds before a resource of the company that its bank does not have yet is read there again: a bank's reads lag
 * behind its callbacks. There is one wait fewer than the queue allows receives, so that no message becomes a dead
 * letter by this.
 */
const readAgainSeconds: readonly number[] = [5, 20, 75, 300];
/** Calls to a bank for one message at the same time. */
const idsAtOnce = 10;

/**
 * `EARLY`: the bank does not have a resource of the company yet. `UNANSWERED`: the bank gives no usable response.
 * `NOT_KNOWN`: the bank's response has a value that the service does not know, which its reader reports.
 * `FAILED`: the service could not apply the event.
 */
type End = BankEventOutcome | 'EARLY' | 'UNANSWERED' | 'NOT_KNOWN' | 'FAILED';

/**
 * Applies the events of callbacks, all messages concurrently. Equal messages of one receive are applied once. An
 * unknown id is counted and is no error: the lists have it again. An id of the company that its bank does not have yet
 * is read again for some minutes, then counted and left to the lists. An id whose state is not understood is left to
 * polls and lists at once.
 */
export async function workCallbacks<Message extends QueuedMessage>(
  messages: readonly Message[],
  deps: WorkDependencies<Message>,
): Promise<readonly string[]> {
  const counts = { unknown: 0, unread: 0, failed: 0, ownFailed: 0 };
  const latencies: number[] = [];
  const kept = await Promise.all(
    [...Map.groupBy(messages, ({ body }) => body)].map(async ([body, same]) => {
      const message = parseBankEventMessage(body);
      if (message === undefined) {
        log('error', 'Callback queue contained a malformed message');
        return [];
      }
      const { companyId, events: events } = message;
      const ends = await concurrently(events, idsAtOnce, (event) => endOf(message, event, deps));
      const count = (end: End): number => ends.filter((candidate) => candidate === end).length;
      counts.unknown += count('UNKNOWN');
      if (count('FAILED') + count('UNANSWERED') > 0) {
        counts.failed += same.length;
        if (isFirst(same) && count('FAILED') > 0) counts.ownFailed += 1;
        return same.map(({ messageId }) => messageId);
      }
      if (count('EARLY') === 0) {
        if (isFirst(same) && count('UNKNOWN') + count('NOT_KNOWN') < ends.length) latencies.push(latencyOf(same));
        return [];
      }
      const again = await hideEarly(same, deps);
      if (again.length > 0) return again;
      counts.unread += count('EARLY');
      log('warn', 'Callback retries ended: the next list reading applies it', {
        companyId,
        kind: events[0]?.kind,
        count: count('EARLY'),
      });
      return [];
    }),
  );
  emit(nowMs(), 'worker', { worker: 'apply-callbacks' }, [
    { name: 'CallbackIdsUnknown', unit: 'Count', value: counts.unknown },
    { name: 'CallbackIdsUnread', unit: 'Count', value: counts.unread },
    { name: 'JobsFailed', unit: 'Count', value: counts.failed },
    { name: 'BankEventsFailed', unit: 'Count', value: counts.ownFailed },
    ...(latencies.length > 0 ? [{ name: 'BankEventLatency', unit: 'Milliseconds', value: latencies } as const] : []),
  ]);
  return kept.flat();
}

/** Whether the message was not received before: afterwards it waits for the bank, or its failure is counted already. */
function isFirst(same: readonly QueuedMessage[]): boolean {
  return same.every(({ receives }) => receives === 1);
}

/** Returns the milliseconds since the bank's callback; 0 where the clock here is behind that of SQS. */
function latencyOf(same: readonly QueuedMessage[]): number {
  return Math.max(0, nowMs() - Math.min(...same.map(({ sentMs }) => sentMs)));
}

/** Hides each message for the wait of its receive. @returns the ids of the messages that had a wait left */
async function hideEarly<Message extends QueuedMessage>(
  messages: readonly Message[],
  { hide }: WorkDependencies<Message>,
): Promise<readonly string[]> {
  const waiting = messages.flatMap((message) => {
    const seconds = readAgainSeconds[message.receives - 1];
    return seconds === undefined ? [] : [{ message, seconds }];
  });
  await Promise.all(waiting.map(({ message, seconds }) => hide(message, seconds)));
  return waiting.map(({ message }) => message.messageId);
}

async function endOf(
  { companyId, connectionId }: Called,
  events: BankEvent,
  deps: BankEventDependencies,
): Promise<End> {
  try {
    const context = await bankEventContext(deps, companyId, connectionId);
    if (context === undefined) return 'UNKNOWN';
    const end = await applyBankEvent(context, events);
    if (end !== 'UNKNOWN') return end;
    return (await findOwn(deps.store, companyId, [events])).has(events) ? 'EARLY' : 'UNKNOWN';
  } catch (error) {
    if (error instanceof UnknownBankValue) return 'NOT_KNOWN';
    log('warn', 'Cannot apply a callback', { companyId, kind: events.kind, ...errorFields(error) });
    return error instanceof BankUnavailable ? 'UNANSWERED' : 'FAILED';
  }
}
