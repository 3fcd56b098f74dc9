import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { LambdaFunctionURLResult } from 'aws-lambda';
import { send } from '../api/http.ts';
import { callFromOutside, readCallerSecret } from './call.ts';
import type { Received } from './receive.ts';
import { receiveNotification } from './receive.ts';

const secrets = new SecretsManagerClient();
/** Longest wait for the notification. It is shorter than the function's timeout. */
const withinMs = 40_000;

/**
 * Runs a scheduled round, or receives a notification at the function's URL. A failed round is an error of the function,
 * whose alarm pages. The secret is read each time, so that a new secret needs no deployment.
 */
export async function handler(event: Received | Readonly<Record<string, never>>): Promise<LambdaFunctionURLResult> {
  const SecretId = process.env['CALLER_SECRET_ARN'];
  const secret = readCallerSecret((await secrets.send(new GetSecretValueCommand({ SecretId }))).SecretString);
  if ('headers' in event) return receiveNotification(event as Received, secret.webhookSecret);
  await callFromOutside(secret, send, withinMs);
  return {};
}
