import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { workerNames, workers } from '#functions/workers.ts';
import type { OfWorkers } from '#functions/workers.ts';
import { pascalCase } from '#infra/aws/names.ts';
import { resourceName } from '#infra/resource-name.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { DueFamily } from '#shared/platform/jobs/due-kinds.ts';
import { jobsAtOnce, maxJobWorkers } from '#shared/platform/jobs/due-kinds.ts';
import { addQueue } from './delivery-pipeline.ts';

/** How long a message may wait: the index has its job, and a later run sends it again. */
const retention = Duration.hours(1);
const dueWorkers = workerNames.flatMap((name) => {
  const { due: family, timeoutSeconds } = workers[name];
  return family === undefined ? [] : [{ name, family, timeoutSeconds }];
});

/** The queues of due jobs, one a family. No dead letters: the index has every job until it is done. */
export class DueQueues extends Construct {
  readonly of: Readonly<Record<DueFamily, Queue>>;

  constructor(scope: Construct, id: string, settings: EnvironmentSettings) {
    super(scope, id);
    const queues = dueWorkers.map(({ name, family, timeoutSeconds }) => {
      const visibility = Duration.seconds(6 * timeoutSeconds);
      const options = { name: resourceName(settings, `due-${name}`), retention, visibility };
      return [family, addQueue(this, pascalCase(name), options)] as const;
    });
    this.of = Object.fromEntries(queues) as DueQueues['of'];
  }
}

/** Connects each queue to the worker of its family. */
export function feedDueJobs(functions: OfWorkers<IFunction>, { of }: DueQueues): void {
  for (const { name, family } of dueWorkers)
    functions[name]?.addEventSource(
      new SqsEventSource(of[family], {
        batchSize: jobsAtOnce,
        reportBatchItemFailures: true,
        maxConcurrency: maxJobWorkers,
      }),
    );
}
