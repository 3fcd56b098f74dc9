import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { MockInstance } from 'vitest';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DueKind } from '#shared/platform/jobs/due-kinds.ts';
import type { DueMessage } from '#shared/platform/jobs/due-queue.ts';
import type { DoJob, JobDone } from '#shared/platform/jobs/due-worker.ts';
import { dueWorker, sendDue, workJobs } from '#shared/platform/jobs/due-worker.ts';
import type { DueRun, FailedWhere } from '#shared/platform/jobs/run.ts';
import { NotFinished } from '#shared/platform/jobs/run.ts';
import { scheduledWorker } from '#shared/platform/jobs/scheduled-worker.ts';
import { dueAttributesAt } from '#shared/platform/table/due-keys.ts';
import { memoryStore } from '../support/memory-store.ts';

const at = '2026-03-02T12:01:00.000Z';
const queueUrl = 'https://sqs/due';
const contextOf = (remainingMs: number) => ({ getRemainingTimeInMillis: () => remainingMs }) as Context;
const context = contextOf(4321);

let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
  vi.stubEnv('TABLE_NAME', 'orders');
  vi.stubEnv('DUE_PAY_INS_QUEUE_URL', queueUrl);
  vi.stubEnv('DUE_PAYMENTS_QUEUE_URL', queueUrl);
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    lines.push(JSON.parse(String(line)) as Record<string, unknown>);
    return true;
  });
});
/** Lines that hold metrics. */
const metrics = () => lines.filter(({ level }) => level === undefined);

describe('a scheduled worker', () => {
  it('reports its counts, failed and pending work, and the age of the oldest by kind', async () => {
    const worker = scheduledWorker('sweep-deliveries', (run, event) => {
      expect([run.remainingMs(), event]).toEqual([4321, { recover: true }]);
      return Promise.resolve({
        counts: { PayInsExpired: 3 },
        failed: 1,
        pending: 2,
        due: { DELIVERY: { pending: 5, lateSeconds: 61.5 }, BACKLOG: { pending: 1, lateSeconds: 0 } },
      });
    });
    await worker({ recover: true }, context);
    const counts = { worker: 'sweep-deliveries', PayInsExpired: 3, JobsFailed: 1, JobsPending: 8 };
    expect(lines).toMatchObject([
      { level: 'info', message: 'Due work finished', ...counts },
      counts,
      { kind: 'DELIVERY', OldestJobAge: 61.5 },
      { kind: 'BACKLOG', OldestJobAge: 0 },
    ]);
  });

  it('emits its metrics but logs no line when no work is due', async () => {
    const due = { DELIVERY: { pending: 0, lateSeconds: 0 } };
    await scheduledWorker('sweep-deliveries', () => Promise.resolve({ counts: { PayInsExpired: 0 }, due }))(
      {},
      context,
    );
    expect(lines.filter(({ level }) => level !== undefined)).toEqual([]);
    expect(lines).toMatchObject([{ PayInsExpired: 0, JobsFailed: 0, JobsPending: 0 }, { OldestJobAge: 0 }]);
  });

  it('logs failed work by its ids alone', async () => {
    const worker = scheduledWorker('sweep-deliveries', (run) => {
      run.failed({ kind: 'DELIVERY', companyId: 'c', id: 'd' }, new RangeError('no'));
      return Promise.resolve({});
    });
    await worker({}, context);
    const where = { worker: 'sweep-deliveries', kind: 'DELIVERY', companyId: 'c', id: 'd' };
    expect(lines[0]).toMatchObject({ level: 'error', message: 'Due work failed', ...where, errorName: 'RangeError' });
  });
});

