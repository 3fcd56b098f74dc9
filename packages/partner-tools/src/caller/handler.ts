import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { LambdaFunctionURLResult } from 'aws-lambda';
import { send } from '../api/http.ts';
import { callFromOutside, readCallerSecret } from './call.ts';
import type { Received } from './receive.ts';
import { receiveNotification } from './receive.ts';

const secrets = new SecretsManagerClient();
/** Less than the function's minute. */
const withinMs = 40_000;

/**
 * A round of the schedule, or a notification to the function's URL. A round that fails is an error of the function,
 * which pages. The secret is read each time: a new one needs no deployment.
 */
export async function handler(event: Received | Readonly<Record<string, never>>): Promise<LambdaFunctionURLResult> {
  const SecretId = process.env['CALLER_SECRET_ARN'];
  const secret = readCallerSecret((await secrets.send(new GetSecretValueCommand({ SecretId }))).SecretString);
  if ('headers' in event) return receiveNotification(event as Received, secret.webhookSecret);
  await callFromOutside(secret, send, withinMs);
  return {};
}
