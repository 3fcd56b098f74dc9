import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Invoked } from './invoked.ts';

const script = fileURLToPath(import.meta.resolve('./invoked.ts'));

type Invocation = {
  readonly module: string;
  readonly events: readonly unknown[];
  readonly variables?: Readonly<Record<string, string>>;
};

/**
 * One function in a Node of its own, with Lambda's settings and nothing of this process's: its bundle imported, then
 * invoked with each event in turn.
 * @throws Error when it ends without an answer; why is on its standard error.
 */
export async function invokeAlone({ module, events, variables = {} }: Invocation): Promise<Invoked> {
  const env = {
    NODE_OPTIONS: '--enable-source-maps',
    TZ: 'UTC',
    AWS_REGION: 'us-east-1',
    ...credentials,
    ...variables,
  };
  const child = fork(script, { env });
  child.send({ module, events });
  const [invoked] = await Promise.race([
    once(child, 'message') as Promise<[Invoked]>,
    once(child, 'exit').then(() => {
      throw new Error(`${module} did not answer.`);
    }),
  ]);
  child.disconnect();
  return invoked;
}

const credentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