const job = (id: string, kind: DueMessage['kind'] = 'PAY_IN_EXPIRY'): DueMessage => {
  return { kind, companyId: 'c', id, dueAt: at };
};
/** What SQS calls with: a message of each body. */
const eventOf = (bodies: readonly (DueMessage | string)[], receives = 1): SQSEvent => {
  const Records = bodies.map((body, place) => ({
    ...{ eventSource: 'aws:sqs', messageId: `m-${place}`, receiptHandle: `r-${place}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: { ApproximateReceiveCount: String(receives) },
  }));
  return { Records } as unknown as SQSEvent;
};

describe('a worker of due jobs, called by its queue,', () => {
  /** Returns the messages that are received again. */
  const receive = async (doJob: DoJob, event: SQSEvent, remainingMs = 50_000) => {
    const response = await dueWorker('expire-pay-ins', { family: 'PAY_INS', doJob })(event, contextOf(remainingMs));
    return (response as SQSBatchResponse).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  };
  let send: MockInstance<SQSClient['send']>;
  beforeEach(() => {
    send = vi.spyOn(SQSClient.prototype, 'send').mockImplementation((() => Promise.resolve({})) as never);
  });

  it('does each job of the batch, all of them at the same time, and has them removed', async () => {
    let open = 0;
    const done: DueMessage[] = [];
    const all = Array.from({ length: 10 }, (_, place) => job(`p-${place}`));
    const doJob: DoJob = async (run, one) => {
      expect(run.remainingMs()).toBe(50_000);
      open += 1;
      await vi.waitUntil(() => open === 10);
      done.push(one);
      return {};
    };
    expect(await receive(doJob, eventOf(all))).toEqual([]);
    expect(new Set(done)).toEqual(new Set(all));
    expect([lines, send.mock.calls]).toEqual([[], []]);
  });

  it('receives a job that throws again after a minute, after the third receive no more, and reports it each time', async () => {
    const doJob: DoJob = (_run, { id }) => (id === 'bad' ? Promise.reject(new RangeError('no')) : Promise.resolve({}));
    const receives = [1, 2, 3, 4];
    const kept: (readonly string[])[] = [];
    for (const count of receives) kept.push(await receive(doJob, eventOf([job('good'), job('bad')], count)));
    expect(kept).toEqual([['m-1'], ['m-1'], [], []]);
    const where = { worker: 'expire-pay-ins', kind: 'PAY_IN_EXPIRY', companyId: 'c', id: 'bad' };
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject(
      receives.map(() => ({ message: 'Due work failed', ...where, errorName: 'RangeError' })),
    );
    expect(metrics()).toMatchObject(receives.map(() => ({ worker: 'expire-pay-ins', JobsFailed: 1 })));
    const hidden = { QueueUrl: queueUrl, ReceiptHandle: 'r-1', VisibilityTimeout: 60 };
    expect(send.mock.calls.map(([{ input }]) => input)).toEqual([hidden, hidden]);
  });

  it('treats a job that throws before its first await as one that fails later', async () => {
    const doJob: DoJob = () => {
      throw new RangeError('at once');
    };
    expect(await receive(doJob, eventOf([job('a'), job('b')]))).toEqual(['m-0', 'm-1']);
    expect(metrics()).toMatchObject([{ JobsFailed: 2 }]);
  });

  it('sends jobs that it created ten in a call, each for its company, and leaves lost ones to the schedule', async () => {
    const jobs = Array.from({ length: 12 }, (_, place) => job(`p-${place}`));
    send.mockRejectedValueOnce(new Error('No queue.'));
    await sendDue('PAY_INS', jobs);
    const sent = send.mock.calls.map(
      ([{ input }]) => input as { QueueUrl: string; Entries: { MessageBody: string }[] },
    );
    expect(sent.map(({ QueueUrl, Entries }) => [QueueUrl, Entries.length])).toEqual([
      [queueUrl, 10],
      [queueUrl, 2],
    ]);
    const entries = sent.flatMap(({ Entries }) => Entries);
    expect(entries.map(({ MessageBody }) => JSON.parse(MessageBody) as unknown)).toEqual(jobs);
    expect(entries).toMatchObject(jobs.map(({ companyId }) => ({ MessageGroupId: companyId })));
  });

  it('removes and counts a malformed message, and does the others', async () => {
    const done: string[] = [];
    const doJob: DoJob = (_run, { id }) => {
      done.push(id);
      return Promise.resolve({});
    };
    const unknown = JSON.stringify({ ...job('x'), kind: 'NO_KIND' });
    expect(await receive(doJob, eventOf(['torn', unknown, job('good')]))).toEqual([]);
    expect(done).toEqual(['good']);
    const removed = { level: 'error', message: 'Removed a malformed SQS message', worker: 'expire-pay-ins' };
    expect(lines).toMatchObject([
      { ...removed, messageId: 'm-0' },
      { ...removed, messageId: 'm-1' },
      { worker: 'expire-pay-ins', JobsFailed: 2 },
    ]);
  });

  it('receives a job that it left again after a second, however often, and counts no error', async () => {
    const doJob: DoJob = (_run, { id }) => Promise.resolve({ isLeft: id === 'long' });
    expect(await receive(doJob, eventOf([job('long'), job('short')], 7))).toEqual(['m-0']);
    expect(send.mock.calls.map(([{ input }]) => input)).toEqual([
      { QueueUrl: queueUrl, ReceiptHandle: 'r-0', VisibilityTimeout: 1 },
    ]);
    expect(lines).toEqual([]);
  });

  it('does not receive a job again that failed and is due again by itself, but counts the error', async () => {
    expect(await receive(() => Promise.resolve({ isFailed: true }), eventOf([job('p')]))).toEqual([]);
    expect(metrics()).toMatchObject([{ worker: 'expire-pay-ins', JobsFailed: 1 }]);
  });

  it('reports a job that hangs before the time is over, receives it again, and has the others removed', async () => {
    const doJob: DoJob = (_run, { id }) => (id === 'hangs' ? new Promise(() => undefined) : Promise.resolve({}));
    expect(await receive(doJob, eventOf([job('a'), job('hangs'), job('b')]), 3050)).toEqual(['m-1']);
    expect(lines).toMatchObject([
      { level: 'error', message: 'Due work failed', id: 'hangs', errorName: 'NotFinished' },
      { worker: 'expire-pay-ins', JobsFailed: 1 },
    ]);
  });

  it('emits counts by worker, and of each kind where the metric has kinds', async () => {
    const doJob: DoJob = (_run, { kind }) => {
      const own: JobDone = { counts: { PayoutsSubmitted: 1, DeliveriesResent: 2 } };
      return Promise.resolve(kind === 'PAYOUT_POLL' ? { counts: { PayoutsSubmitted: 4 } } : own);
    };
    const event = eventOf([job('a', 'PAYOUT_SUBMISSION'), job('b', 'PAYOUT_SUBMISSION'), job('c', 'PAYOUT_POLL')]);
    await receive(doJob, event);
    expect(lines).toMatchObject([
      { worker: 'expire-pay-ins', PayoutsSubmitted: 6, DeliveriesResent: 4 },
      { kind: 'PAYOUT_SUBMISSION', PayoutsSubmitted: 2 },
      { kind: 'PAYOUT_POLL', PayoutsSubmitted: 4 },
    ]);
    expect(lines.some((line) => 'JobsFailed' in line)).toBe(false);
    expect(lines[1]).not.toHaveProperty('DeliveriesResent');
  });
});

describe('a worker of due jobs, called by its schedule,', () => {
  type Sent = { readonly QueueUrl: string; readonly Entries?: readonly Record<string, string>[] };
  let found: Readonly<Record<string, string>>[];
  let sent: Sent[];
  /** What the queue says of its messages: waiting, in work. */
  let waiting: readonly [string, string];
  beforeEach(() => {
    [found, sent, waiting] = [[], [], ['0', '0']];
    const query = ({ input }: { readonly input: { readonly ExpressionAttributeValues: object } }) => {
      const asked = Object.values(input.ExpressionAttributeValues) as string[];
      const [upTo = '', from = ''] = asked
        .filter((value) => value.startsWith('2026-'))
        .toSorted()
        .toReversed();
      const isAsked = ({ GSI3PK = '', GSI2SK = '' }) => asked.includes(GSI3PK) && from <= GSI2SK && GSI2SK <= upTo;
      return Promise.resolve({ Items: found.filter(isAsked) });
    };
    vi.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(query as never);
    const call = ({ input }: { readonly input: Sent }) => {
      sent.push(input);
      const [ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible] = waiting;
      return Promise.resolve({ Attributes: { ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible } });
    };
    vi.spyOn(SQSClient.prototype, 'send').mockImplementation(call as never);
    vi.useFakeTimers({ now: Date.parse(at), toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const given = (kind: DueKind, id: string, dueAt: string): void => {
    found.push({ PK: `C#c#IT#${id}`, SK: 'IT', ...dueAttributesAt('c', kind, dueAt, id) });
  };
  const messages = () => sent.flatMap(({ Entries = [] }) => Entries);
  const doJob: DoJob = () => Promise.reject(new Error('A schedule does no job.'));

  it('sends due jobs to its queue, with the company as message group, and reports the age of the oldest', async () => {
    given('PAY_IN_EXPIRY', 'p', '2026-03-02T12:00:00.000Z');
    await dueWorker('expire-pay-ins', { family: 'PAY_INS', doJob })({}, contextOf(50_000));
    expect(messages()).toEqual([
      {
        ...{ Id: '0', MessageGroupId: 'c' },
        MessageBody: JSON.stringify({ ...job('p'), dueAt: '2026-03-02T12:00:00.000Z' }),
      },
    ]);
    expect(sent.every(({ QueueUrl }) => QueueUrl === queueUrl)).toBe(true);
    expect(lines).toMatchObject([
      { worker: 'expire-pay-ins', JobsFailed: 0, JobsPending: 0 },
      { kind: 'PAY_IN_EXPIRY', OldestJobAge: 60 },
    ]);
  });

  it('leaves old jobs to its queue while messages wait there, not while the last ones are in work', async () => {
    given('PAY_IN_EXPIRY', 'p', '2026-03-02T11:00:00.000Z');
    const call = () => dueWorker('expire-pay-ins', { family: 'PAY_INS', doJob })({}, contextOf(50_000));
    waiting = ['1', '0'];
    await call();
    expect(metrics()).toMatchObject([{ JobsPending: 1 }, { kind: 'PAY_IN_EXPIRY', OldestJobAge: 3660 }]);
    expect(messages()).toEqual([]);
    waiting = ['0', '1'];
    await call();
    expect(messages()).toHaveLength(1);
  });

  it('sends those of another family to its own queue where it also works that family', async () => {
    given('SETTLEMENT_RESEND', 'r', at);
    given('CHARGE_POLL', 'q', at);
    const sendsAt = (now: string) => {
      expect(now).toBe(at);
      return ['RESENDS', 'PAYMENTS'] as const;
    };
    const worker = dueWorker('advance-scheduled-payments', { family: 'PAYMENTS', doJob, sendsAt });
    await worker({}, contextOf(50_000));
    expect(messages().map(({ MessageBody = '' }) => (JSON.parse(MessageBody) as DueMessage).id)).toEqual(['r', 'q']);
    expect(metrics().flatMap(({ kind }) => kind ?? [])).toContain('SETTLEMENT_RESEND');
  });

  it('does its other work after it has sent jobs, and counts an error of that', async () => {
    given('PAY_IN_EXPIRY', 'p', at);
    const alsoDo = vi.fn((_run: DueRun, _sent: { queued: number }) => Promise.resolve({ DeadLettersRemoved: 4 }));
    const call = () => dueWorker('expire-pay-ins', { family: 'PAY_INS', doJob, alsoDo })({}, contextOf(50_000));
    await call();
    expect(alsoDo.mock.calls.map(([, { queued }]) => queued)).toEqual([1]);
    alsoDo.mockRejectedValue(new Error('no line'));
    await call();
    const totals = metrics().filter(({ JobsPending }) => JobsPending !== undefined);
    expect(totals).toMatchObject([{ DeadLettersRemoved: 4, JobsFailed: 0 }, { JobsFailed: 1 }]);
    expect(messages()).toHaveLength(2);
  });

  it('reports that its queue takes no message, and fails no run by it', async () => {
    given('PAY_IN_EXPIRY', 'p', at);
    vi.spyOn(SQSClient.prototype, 'send').mockImplementation((() => Promise.reject(new Error('no queue'))) as never);
    await dueWorker('expire-pay-ins', { family: 'PAY_INS', doJob })({}, contextOf(50_000));
    // One error of the question, one of the message.
    expect(metrics()[0]).toMatchObject({ worker: 'expire-pay-ins', JobsFailed: 2 });
  });
});

describe('jobs of a batch', () => {
  let failures: (FailedWhere & { readonly error: unknown })[];
  let run: DueRun;
  beforeEach(() => {
    failures = [];
    run = {
      ...{ store: memoryStore(), now: () => at, remainingMs: () => Infinity },
      failed: (where, error) => failures.push({ ...where, error }),
    };
  });

  it('are followed up when all of them are done, and an error of a follow-up counts as one of its job', async () => {
    const steps: string[] = [];
    const broken = new Error('no line');
    const doJob: DoJob = async (_run, { id }) => {
      for (let turn = 0; turn < Number(id); turn += 1) await new Promise((resolve) => setImmediate(resolve));
      steps.push(`job ${id}`);
      const followUp = (): Promise<unknown> => {
        steps.push(`follow-up ${id}`);
        return id === '2' ? Promise.reject(broken) : Promise.resolve();
      };
      return { counts: { PaymentsResent: 1 }, ...(id !== '3' && { followUp }) };
    };
    const all = ['1', '2', '3'].map((id) => job(id));
    const { failed, counts, again } = await workJobs(run, all, doJob);
    expect(steps).toEqual(['job 1', 'job 2', 'job 3', 'follow-up 1', 'follow-up 2']);
    expect({ failed, counts }).toEqual({ failed: 1, counts: { PAY_IN_EXPIRY: { PaymentsResent: 3 } } });
    expect([...again]).toEqual([[all[1], 'LATER']]);
    expect(failures).toEqual([{ kind: 'PAY_IN_EXPIRY', companyId: 'c', id: '2', error: broken }]);
  });

  it('are followed up though one of them fails', async () => {
    const followUp = vi.fn(() => Promise.resolve());
    const doJob: DoJob = (_run, { id }) =>
      id === 'bad' ? Promise.reject(new Error('no')) : Promise.resolve({ followUp });
    expect(await workJobs(run, [job('bad'), job('good')], doJob)).toMatchObject({ failed: 1 });
    expect(followUp).toHaveBeenCalledTimes(1);
  });

  it('end before the time is over when a follow-up hangs: it is reported as not finished', async () => {
    const hangs = job('hangs');
    const doJob: DoJob = (_run, { id }) =>
      Promise.resolve({ followUp: () => (id === 'hangs' ? new Promise(() => undefined) : Promise.resolve()) });
    const { failed, again } = await workJobs({ ...run, remainingMs: () => 3050 }, [job('ends'), hangs], doJob);
    expect([failed, [...again]]).toEqual([1, [[hangs, 'LATER']]]);
    expect(failures).toMatchObject([{ id: 'hangs', error: new NotFinished() }]);
  });
});
