import { beforeEach, expect, it, vi } from 'vitest';
import { dueWorker } from '#shared/platform/jobs/due-worker.ts';

let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
  vi.stubEnv('TABLE_NAME', 'orders');
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    lines.push(JSON.parse(String(line)) as Record<string, unknown>);
    return true;
  });
});
const context = { getRemainingTimeInMillis: () => 4321 };
const nothing = { done: 0, failed: 0, pending: 0, lateSeconds: 0 };

it('a due worker reports its done, failed and pending work, and the age of the oldest by kind', async () => {
  const worker = dueWorker('sweep-deliveries', (run, event) => {
    expect([run.remainingMs(), event]).toEqual([4321, { recover: true }]);
    expect(run.random()).toBeLessThan(1);
    return Promise.resolve({
      counts: { PayInsExpired: 3 },
      failed: 1,
      pending: 2,
      due: {
        DELIVERY: { done: 3, failed: 2, pending: 5, lateSeconds: 61.5 },
        BACKLOG: { done: 0, failed: 4, pending: 1, lateSeconds: 0 },
      },
    });
  });
  await worker({ recover: true }, context);
  expect(lines).toMatchObject([
    {
      level: 'info',
      message: 'Due work finished',
      worker: 'sweep-deliveries',
      PayInsExpired: 3,
      JobsFailed: 7,
      JobsPending: 8,
    },
    { worker: 'sweep-deliveries', PayInsExpired: 3, JobsFailed: 7, JobsPending: 8 },
    { kind: 'DELIVERY', OldestJobAge: 61.5 },
    { kind: 'BACKLOG', OldestJobAge: 0 },
  ]);
});

it('a due worker emits its metrics but logs no line when no work is due', async () => {
  const worker = dueWorker('sweep-deliveries', () =>
    Promise.resolve({ counts: { PayInsExpired: 0 }, due: { DELIVERY: nothing } }),
  );
  await worker({}, context);
  expect(lines.filter(({ level }) => level !== undefined)).toEqual([]);
  expect(lines).toMatchObject([{ PayInsExpired: 0, JobsFailed: 0, JobsPending: 0 }, { OldestJobAge: 0 }]);
});

it('a due worker logs failed work by its ids alone', async () => {
  const worker = dueWorker('sweep-deliveries', (run) => {
    run.failed({ kind: 'DELIVERY', companyId: 'c', id: 'd' }, new RangeError('no'));
    return Promise.resolve({ counts: {}, due: {} });
  });
  await worker({}, context);
  expect(lines[0]).toMatchObject({
    ...{
      level: 'error',
      message: 'Due work failed',
      worker: 'sweep-deliveries',
      kind: 'DELIVERY',
      companyId: 'c',
      id: 'd',
    },
    errorName: 'RangeError',
  });
});
