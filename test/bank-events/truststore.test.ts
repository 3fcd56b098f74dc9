import { APIGatewayClient, GetDomainNameCommand } from '@aws-sdk/client-api-gateway';
import { expect, test, vi } from 'vitest';
import { truststoreWarnings } from '#functions/workers/read-bank-lists/truststore-warnings.ts';
import { checkTruststore } from '#shared/bank-events/truststore.ts';

const host = 'callbacks.example.com';
const access = {
  region: () => Promise.resolve('sa-east-1'),
  credentials: () => Promise.resolve({ accessKeyId: 'an-id', secretAccessKey: 'a-secret', sessionToken: 'a-token' }),
};

type Sent = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

function gateway(status: number, body: object) {
  const sent: Sent[] = [];
  const send = ((url: string, init: { headers: Sent['headers'] }) => {
    sent.push({ url, headers: init.headers });
    return Promise.resolve(Response.json(body, { status }));
  }) as typeof fetch;
  return { sent, read: () => truststoreWarnings(host, access, send) };
}

/** Who signs, for what: all of it but day and signature. */
const scopeOf = ({ authorization = '' }: Sent['headers']): string | undefined =>
  /Credential=([^,]+)/u.exec(authorization)?.[1]?.replace(/\/\d{8}\//u, '/DAY/');

test('a domain is asked for as the client of the SDK asks for it', async () => {
  const own = gateway(200, { mutualTlsAuthentication: { truststoreWarnings: ['Certificate 2 is expired'] } });
  expect(await own.read()).toEqual(['Certificate 2 is expired']);
  let expected: Sent | undefined;
  const handle = ({ hostname, path, headers }: { hostname: string; path: string; headers: Sent['headers'] }) => {
    expected = { url: `https://${hostname}${path}`, headers };
    return Promise.reject(new Error('That was all.'));
  };
  const requestHandler = { handle, updateHttpClientConfig: () => undefined, httpHandlerConfigs: () => ({}) };
  const client = new APIGatewayClient({ ...access, requestHandler, maxAttempts: 1 });
  await expect(client.send(new GetDomainNameCommand({ domainName: host }))).rejects.toThrow();
  expect(own.sent[0]?.url).toBe(expected?.url);
  expect(scopeOf(own.sent[0]!.headers)).toBe('an-id/DAY/sa-east-1/apigateway/aws4_request');
  expect(scopeOf(expected!.headers)).toBe(scopeOf(own.sent[0]!.headers));
  for (const name of ['accept', 'x-amz-security-token'])
    expect(own.sent[0]?.headers[name]).toBe(expected?.headers[name]);
});

test('a domain without warnings has none; one that cannot be read fails by its status', async () => {
  expect(await gateway(200, { mutualTlsAuthentication: { truststoreVersion: 'v1' } }).read()).toEqual([]);
  await expect(gateway(403, { message: 'User: arn is not authorized' }).read()).rejects.toThrow(
    /example\.com: .*status 403\.$/u,
  );
});

test('warnings are counted where an alarm sees them, and logged; none is a count of 0', async () => {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const written = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    lines.push(JSON.parse(String(text)) as (typeof lines)[number]);
    return true;
  });
  await checkTruststore(() => Promise.resolve(['one', 'two']));
  await checkTruststore(() => Promise.resolve([]));
  written.mockRestore();
  const counts = lines.filter((line) => 'TruststoreWarnings' in line);
  expect(counts.map((line) => [line['service'], line['TruststoreWarnings']])).toEqual([
    ['bank', 2],
    ['bank', 0],
  ]);
  expect(
    lines.filter(
      (line) => line['message'] === 'API Gateway reported warnings about the truststore of the callback domain',
    ),
  ).toHaveLength(1);
});
