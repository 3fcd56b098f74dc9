import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { FailedRequest, HttpAnswer } from './http/responses.ts';
import type { DueWork } from './jobs/due.ts';
import type { DueKind } from './jobs/due-kinds.ts';
import type { Store } from './table/store.ts';

/*
 * What a build of production does where other builds enter the sandbox. `#sandbox` is this file, or with the condition
 * `simulation` of package.json's `imports` shared/sandbox/build.ts. It is chosen when a function is bundled: no
 * variable and no switch decides it while a function runs.
 */

/** The dependencies of one request. In the sandbox `now` becomes the clock of the company that calls. */
export function dependenciesOf<D>(shared: D, _companyId: string): D | Promise<D> {
  return shared;
}

/** Due work by the machine's clock. In the sandbox without that of companies whose time is simulated. */
export function dueInRealTime(_store: Store, _kind: DueKind, found: AsyncIterable<DueWork>): AsyncIterable<DueWork> {
  return found;
}

/** The answer to a request whose caller is known. In the sandbox the fault that `x-simulate` asks for. */
export function answerCaller(
  _event: APIGatewayProxyEvent,
  _request: Omit<FailedRequest, 'hasKey'> & { readonly companyId: string },
  answer: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  return answer();
}

/** A code is with its holder alone. In the sandbox the last message of a validation is kept for the simulation tool. */
export function keepSentCode(_store: Store, _companyId: string, _sent: object): Promise<void> {
  return Promise.resolve();
}

/** In the sandbox stands for e-mail and phone services where none are configured, or not for this address. */
export const outbox: ((message: object) => Promise<{ readonly outcome: 'KEPT' }>) | undefined = undefined;
