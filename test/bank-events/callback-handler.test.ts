import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '#functions/workers/receive-callbacks/handler.ts';
import { maxCallbackBytes } from '#shared/bank-events/receive-callback.ts';
import { collectLines } from '../support/logged.ts';

/** What is known only to the bank and the service, or says whom it is about. */
const hidden = {
  // Too short to be looked up.
  token: 'f3nN0mVt0k3n',
  subject: 'CN=pix.bank.example',
  endToEndId: 'E00000000202611250900abcdefghijk',
};
type Event = Parameters<typeof handler>[0];
const event = (more: Partial<Event> & { readonly subject?: string } = {}): Event => {
  const { subject: subjectDN = hidden.subject, ...rest } = more;
  return {
    ...{ pathParameters: { token: hidden.token }, isBase64Encoded: false },
    body: JSON.stringify({ pix: [{ endToEndId: hidden.endToEndId }] }),
    requestContext: { identity: { clientCert: { subjectDN } } },
    ...rest,
  };
};

let lines: ReturnType<typeof collectLines>;
beforeEach(() => {
  lines = collectLines();
  // None of these callbacks reads it.
  vi.stubEnv('TABLE_NAME', 'table');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test.each<[string, Event, number]>([
  ['without a certificate', event({ subject: '' }), 403],
  ['that is too large', event({ body: `${hidden.endToEndId}${'x'.repeat(maxCallbackBytes)}` }), 413],
  ['with an unknown token', event(), 404],
  ['that is no request of API Gateway', event({ requestContext: {} as Event['requestContext'] }), 503],
])('a callback %s is logged, without its token, its body and its subject', async (_what, callback, status) => {
  expect(await handler(callback)).toMatchObject({ statusCode: status, body: '{}' });
  const written = JSON.stringify(lines);
  expect(written).toContain('Callback not accepted');
  for (const [name, value] of Object.entries(hidden)) expect(written, name).not.toContain(value);
});
