import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import type { SideRoute, SideRoutes } from './api/http-server.ts';
import { jsonResponse } from './api/http-server.ts';

const Request = z.object({ SecretId: z.string() });

/** Secrets Manager for the functions: only `GetSecretValue`, at a random path from their environment variables. */
export function createSecrets(read: (name: string) => string | undefined): {
  readonly path: string;
  readonly routes: SideRoutes;
} {
  const path = `/secrets/${randomBytes(16).toString('hex')}`;
  const routes = ({ method, url, headers }: IncomingMessage): SideRoute | undefined => {
    if (method !== 'POST' || url?.startsWith(path) !== true) return undefined;
    return (body) => {
      const { data } = Request.safeParse(JSON.parse(body.toString()));
      const isKnown = headers['x-amz-target'] === 'secretsmanager.GetSecretValue' && data !== undefined;
      const text = isKnown ? read(data.SecretId) : undefined;
      if (data === undefined || text === undefined)
        return jsonResponse(400, { __type: 'ResourceNotFoundException', message: 'There is no such secret.' });
      return jsonResponse(200, { Name: data.SecretId, SecretString: text });
    };
  };
  return { path, routes };
}
