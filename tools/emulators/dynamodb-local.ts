import { join } from 'node:path';
import { cache, dynamoDbLocalCommand, freePort } from '@banking-order/cdk-local';
import type { BackgroundProcess } from './background.ts';
import { startInBackground } from './background.ts';

/**
 * Starts Amazon's DynamoDB Local in memory on a free port of 127.0.0.1, after `installDynamoDbLocal`.
 * @throws Error when it does not start.
 */
export async function startDynamoDbLocal(
  options: { readonly log?: string; readonly environment?: Readonly<Record<string, string>> } = {},
): Promise<BackgroundProcess & { readonly endpoint: string; readonly port: number }> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const { stop } = await startInBackground({
    command: dynamoDbLocalCommand(port),
    environment: options.environment ?? {},
    log: options.log ?? join(cache, 'server.log'),
    // Any status means ready: a request without a signature gets a 400.
    isReady: async () => (await fetch(endpoint)).status > 0,
    readyWithinSeconds: 30,
  });
  return { endpoint, port, stop };
}
