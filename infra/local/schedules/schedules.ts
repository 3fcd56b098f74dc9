import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Loop } from '../event-sources/stopping.ts';
import type { FunctionDefinition } from '../functions/function-definitions.ts';
import type { FunctionRuntime } from '../functions/function-runtime.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readProperties } from '../template/properties.ts';
import type { LocalTemplate, TemplateResource } from '../template/local-template.ts';
import { describeResource, LocalStartError, resourcesOf } from '../template/local-template.ts';
import { account, arn, functionNameOf, physicalName } from '../template/local-values.ts';
import type { NextRun } from './schedule-expression.ts';
import { readScheduleExpression } from './schedule-expression.ts';

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
