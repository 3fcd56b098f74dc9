import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Caller } from '#shared/contract/contract.ts';
import type { HttpResponse } from '../responses.ts';

/** Lambda's context of a request, with the parts that middlewares add to it. A part is absent before its middleware. */
export type EndpointContext = Context & {
  /** Start of the request, epoch milliseconds. */
  startedMs?: number;
  requestId?: string;
  caller?: Caller;
};

export type EndpointMiddleware<C extends Context = EndpointContext> = MiddlewareObj<
  APIGatewayProxyEvent,
  HttpResponse,
  Error,
  C
>;

/** Returns a part of the context. @throws Error if its middleware did not run: then nothing is carried out. */
export function addedBy<T>(middleware: string, part: T | undefined): T {
  if (part === undefined) throw new Error(`The middleware ${middleware} did not run.`);
  return part;
}
