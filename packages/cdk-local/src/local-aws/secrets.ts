import * as z from 'zod';
import { jsonResponse } from '../api/http-server.ts';
import { readInput, serveAt } from './service-route.ts';

const Request = z.object({ SecretId: z.string() });

/** Secrets Manager for the functions: only `GetSecretValue`. */
export function createSecrets(read: (name: string) => string | undefined) {
  return serveAt('secrets', ({ headers, body }) => {
    const isKnown = headers['x-amz-target'] === 'secretsmanager.GetSecretValue';
    const name = isKnown ? readInput(Request, body)?.SecretId : undefined;
    const text = name === undefined ? undefined : read(name);
    if (text === undefined)
      return jsonResponse(400, { __type: 'ResourceNotFoundException', message: 'There is no such secret.' });
    return jsonResponse(200, { Name: name, SecretString: text });
  });
}
