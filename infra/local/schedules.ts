import { Cron } from 'croner';
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Loop } from './event-sources/stopping.ts';
import type { FunctionDefinition } from './functions/function-definitions.ts';
import type { FunctionRuntime } from './functions/function-runtime.ts';
import type { Resolve } from './template/intrinsics.ts';
import { readProperties } from './template/intrinsics.ts';
import type { LocalTemplate, TemplateResource } from './template/local-template.ts';
import { describeResource, LocalStartError, resourcesOf } from './template/local-template.ts';
import { account, arn, functionNameOf, physicalName } from './template/local-values.ts';

/** When a schedule runs: the next instant after another one, undefined when there is none. */
export type NextRun = (after: Date) => Date | undefined;

const unitMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Highest value of each field: `0/15` means from 0 to the highest in steps of 15. */
const fieldMaximum = [59, 23, 31, 12, 7, 2199];

/**
 * Reads `rate(5 minutes)` and `cron(minute hour day-of-month month day-of-week year)` ("Schedule types in EventBridge
 * Scheduler"). Days of the week count from 1 = Sunday; `?` leaves one of the two day fields open.
 *
 * @param timeZone IANA name, for cron; UTC where the template names none.
 * @param start A rate counts from here.
 * @throws LocalStartError for another form, an impossible field or an unknown time zone.
 */
export function readScheduleExpression(expression: string, timeZone: string, start: Date): NextRun {
  const [, kind, argument = ''] = /^(rate|cron)\((.*)\)$/.exec(expression) ?? [];
  switch (kind) {
    case 'rate':
      return everyInterval(rateMs(expression, argument), start);
    case 'cron':
      return everyMatch(expression, argument, timeZone);
    default:
      throw new LocalStartError(`The local runner knows rate(…) and cron(…) schedules, not ${expression}.`);
  }
}

function rateMs(expression: string, argument: string): number {
  const [, count, unit = ''] = /^(\d+) (minute|hour|day)s?$/.exec(argument) ?? [];
  const milliseconds = Number(count) * (unitMs[unit] ?? 0);
  if (milliseconds > 0) return milliseconds;
  throw new LocalStartError(`${expression} is no rate: a count and minutes, hours or days.`);
}

function everyInterval(interval: number, start: Date): NextRun {
  return (after) => {
    const runs = Math.floor((after.getTime() - start.getTime()) / interval) + 1;
    return new Date(start.getTime() + Math.max(1, runs) * interval);
  };
}

function everyMatch(expression: string, argument: string, timeZone: string): NextRun {
  const fields = argument.trim().split(/\s+/);
  if (fields.length !== 6) throw new LocalStartError(`${expression} needs six fields.`);
  if (fields[2] !== '?' && fields[4] !== '?') {
    throw new LocalStartError(
      `${expression} must leave the day of the month or that of the week open with a question mark.`,
    );
  }
  const [minute, hour, dayOfMonth, month, dayOfWeek, year] = fields.map((field, index) => cronerField(field, index));
  const pattern = ['0', minute, hour, dayOfMonth, month, dayOfWeek, year].join(' ');
  try {
    const cron = new Cron(pattern, {
      timezone: timeZone,
      alternativeWeekdays: true,
      mode: '7-part',
      paused: true,
    });
    cron.nextRun();
    return (after) => cron.nextRun(after) ?? undefined;
  } catch (error) {
    throw new LocalStartError(`${expression} (${timeZone}) is no schedule: ${String(error)}`);
  }
}

/** `?` → `*`, `0/15` → `0-59/15`, `6L` (last Friday) → `6#L`; everything else is written alike. */
function cronerField(field: string, index: number): string {
  if (field === '?') return '*';
  const [, from, step] = /^(\d+)\/(\d+)$/.exec(field) ?? [];
  if (from !== undefined && step !== undefined) return `${from}-${fieldMaximum[index] ?? 59}/${step}`;
  const [, weekday] = index === 4 ? (/^(\d|[A-Z]{3})L$/i.exec(field) ?? []) : [];
  return weekday === undefined ? field : `${weekday}#L`;
}

/** A schedule of the template that is enabled. */
export type ScheduleModel = {
  readonly id: string;
  readonly nextRun: NextRun;
  readonly target: FunctionDefinition;
  /** Event of the run that was due at an instant. */
  readonly eventAt: (due: Date) => unknown;
};

const state = z.enum(['ENABLED', 'DISABLED']).default('ENABLED');

const scheduleShape = z.object({
  ScheduleExpression: z.string(),
  ScheduleExpressionTimezone: z.string().default('UTC'),
  State: state,
  StartDate: z.undefined({ error: 'start dates are not run locally' }).optional(),
  EndDate: z.undefined({ error: 'end dates are not run locally' }).optional(),
  Target: z.object({ Arn: z.string(), Input: z.string().optional() }),
});

const ruleShape = z.object({
  ScheduleExpression: z.string({ error: 'the local runner runs rules with a schedule only' }),
  State: state,
  Targets: z.array(z.object({ Arn: z.string(), Input: z.string().optional() })).default([]),
});

/**
 * Reads `AWS::Scheduler::Schedule` and the scheduled ones of `AWS::Events::Rule`.
 *
 * @throws LocalStartError for an expression, a time zone or a target that the runner does not know.
 */
export function readSchedules(
  template: LocalTemplate,
  resolve: Resolve,
  runtime: FunctionRuntime,
  region: string,
): readonly ScheduleModel[] {
  const start = new Date();
  const targetOf = (resource: TemplateResource, target: string): FunctionDefinition => {
    const name = functionNameOf(target);
    if (name === undefined)
      throw new LocalStartError(`${describeResource(resource)} does not call a Lambda function: ${target}.`);
    return runtime.find(name);
  };
  const schedules = resourcesOf(template, 'AWS::Scheduler::Schedule').flatMap((resource): ScheduleModel[] => {
    const shape = readProperties(scheduleShape, resource, resolve);
    if (shape.State === 'DISABLED') return [];
    const scheduleArn = arn('scheduler', region, `schedule/default/${physicalName(resource)}`);
    return [
      {
        id: resource.id,
        nextRun: readScheduleExpression(shape.ScheduleExpression, shape.ScheduleExpressionTimezone, start),
        target: targetOf(resource, shape.Target.Arn),
        eventAt: (due) => scheduledInput(shape.Target.Input ?? '{}', scheduleArn, due),
      },
    ];
  });
  const rules = resourcesOf(template, 'AWS::Events::Rule').flatMap((resource): ScheduleModel[] => {
    const shape = readProperties(ruleShape, resource, resolve);
    if (shape.State === 'DISABLED') return [];
    const ruleArn = arn('events', region, `rule/${physicalName(resource)}`);
    return shape.Targets.map((target) => ({
      id: resource.id,
      nextRun: readScheduleExpression(shape.ScheduleExpression, 'UTC', start),
      target: targetOf(resource, target.Arn),
      eventAt: (due) =>
        target.Input === undefined ? ruleEvent(ruleArn, region, due) : (JSON.parse(target.Input) as unknown),
    }));
  });
  return [...schedules, ...rules];
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

function ruleEvent(ruleArn: string, region: string, due: Date): unknown {
  const time = due.toISOString().replace(/\.\d+Z$/, 'Z');
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account,
    time,
    region,
    resources: [ruleArn],
    detail: {},
  };
}
