import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type * as z from 'zod';
import type { SideRoutes } from '../api/http-server.ts';
import type { HttpResponse } from '../api/request.ts';

/** A service of AWS that this process is to the functions. */
type LocalService = {
  /** Path of its endpoint (`AWS_ENDPOINT_URL_<service>`). */
  readonly path: string;
  readonly routes: SideRoutes;
};

type ServiceRequest = {
  readonly method: string;
  /** Rest of the request's target after the path of the endpoint, as sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/** Serves a service at a random path, which only the environment variables of functions name. */
export function serveAt(name: string, respond: (request: ServiceRequest) => HttpResponse): LocalService {
  const path = `/${name}/${randomBytes(16).toString('hex')}`;
  const routes: SideRoutes = ({ method = '', url = '', headers }) => {
    if (!url.startsWith(path)) return undefined;
    return (body) => respond({ method, target: url.slice(path.length), headers, body });
  };
  return { path, routes };
}

/** Reads the input of an operation from a body of JSON. @returns undefined for another shape, and for no JSON. */
export function readInput<Shape extends z.ZodType>(shape: Shape, body: Buffer): z.output<Shape> | undefined {
  try {
    return shape.safeParse(JSON.parse(body.toString())).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
