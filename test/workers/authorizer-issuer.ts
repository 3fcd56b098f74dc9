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
  /** What the next requests for the keys get instead of the keys; undefined: the keys again. */
  readonly answerWith: (answer: { status: number; body: string } | undefined) => void;
  readonly stop: () => Promise<void>;
};

/** An issuer that publishes its keys on a server of this process. */
export async function startTestIssuer(alg: 'RS256' | 'ES256' = 'RS256'): Promise<TestIssuer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid: 'key-1', use: 'sig' };
  let fetches = 0;
  let answer: { status: number; body: string } | undefined;
  const server = createServer((_request, response) => {
    fetches += 1;
    response.writeHead(answer?.status ?? 200, { 'content-type': 'application/json' });
    response.end(answer?.body ?? JSON.stringify({ keys: [publicJwk] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    jwksUri: `http://127.0.0.1:${portOf(server)}/keys`,
    sign: (claims, header) => signed(privateKey, claims, { alg, kid: 'key-1', ...header }),
    privateJwk: await exportJWK(privateKey),
    publicJwk,
    fetches: () => fetches,
    answerWith: (next) => {
      answer = next;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
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
