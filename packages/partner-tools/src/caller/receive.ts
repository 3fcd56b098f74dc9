import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { signatureErrors } from '../receiver/signatures.ts';

export type Received = Pick<LambdaFunctionURLEvent, 'headers' | 'body' | 'isBase64Encoded'>;

/** The caller's own receiver: 200 to a notification that is signed with the secret, else 401 with the errors. */
export function receiveNotification(
  { headers, body = '', isBase64Encoded }: Received,
  secret: string,
): { readonly statusCode: number; readonly body: string } {
  const raw = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  const errors = signatureErrors({ raw, headers }, secret);
  if (errors.length > 0) return { statusCode: 401, body: errors.join('; ') };
  return { statusCode: 200, body: JSON.stringify({ returnCode: 'SUCCESS' }) };
}
