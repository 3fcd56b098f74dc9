import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { FailedRequest, HttpResponse } from './http/responses.ts';
import type { DueWork } from './jobs/due.ts';
import type { Store } from './table/store.ts';

/*
 * Replaces the sandbox in production. `#sandbox` is this file, or with the condition `simulation` of package.json's
 * `imports` shared/sandbox/build.ts. The bundler chooses: no variable decides it at run time.
 */

/** The dependencies of one request. In the sandbox `now` is the clock of the caller's company. */
export function dependenciesOf<D>(shared: D, _companyId: string): D | Promise<D> {
  return shared;
}

/** Due jobs by the machine's clock. The sandbox leaves out companies with a simulated clock. */
export function dueInRealTime(_store: Store, found: AsyncIterable<DueWork>): AsyncIterable<DueWork> {
  return found;
}

/** Returns the response to an authenticated request; in the sandbox, with the fault that `x-simulate` requests. */
export function respondToCaller(
  _event: APIGatewayProxyEvent,
  _request: Omit<FailedRequest, 'hasKey'> & { readonly companyId: string },
  respond: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  return respond();
}

/** Keeps nothing; in the sandbox, the last code of a validation for the simulation tool. */
export function keepSentCode(_store: Store, _companyId: string, _sent: object): Promise<void> {
  return Promise.resolve();
}

/** Absent; in the sandbox it replaces e-mail and SMS that are not configured, or not for this address. */
export const outbox: ((message: object) => Promise<{ readonly outcome: 'KEPT' }>) | undefined = undefined;
