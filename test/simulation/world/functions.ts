import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Route } from '#functions/routes.ts';
import { routes } from '#functions/routes.ts';
import { endpointFunction, workerNames, workers } from '#functions/workers.ts';
import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import type { HttpResponse } from '#shared/platform/http/responses.ts';

type Time = Pick<Context, 'getRemainingTimeInMillis'>;
type Endpoint = Route & {
  readonly timeoutMs: number;
  readonly handle: (event: APIGatewayProxyEvent, context: Time) => Promise<HttpResponse>;
};
type WorkerFunction = {
  readonly timeoutMs: number;
  readonly handle: (event: unknown, context: Time) => Promise<unknown>;
};
export type Functions = {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly workers: ReadonlyMap<WorkerName, WorkerFunction>;
};
/**
 * Every function of the service by its real handler: routes and workers say which there are. Another release would be
 * another set of these beside it.
 */
export async function loadFunctions(): Promise<Functions> {
  const endpoints = new Map<string, Endpoint>();
  for (const route of routes) {
    const { handler } = (await import(`#functions/${route.folder}/handler.ts`)) as { handler: Endpoint['handle'] };
    const timeoutMs = 1000 * (route.timeoutSeconds ?? endpointFunction.timeoutSeconds);
    endpoints.set(route.contract.operationId, { ...route, timeoutMs, handle: handler });
  }
  const byName = new Map<WorkerName, WorkerFunction>();
  for (const name of workerNames) {
    const imported = (await import(`#functions/workers/${name}/handler.ts`)) as { handler: WorkerFunction['handle'] };
    byName.set(name, { timeoutMs: 1000 * workers[name].timeoutSeconds, handle: imported.handler });
  }
  return { endpoints, workers: byName };
}
