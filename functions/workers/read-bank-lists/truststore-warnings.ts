import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod';

const DomainName = z.object({
  mutualTlsAuthentication: z.object({ truststoreWarnings: z.array(z.string()).default([]) }),
});

const timeoutMs = 5000;

/**
 * Returns the truststore warnings of a domain, by `GetDomainName` of API Gateway. It signs the request itself: the
 * SDK's client for API Gateway would be a tenth of the function's bundle.
 *
 * @param access Region and credentials, as a client of the SDK has them.
 * @throws Error with the status of a failed response, without its body
 */
export async function truststoreWarnings(
  hostName: string,
  { region, credentials }: Pick<DynamoDBClient['config'], 'region' | 'credentials'>,
  send: typeof fetch = fetch,
): Promise<readonly string[]> {
  const signer = new SignatureV4({ service: 'apigateway', region, credentials, sha256: Sha256 });
  const host = `apigateway.${await region()}.amazonaws.com`;
  const path = `/domainnames/${hostName}`;
  const { headers } = await signer.sign({
    method: 'GET',
    protocol: 'https:',
    hostname: host,
    path,
    headers: { host, accept: 'application/json' },
  });
  const response = await send(`https://${host}${path}`, { headers, signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok)
    throw new Error(`Cannot read the domain ${hostName}: API Gateway responded with status ${response.status}.`);
  return DomainName.parse(await response.json()).mutualTlsAuthentication.truststoreWarnings;
}
