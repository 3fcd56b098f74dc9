import type { IncomingMessage } from 'node:http';
import type { HttpAnswer } from './proxy-response.ts';

/**
 * What this machine serves beside the API, on the same port: the token issuer, the receiver, the reference. A route
 * takes a request by its head and answers it once the body is there; an answer of `undefined` means that it has dealt
 * with the connection itself. Requests that no route takes are the API's.
 */
export type SideRoutes = (message: IncomingMessage) => SideRoute | undefined;
export type SideRoute = (body: Buffer) => HttpAnswer | Promise<HttpAnswer | undefined>;

/** The first of several that takes the request. */
export function firstOf(...all: readonly SideRoutes[]): SideRoutes {
  return (message) => {
    for (const routes of all) {
      const route = routes(message);
      if (route !== undefined) return route;
    }
    return undefined;
  };
}

export function jsonAnswer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: Buffer.from(JSON.stringify(body)),
  };
}
