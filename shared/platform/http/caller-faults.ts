import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { FailedRequest, HttpAnswer } from './responses.ts';

/**
 * What a build does with the header `x-simulate`, by which a partner tries how its own client bears a lost reply.
 * `#caller-faults` is one of two files, chosen when a function is bundled (the condition `simulation` of package.json's
 * `imports`): production holds `no-faults.ts`, which reads nothing; every other environment `simulated-faults.ts`.
 */
export type CallerFaults = {
  /** The answer to a request whose caller is known, or the fault that its caller asked for. */
  readonly answerCaller: (
    event: APIGatewayProxyEvent,
    request: Omit<FailedRequest, 'hasKey'> & { readonly companyId: string },
    answer: () => Promise<HttpAnswer>,
  ) => Promise<HttpAnswer>;
};
