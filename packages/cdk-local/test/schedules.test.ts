import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FunctionDefinition } from '#cdk-local/functions/function-definitions.ts';
import type { FunctionRuntime } from '#cdk-local/functions/function-runtime.ts';
import type { ScheduleModel } from '#cdk-local/schedules.ts';
import { readSchedules, startSchedules } from '#cdk-local/schedules.ts';
import { readerOf } from './templates.ts';

const target = { id: 'Job', name: 'job' } as FunctionDefinition;

function recordingRuntime(): { runtime: FunctionRuntime; events: unknown[] } {
  const events: unknown[] = [];
  const runtime: FunctionRuntime = {
    find: () => target,
    invoke: (_target, event) => {
      events.push(event);
      return Promise.resolve({ ok: false, reason: 'error', errorType: 'Error', errorMessage: 'no', trace: [] });
    },
    isBusy: () => false,
    afterInvocation: () => undefined,
    stop: () => Promise.resolve(),
  };
  return { runtime, events };
}

const arn = 'arn:aws:lambda:sa-east-1:000000000000:function:job';

describe('schedules of the template', () => {
  const read = (properties: Record<string, unknown>): readonly ScheduleModel[] =>
    readSchedules(readerOf({ Job: ['AWS::Scheduler::Schedule', properties] }), recordingRuntime().runtime);

  test('the time zone of the template decides the hours', () => {
    const [schedule] = read({
      ScheduleExpression: 'cron(0 21 * * ? *)',
      ScheduleExpressionTimezone: 'America/Sao_Paulo',
      Target: { Arn: arn },
    });
    expect(schedule?.nextRun(new Date('2026-11-20T12:00:00Z'))?.toISOString()).toBe('2026-11-21T00:00:00.000Z');
  });

  test('leave out a disabled schedule', () => {
    expect(read({ ScheduleExpression: 'rate(1 minute)', State: 'DISABLED', Target: { Arn: arn } })).toEqual([]);
  });

  test.each([
    [{ ScheduleExpression: 'rate(1 minute)', Target: { Arn: 'arn:aws:sqs:sa-east-1:000000000000:queue' } }, 'Lambda'],
    [{ ScheduleExpression: 'rate(1 minute)', StartDate: '2026-01-01', Target: { Arn: arn } }, 'start dates'],
    [{ ScheduleExpression: 'rate(1 minute)', Target: { Arn: arn, Input: '{}' } }, 'inputs of a target'],
  ])('are refused when they would run otherwise than on AWS: %j', (properties, message) => {
    expect(() => read(properties)).toThrow(message);
  });
});

describe('running schedules', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  test('a schedule runs when it is due, again after a run that failed, and no more once stopped', async () => {
    const { runtime, events } = recordingRuntime();
    const schedule: ScheduleModel = { target, nextRun: (after) => new Date(after.getTime() + 20) };
    const never: ScheduleModel = { target, nextRun: () => undefined };
    const running = startSchedules([schedule, never], runtime);
    await vi.advanceTimersByTimeAsync(65);
    expect(events).toHaveLength(3);
    await running.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(events).toHaveLength(3);
  });
});
