import { Cron } from 'croner';
import * as z from 'zod';
import type { Loop } from './event-sources/loop.ts';
import type { FunctionDefinition } from './functions/function-definitions.ts';
import type { FunctionRuntime } from './functions/function-runtime.ts';
import { LocalStartError } from './template/local-template.ts';
import type { ReadResources } from './template/resources.ts';
import { notRunLocally, targetOf } from './template/resources.ts';

/** The next run after an instant, undefined where there is none. */
type NextRun = (after: Date) => Date | undefined;

/** `rate(5 minutes)`. */
const ratePattern = /^rate\((\d+) minutes?\)$/u;
/** `cron(* 0-20 * * ? *)`: minutes and hours of every day. */
const cronPattern = /^cron\(([\d*,-]+) ([\d*,-]+) \* \* \? \*\)$/u;

/**
 * Reads a rate in minutes, or a cron expression of every day ("Schedule types in EventBridge Scheduler").
 *
 * @param timeZone IANA name, for cron.
 * @param start Start of the first interval of a rate.
 * @param everySeconds Interval that replaces the one of the expression.
 * @throws LocalStartError for another form, an impossible field or an unknown time zone.
 */
export function readScheduleExpression(
  expression: string,
  timeZone: string,
  start: Date,
  everySeconds?: number,
): NextRun {
  const minutes = Number(ratePattern.exec(expression)?.[1] ?? 0);
  if (minutes > 0) return everyInterval(start, everySeconds ?? 60 * minutes);
  const [, minute, hour] = cronPattern.exec(expression) ?? [];
  if (minute === undefined || hour === undefined) {
    throw new LocalStartError(
      `The local environment supports rates in minutes and cron expressions of every day, not ${expression}.`,
    );
  }
  try {
    const cron = new Cron(`0 ${minute} ${hour} * * *`, { timezone: timeZone, paused: true });
    cron.nextRun();
    if (everySeconds !== undefined) return everyInterval(start, everySeconds);
    return (after) => cron.nextRun(after) ?? undefined;
  } catch (error) {
    throw new LocalStartError(`${expression} (${timeZone}) is not a schedule: ${String(error)}`);
  }
}

function everyInterval(start: Date, seconds: number): NextRun {
  const interval = 1000 * seconds;
  return (after) => {
    const runs = Math.floor((after.getTime() - start.getTime()) / interval) + 1;
    return new Date(start.getTime() + Math.max(1, runs) * interval);
  };
}

/** An enabled schedule of the template. */
export type ScheduleModel = { readonly nextRun: NextRun; readonly target: FunctionDefinition };

const scheduleShape = z.object({
  ScheduleExpression: z.string(),
  ScheduleExpressionTimezone: z.string().default('UTC'),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  StartDate: notRunLocally('start dates'),
  EndDate: notRunLocally('end dates'),
  Target: z.object({ Arn: z.string(), Input: notRunLocally('inputs of a target') }),
});

/**
 * Reads `AWS::Scheduler::Schedule`.
 *
 * @param everySeconds Interval that replaces the one of each expression.
 * @throws LocalStartError for an expression, a time zone, an input or a target that the local environment does not run.
 */
export function readSchedules(
  read: ReadResources,
  runtime: FunctionRuntime,
  everySeconds?: number,
): readonly ScheduleModel[] {
  const start = new Date();
  return read('AWS::Scheduler::Schedule', scheduleShape)
    .filter(({ properties }) => properties.State === 'ENABLED')
    .map((resource) => {
      const { ScheduleExpression: expression, ScheduleExpressionTimezone: timeZone, Target } = resource.properties;
      return {
        nextRun: readScheduleExpression(expression, timeZone, start, everySeconds),
        target: runtime.find(targetOf(resource, Target.Arn)),
      };
    });
}

/** Runs schedules until stopped. A failed run is not repeated: the next one is due soon. */
export function startSchedules(schedules: readonly ScheduleModel[], runtime: FunctionRuntime): Loop {
  const timers = new Map<ScheduleModel, NodeJS.Timeout>();
  const running = new Set<Promise<unknown>>();
  const plan = (schedule: ScheduleModel, after: Date): void => {
    const due = schedule.nextRun(after);
    if (due === undefined) return;
    const fire = (): void => {
      // A timer may fire a moment early, or the clock was changed.
      if (Date.now() < due.getTime()) {
        plan(schedule, after);
        return;
      }
      const run = runtime.invoke(schedule.target, {}).finally(() => running.delete(run));
      running.add(run);
      // Like EventBridge, it does not make up for runs that the machine slept through.
      plan(schedule, new Date(Math.max(due.getTime(), Date.now())));
    };
    timers.set(schedule, setTimeout(fire, Math.max(0, due.getTime() - Date.now())));
  };
  for (const schedule of schedules) plan(schedule, new Date());
  return {
    stop: async () => {
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all(running);
    },
  };
}
