import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { UsageError } from './values.ts';

/** What a local environment keeps in its folder for commands from another process. */
export const localFiles = {
  /** Its addresses, as long as it runs. */
  endpoints: 'endpoints.json',
  /** Hashes of the secrets of API clients. */
  clients: 'clients.json',
  /** Companies, secrets and accounts, for whoever calls it. */
  sandbox: 'sandbox.json',
} as const;

/** What commands need of the addresses. */
const reachableTable = z.object({
  /** Endpoint for the AWS SDK (`AWS_ENDPOINT_URL_DYNAMODB`). */
  dynamodb: z.url(),
  /** The first table of the template: this service has one. */
  tableName: z.string().min(1),
  region: z.string().min(1).default('us-east-1'),
});

/** Addresses of a running environment; they change with every start. */
export type Endpoints = z.output<typeof reachableTable> & {
  readonly baseUrl: string;
  /** Endpoint for the AWS SDK (`AWS_ENDPOINT_URL_SQS`). */
  readonly sqs: string;
};

/**
 * Where the table of the environment that runs on this folder is reached.
 *
 * @throws UsageError when none runs there.
 */
export function readTableEndpoint(folder: string): z.output<typeof reachableTable> {
  const file = join(folder, localFiles.endpoints);
  try {
    return reachableTable.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    const advice = 'start one with npm start, or name the table of an environment on AWS with --table';
    throw new UsageError(`There is no local environment at ${file}: ${advice}.`, { cause });
  }
}

/**
 * Replaces a file as a whole: a reader, or a start after a crash, sees the old text or the new one, never half of it.
 */
export function replaceFile(path: string, text: string, mode = 0o600): void {
  const next = `${path}.next`;
  writeFileSync(next, text, { mode });
  renameSync(next, path);
}
