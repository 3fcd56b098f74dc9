import { Cron } from 'croner';
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Loop } from './event-sources/loop.ts';
import type { FunctionDefinition } from './functions/function-definitions.ts';
import type { FunctionRuntime } from './functions/function-runtime.ts';
import type { Resolve } from './template/intrinsics.ts';
import { notRunLocally, readProperties } from './template/intrinsics.ts';
import type { LocalTemplate } from './template/local-template.ts';
import { describeResource, LocalStartError, resourcesOf } from './template/local-template.ts';
import { arn, functionNameOf, physicalName } from './template/local-values.ts';

/** When a schedule runs: the next instant after another one, undefined when there is none. */
type NextRun = (after: Date) => Date | undefined;

/** `rate(5 minutes)`. */
const ratePattern = /^rate\((\d+) minutes?\)$/u;
/** `cron(* 0-20 * * ? *)`: minutes and hours of every day. */
const cronPattern = /^cron\(([\d*,-]+) ([\d*,-]+) \* \* \? \*\)$/u;

/**
 * Reads a rate in minutes, or a cron expression of every day ("Schedule types in EventBridge Scheduler").
 *
 * @param timeZone IANA name, for cron.
 * @param start A rate counts from here.
 * @param everySeconds Runs a schedule so often instead, a cron expression within the minutes that it names.
 * @throws LocalStartError for another form, an impossible field or an unknown time zone.
 */
export function readScheduleExpression(
  expression: string,
  timeZone: string,
  start: Date,
  everySeconds?: number,
): NextRun {
  const minutes = Number(ratePattern.exec(expression)?.[1] ?? 0);
  if (minutes > 0) return everyInterval(1000 * (everySeconds ?? 60 * minutes), start);
  const [, minute, hour] = cronPattern.exec(expression) ?? [];
  if (minute === undefined || hour === undefined) {
    throw new LocalStartError(
      `The local environment runs rates in minutes, and cron expressions of every day, not ${expression}.`,
    );
  }
  const second = everySeconds === undefined ? '0' : `*/${everySeconds}`;
  try {
    const cron = new Cron(`${second} ${minute} ${hour} * * *`, { timezone: timeZone, paused: true });
    cron.nextRun();
    return (after) => cron.nextRun(after) ?? undefined;
  } catch (error) {
    throw new LocalStartError(`${expression} (${timeZone}) is no schedule: ${String(error)}`);
  }
}

function everyInterval(interval: number, start: Date): NextRun {
  return (after) => {
    const runs = Math.floor((after.getTime() - start.getTime()) / interval) + 1;
    return new Date(start.getTime() + Math.max(1, runs) * interval);
  };
}

/** A schedule of the template that is enabled. */
export type ScheduleModel = {
  readonly id: string;
  readonly nextRun: NextRun;
  readonly target: FunctionDefinition;
  /** Event of the run that was due at an instant. */
  readonly eventAt: (due: Date) => unknown;
};

const scheduleShape = z.object({
  ScheduleExpression: z.string(),
  ScheduleExpressionTimezone: z.string().default('UTC'),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  StartDate: notRunLocally('start dates'),
  EndDate: notRunLocally('end dates'),
  Target: z.object({ Arn: z.string(), Input: z.string().optional() }),
});

/**
 * Reads `AWS::Scheduler::Schedule`.
 *
 * @param everySeconds Time between two runs, instead of what the template says.
 * @throws LocalStartError for an expression, a time zone or a target that the local environment does not run.
 */
export function readSchedules(
  template: LocalTemplate,
  resolve: Resolve,
  runtime: FunctionRuntime,
  everySeconds?: number,
): readonly ScheduleModel[] {
  const start = new Date();
  return resourcesOf(template, 'AWS::Scheduler::Schedule').flatMap((resource): ScheduleModel[] => {
    const shape = readProperties(scheduleShape, resource, resolve);
    if (shape.State === 'DISABLED') return [];
    const { ScheduleExpression: expression, ScheduleExpressionTimezone: timeZone, Target } = shape;
    const name = functionNameOf(Target.Arn);
    if (name === undefined)
      throw new LocalStartError(`${describeResource(resource)} does not call a Lambda function: ${Target.Arn}.`);
    const scheduleArn = arn('scheduler', `schedule/default/${physicalName(resource)}`);
    return [
      {
        id: resource.id,
        nextRun: readScheduleExpression(expression, timeZone, start, everySeconds),
        target: runtime.find(name),
        eventAt: (due) => scheduledInput(Target.Input ?? '{}', scheduleArn, due),
      },
    ];
  });
}

/** Runs schedules until stopped. A run that fails is not repeated: the next one is due soon. */
export function startSchedules(schedules: readonly ScheduleModel[], runtime: FunctionRuntime): Loop {
  const timers = new Map<ScheduleModel, NodeJS.Timeout>();
  const running = new Set<Promise<unknown>>();
  const plan = (schedule: ScheduleModel, after: Date): void => {
    const due = schedule.nextRun(after);
    if (due === undefined) return;
    // Timers of Node end at 24 days; looking again once a day also follows a clock that was changed.
    const wait = Math.min(Math.max(0, due.getTime() - Date.now()), 86_400_000);
    const fire = (): void => {
      if (Date.now() < due.getTime()) {
        plan(schedule, after);
        return;
      }
      const run = runtime.invoke(schedule.target, schedule.eventAt(due)).finally(() => running.delete(run));
      running.add(run);
      // Runs that were missed while the machine slept are not made up for, as EventBridge does not either.
      plan(schedule, new Date(Math.max(due.getTime(), Date.now())));
    };
    timers.set(schedule, setTimeout(fire, wait));
  };
  for (const schedule of schedules) plan(schedule, new Date());
  return {
    stop: async () => {
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all(running);
    },
  };
}

/** "Adding context attributes in EventBridge Scheduler". */
function scheduledInput(input: string, scheduleArn: string, due: Date): unknown {
  const attributes: Readonly<Record<string, string>> = {
    'schedule-arn': scheduleArn,
    'scheduled-time': due.toISOString().replace(/\.\d+Z$/, 'Z'),
    'execution-id': randomUUID(),
    'attempt-number': '1',
  };
  return JSON.parse(
    input.replaceAll(/<aws\.scheduler\.([a-z-]+)>/g, (match, name: string) => attributes[name] ?? match),
  );
}
