import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../support/memory-store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import type { Ask } from './authorizer-harness.ts';
import { authorizer, good, outcome, storeWithClients } from './authorizer-harness.ts';
import type { TestIssuer } from './authorizer-issuer.ts';
import { inSeconds, startTestIssuer } from './authorizer-issuer.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

let issuer: TestIssuer;
let clients: Store;
/** The table where authorizers keep the issuer's keys. */
let kept: Store;
let aheadMs: number;
let written: string[];

beforeEach(async () => {
  issuer = await startTestIssuer('ES256');
  clients = await storeWithClients();
  kept = memoryStore();
  aheadMs = 0;
  written = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    written.push(String(line));
    return true;
  });
});
afterEach(async () => {
  if (issuer.isRunning()) await issuer.stop();
});

const nowMs = (): number => Date.now() + aheadMs;
const later = (ms: number): void => {
  aheadMs += ms;
};
/** An authorizer as it is after a cold start. */
const coldStart = (store: Store = kept): Ask => authorizer(issuer.jwksUri, clients, { kept: store, nowMs });
const token = (header: { kid?: string } = {}): Promise<string> =>
  issuer.sign(good({ exp: inSeconds(30 * 24 * 3600) }), header);

type Answer = { status: number; body: string } | 'silence' | 'down';
const json = (keySet: object): Answer => ({ status: 200, body: JSON.stringify(keySet) });
const ok = (body: string): Answer => ({ status: 200, body });

/** Ways in which an issuer is out of order. */
const disorders: [string, (issuer: TestIssuer) => Answer][] = [
  ['down', () => 'down'],
  ['silent', () => 'silence'],
  ['answering 500', () => ({ status: 500, body: '' })],
  ['redirecting', () => ({ status: 302, body: '' })],
  ['answering an HTML page', () => ok('<html>Please sign in</html>')],
  ['answering no keys', () => json({ keys: [] })],
  ['answering an RSA key that is too short', () => json({ keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }] })],
  ['answering its private key', ({ privateJwk }) => json({ keys: [privateJwk] })],
  ['answering a key set of 300 KB', () => ok(`{"keys":[${' '.repeat(300_000)}]}`)],
  ['answering 51 keys', ({ publicJwk }) => json({ keys: Array<object>(51).fill(publicJwk) })],
];

describe.each(disorders)('an issuer that is %s', (_what, responseOf) => {
  const disorder = async (): Promise<void> => {
    const response = responseOf(issuer);
    if (response === 'down') await issuer.stop();
    else issuer.respondWith(response);
    // Silence is waited for; an issuer that still answers may be slow, as on a busy machine.
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    if (response === 'silence') vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 20));
  };
  it('is not needed for a day after its keys were fetched, and no longer', async () => {
    const ask = coldStart();
    const bearer = await token();
    expect(await outcome(ask, bearer)).toBe('Allow');
    await disorder();
    for (const wait of [11 * minute, 60 * minute, day - 72 * minute]) {
      later(wait);
      expect(await outcome(ask, bearer)).toBe('Allow');
    }
    later(2 * minute);
    expect(await outcome(ask, bearer)).toBe('IssuerUnavailable');
  });

  it('is not needed for a day after a cold start either, when its keys are kept', async () => {
    const bearer = await token();
    await outcome(coldStart(), bearer);
    await disorder();
    later(11 * minute);
    expect(await outcome(coldStart(), bearer)).toBe('Allow');
    later(day);
    expect(await outcome(coldStart(), bearer)).toBe('IssuerUnavailable');
  });

  it('does not replace the keys that are kept in the table', async () => {
    await outcome(coldStart(), await token());
    const [before] = await kept.read([keys.issuerKeys(issuer.jwksUri)]);
    await disorder();
    later(11 * minute);
    await outcome(coldStart(), 'a.b.c');
    await outcome(coldStart(), await token());
    expect(await kept.read([keys.issuerKeys(issuer.jwksUri)])).toEqual([before]);
  });

  it('makes a token with an unknown key IssuerUnavailable, not a 401', async () => {
    const ask = coldStart();
    await outcome(ask, await token());
    await disorder();
    later(minute);
    const stranger = await token({ kid: 'key-2' });
    expect(await outcome(ask, stranger)).toBe('IssuerUnavailable');
    expect(await outcome(ask, stranger)).toBe('IssuerUnavailable');
    expect(await outcome(ask, await token())).toBe('Allow');
  });
});

