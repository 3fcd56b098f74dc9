import { createServer as createTcpServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sender } from '#shared/webhooks/dispatch/sender.ts';
import type { ResolvedAddress } from '#shared/platform/target-guard.ts';
import { closeReceivers, listening, options, post, receiver, status } from './receivers.ts';

afterEach(closeReceivers);

describe('the error of a call', () => {
  it.each([
    ['ENOTFOUND', 'DNS'],
    ['EAI_AGAIN', 'DNS'],
    ['EAI_FAIL', 'DNS'],
    ['ENODATA', 'DNS'],
    ['ESERVFAIL', 'DNS'],
    ['EREFUSED', 'DNS'],
    ['EBADRESP', 'DNS'],
    ['EBADNAME', 'DNS'],
    ['ETIMEOUT', 'DNS'],
    ['ECANCELLED', 'DNS'],
    ['ECONNREFUSED', 'CONNECTION_REFUSED'],
    ['ECONNRESET', 'CONNECTION_RESET'],
    ['EPIPE', 'CONNECTION_RESET'],
    ['EHOSTUNREACH', 'UNREACHABLE'],
    ['ENETUNREACH', 'UNREACHABLE'],
    ['EADDRNOTAVAIL', 'UNREACHABLE'],
    ['ETIMEDOUT', 'TIMEOUT'],
    ['EPROTO', 'TLS'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'TLS'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS'],
    ['CERT_HAS_EXPIRED', 'TLS'],
    ['CRL_HAS_EXPIRED', 'TLS'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TLS'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'TLS'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'TLS'],
    ['HOSTNAME_MISMATCH', 'TLS'],
    ['INVALID_CA', 'TLS'],
    ['PATH_LENGTH_EXCEEDED', 'TLS'],
    ['HPE_INVALID_CONSTANT', 'INVALID_RESPONSE'],
  ])('%s is reported as %s, and a longer code that contains it is not', async (code, error) => {
    const callOf = (errorCode: string) => {
      const resolve = () => Promise.reject(Object.assign(new Error(errorCode), { code: errorCode }));
      return post('https://partner.example/', { resolve });
    };
    expect(await callOf(code)).toMatchObject({ outcome: 'FAILED', error, isUnreached: true });
    expect(await callOf(`X${code}`)).toMatchObject({ error: 'CONNECTION_FAILED' });
    // Of certificates, handshakes and responses there are more codes than are named.
    const isNamedWhole = !['TLS', 'INVALID_RESPONSE'].includes(error) || code === 'EPROTO';
    if (isNamedWhole) expect(await callOf(`${code}X`)).toMatchObject({ error: 'CONNECTION_FAILED' });
  });

  it('is no word about the receiver once it was reached', async () => {
    const port = await listening(createTcpServer((socket) => void socket.once('data', () => socket.resetAndDestroy())));
    expect(await post(`http://127.0.0.1:${port}/`)).toEqual({
      ...{ outcome: 'FAILED', error: 'CONNECTION_RESET', durationMs: expect.any(Number) as number },
    });
  });
});

describe('a slow call', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const call = (endpoint: string, whenSlow: (isConnected: boolean) => void, more = {}) =>
    sender({ ...options, deadlineMs: 20_000, ...more })({ endpoint, headers: {}, body: '{}' }, whenSlow);

  it('is reported after a second, while it waits for the response', async () => {
    const whenSlow = vi.fn();
    const asked = Promise.withResolvers<() => void>();
    const port = await receiver((_request, response) => {
      asked.resolve(() => response.end());
    });
    const pendingCall = call(`http://127.0.0.1:${port}/`, whenSlow);
    const response = await asked.promise;
    vi.advanceTimersByTime(999);
    expect(whenSlow).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(whenSlow.mock.calls).toEqual([[true]]);
    response();
    expect(await pendingCall).toMatchObject({ outcome: 'DELIVERED' });
  });

  it('is reported after a second, also while it is not connected', async () => {
    const whenSlow = vi.fn();
    const name = Promise.withResolvers<ResolvedAddress[]>();
    const pendingCall = call('https://partner.example/', whenSlow, { resolve: () => name.promise });
    vi.advanceTimersByTime(1000);
    expect(whenSlow.mock.calls).toEqual([[false]]);
    name.resolve([]);
    expect(await pendingCall).toMatchObject({ outcome: 'FAILED', error: 'DNS' });
  });

  it('is not reported when it has ended', async () => {
    const whenSlow = vi.fn();
    const port = await receiver(status(200));
    await call(`http://127.0.0.1:${port}/`, whenSlow);
    vi.advanceTimersByTime(60_000);
    expect(whenSlow).not.toHaveBeenCalled();
  });

  it('is over when it has brought 4 KiB, and not before', async () => {
    const body = '{"returnCode":"WHOLE"}';
    const port = await receiver((_request, response) => {
      response.writeHead(200).write(body.slice(0, 5));
      setImmediate(() => response.write(body.slice(5).padEnd(4096 - 5, ' ')));
    });
    const result = await call(`http://127.0.0.1:${port}/`, () => undefined);
    expect(result).toMatchObject({ outcome: 'DELIVERED', returnCode: 'WHOLE' });
    // Not by the deadline of the call, which is twice as late.
    expect(result.durationMs).toBeLessThan(10_000);
  });
});
