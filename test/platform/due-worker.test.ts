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
const nothing = { done: 0, failed: 0, left: 0, lateSeconds: 0 };

it('tells by worker what was done, failed and left, and by kind how late the oldest is', async () => {
  const worker = dueWorker('sweep-deliveries', (run, event) => {
    expect([run.remainingMs(), event]).toEqual([4321, { recover: true }]);
    expect(run.random()).toBeLessThan(1);
    return Promise.resolve({
      counts: { PayInsExpired: 3 },
      failed: 1,
      due: {
        DELIVERY: { done: 3, failed: 2, left: 5, lateSeconds: 61.5 },
        BACKLOG: { done: 0, failed: 4, left: 1, lateSeconds: 0 },
      },
    });
  });
  await worker({ recover: true }, context);
  expect(lines).toMatchObject([
    {
      level: 'info',
      message: 'due work done',
      worker: 'sweep-deliveries',
      PayInsExpired: 3,
      WorkFailed: 7,
      WorkLeft: 6,
    },
    { worker: 'sweep-deliveries', PayInsExpired: 3, WorkFailed: 7, WorkLeft: 6 },
    { kind: 'DELIVERY', DueLateness: 61.5 },
    { kind: 'BACKLOG', DueLateness: 0 },
  ]);
});

it('measures also when there was nothing to do, and logs no line then', async () => {
  const worker = dueWorker('sweep-deliveries', () =>
    Promise.resolve({ counts: { PayInsExpired: 0 }, due: { DELIVERY: nothing } }),
  );
  await worker({}, context);
  expect(lines.filter(({ level }) => level !== undefined)).toEqual([]);
  expect(lines).toMatchObject([{ PayInsExpired: 0, WorkFailed: 0, WorkLeft: 0 }, { DueLateness: 0 }]);
});

it('names what failed by ids alone', async () => {
  const worker = dueWorker('sweep-deliveries', (run) => {
    run.failed({ kind: 'DELIVERY', companyId: 'c', id: 'd' }, new RangeError('no'));
    return Promise.resolve({ counts: {}, due: {} });
  });
  await worker({}, context);
  expect(lines[0]).toMatchObject({
    ...{
      level: 'error',
      message: 'due work failed',
      worker: 'sweep-deliveries',
      kind: 'DELIVERY',
      companyId: 'c',
      id: 'd',
    },
    errorName: 'RangeError',
  });
});