describe('keys that the issuer changes', () => {
  it('are taken as soon as a token names the new one', async () => {
    const ask = coldStart();
    await outcome(ask, await token());
    await issuer.rotate('key-2');
    later(minute);
    expect(await outcome(ask, await token())).toBe('Allow');
  });

  it('end the withdrawn key within ten minutes, also after a cold start with kept keys', async () => {
    const withdrawn = await token();
    const ask = coldStart();
    await outcome(ask, withdrawn);
    await issuer.rotate('key-2');
    later(9 * minute);
    expect(await outcome(coldStart(), withdrawn)).toBe('Allow');
    later(2 * minute);
    expect(await outcome(ask, withdrawn)).toBe('FOREIGN');
    expect(await outcome(coldStart(), withdrawn)).toBe('FOREIGN');
  });

  it('end a key that was withdrawn during an outage one day after it was last fetched', async () => {
    const withdrawn = await token();
    await outcome(coldStart(), withdrawn);
    later(day - minute);
    issuer.respondWith({ status: 503, body: '' });
    const ask = coldStart();
    expect(await outcome(ask, withdrawn)).toBe('Allow');
    later(2 * minute);
    expect(await outcome(ask, withdrawn)).toBe('IssuerUnavailable');
    await issuer.rotate('key-2');
    issuer.respondWith(undefined);
    expect(await outcome(ask, withdrawn)).toBe('FOREIGN');
    expect(await outcome(ask, await token())).toBe('Allow');
  });

  it('reach an authorizer through the table when the issuer answers another one alone', async () => {
    const old = coldStart();
    await outcome(old, await token());
    await issuer.rotate('key-2');
    later(minute);
    const bearer = await token();
    await outcome(coldStart(), bearer);
    later(minute);
    await outcome(coldStart(), bearer);
    issuer.respondWith({ status: 500, body: '' });
    later(10_000);
    expect(await outcome(old, bearer)).toBe('Allow');
  });

  it('are asked for at most twice a minute by tokens with made-up key ids, which are 401', async () => {
    const ask = coldStart();
    await outcome(ask, await token());
    const before = issuer.fetches();
    for (let second = 0; second < 60; second += 5) {
      expect(await outcome(ask, await token({ kid: `made-up-${second}` }))).toBe('FOREIGN');
      later(5000);
    }
    expect(issuer.fetches() - before).toBeLessThanOrEqual(2);
  });
});

describe('the kept key set', () => {
  it('spares a cold start the request, while it is fresh', async () => {
    const bearer = await token();
    await outcome(coldStart(), bearer);
    expect(issuer.fetches()).toBe(1);
    expect(await outcome(coldStart(), bearer)).toBe('Allow');
    expect(issuer.fetches()).toBe(1);
    later(11 * minute);
    await outcome(coldStart(), bearer);
    expect(issuer.fetches()).toBe(2);
  });

  it('has only the public members of keys, and expires after a day', async () => {
    issuer.respondWith({
      status: 200,
      body: JSON.stringify({
        keys: [
          { ...issuer.publicJwk, x5c: ['MII'], more: 1 },
          { kty: 'oct', k: 'AA' },
        ],
      }),
    });
    await outcome(coldStart(), await token());
    const [item] = await kept.read([keys.issuerKeys(issuer.jwksUri)]);
    expect(item?.['keys']).toEqual([issuer.publicJwk]);
    expect(item?.['expiresAt']).toBe(Math.ceil((Number(item?.['askedAtMs']) + day) / 1000));
  });

  it('belongs to the address of the keys: another issuer starts without any kept key', async () => {
    await outcome(coldStart(), await token());
    const other = await startTestIssuer('ES256');
    other.respondWith({ status: 500, body: '' });
    expect(await outcome(authorizer(other.jwksUri, clients, { kept, nowMs }), await token())).toBe('IssuerUnavailable');
    await other.stop();
  });

  it('is not needed: a table that cannot be read or written costs a request to the issuer', async () => {
    const fail = () => Promise.reject(new StoreUnavailable('down'));
    const broken: Store = { ...memoryStore(), read: fail, writeOne: fail };
    expect(await outcome(coldStart(broken), await token())).toBe('Allow');
    expect(written.join('')).toContain('Cannot store');
  });

  it('is not believed when it is malformed, or comes from a clock days ahead', async () => {
    await outcome(coldStart(), await token());
    issuer.respondWith({ status: 500, body: '' });
    later(-3 * day);
    expect(await outcome(coldStart(), await token())).toBe('IssuerUnavailable');
    later(3 * day);
    const malformed = { ...keys.issuerKeys(issuer.jwksUri), keys: [{ kty: 'oct', k: 'AA' }], askedAtMs: nowMs() };
    await kept.writeOne({ put: malformed });
    expect(await outcome(coldStart(), await token())).toBe('IssuerUnavailable');
  });
});
