import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { JWK, JWTPayload, JWTHeaderParameters, CryptoKey } from 'jose';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export type TestIssuer = {
  readonly jwksUri: string;
  /** A token with these claims beside `iat`, `nbf` and `exp`, which may be replaced too. */
  readonly sign: (claims: JWTPayload, header?: Partial<JWTHeaderParameters>) => Promise<string>;
  readonly privateJwk: JWK;
  readonly publicJwk: JWK;
  /** How often the keys were asked for. */
  readonly fetches: () => number;
  /**
   * What the next requests for the keys get instead of the keys, `silence` being nothing at all; undefined: the keys
   * again.
   */
  readonly respondWith: (response: { status: number; body: string } | 'silence' | undefined) => void;
  /** Publishes a new key in the place of the current one, with which `sign` signs from now on. */
  readonly rotate: (kid: string) => Promise<void>;
  readonly isRunning: () => boolean;
  readonly stop: () => Promise<void>;
};

/** An issuer that publishes its keys on a server of this process. */
export async function startTestIssuer(alg: 'RS256' | 'ES256' = 'RS256'): Promise<TestIssuer> {
  let { kid, privateKey, publicJwk } = await newKey(alg, 'key-1');
  const first = { privateJwk: await exportJWK(privateKey), publicJwk };
  let fetches = 0;
  let answer: { status: number; body: string } | 'silence' | undefined;
  const server = createServer((_request, response) => {
    fetches += 1;
    if (answer === 'silence') return;
    response.writeHead(answer?.status ?? 200, { 'content-type': 'application/json' });
    response.end(answer?.body ?? JSON.stringify({ keys: [publicJwk] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    jwksUri: `http://127.0.0.1:${portOf(server)}/keys`,
    sign: (claims, header) => signed(privateKey, claims, { alg, kid, ...header }),
    ...first,
    fetches: () => fetches,
    respondWith: (next) => {
      answer = next;
    },
    rotate: async (next) => {
      ({ kid, privateKey, publicJwk } = await newKey(alg, next));
    },
    isRunning: () => server.listening,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function newKey(alg: string, kid: string): Promise<{ kid: string; privateKey: CryptoKey; publicJwk: JWK }> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, use: 'sig' } };
}

/** Seconds since 1970, some seconds from now. */
export function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}

export function signed(key: CryptoKey | Uint8Array, claims: JWTPayload, header: JWTHeaderParameters): Promise<string> {
  const times = { iat: inSeconds(-5), nbf: inSeconds(-5), exp: inSeconds(3600) };
  const all = Object.entries<unknown>({ ...times, ...claims }).filter(([, value]) => value !== undefined);
  return new SignJWT(Object.fromEntries(all)).setProtectedHeader(header).sign(key);
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.');
  return address.port;
}
