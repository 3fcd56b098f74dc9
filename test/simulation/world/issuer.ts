import { createSign, generateKeyPairSync } from 'node:crypto';
import type { Draws } from '#test/model/bank-books.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';
import type { Weather } from './actors.ts';

export const issuerUrl = 'https://issuer.world';
export const audience = 'api://app-order-hml';
export const jwksUri = `${issuerUrl}/keys`;
/** Long enough that tokens meet a rotation, short enough that many end. */
const tokenSeconds = 3600;
const hour = 3_600_000;

type SigningKey = ReturnType<typeof makeKey>;

function makeKey(kid: string) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { kid, privateKey, published: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' } };
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** The token issuer: it rotates its keys every day or so, and is out of reach at times. */
export function issuerOf(time: VirtualTime, draws: Draws, faultSchedule: () => Weather, epochMs: () => number) {
  const rings = [makeKey('key-1'), makeKey('key-2'), makeKey('key-3')] as const;
  let currentIndex = 0;
  let isDown = false;
  const keyNow = (): SigningKey => rings[currentIndex % rings.length]!;
  const rotate = (): void => {
    currentIndex += 1;
    time.at(time.now() + draws.between(12 * hour, 60 * hour), rotate);
  };
  time.at(time.now() + draws.between(hour, 30 * hour), rotate);
  const turn = (): void => {
    isDown = !isDown && draws.chance(faultSchedule().unavailable * 5);
    time.at(time.now() + draws.between(hour / 20, 3 * hour), turn);
  };
  turn();
  const published = () =>
    [...new Set([currentIndex - 1, currentIndex, currentIndex + 1])].map((at) => rings[(at + 3) % 3]!.published);
  return {
    token: (clientId: string): string => {
      const { kid, privateKey } = keyNow();
      const now = Math.floor(epochMs() / 1000);
      const claims = { iss: issuerUrl, aud: audience, azp: clientId, iat: now, nbf: now, exp: now + tokenSeconds };
      const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid })}.${encode(claims)}`;
      return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey).toString('base64url')}`;
    },
    /** `fetch` for the service, which gets the issuer's keys by it and nothing else. */
    fetch: async (url: string, { signal }: { readonly signal: AbortSignal }) => {
      if (url !== jwksUri) throw new Error(`The simulated world has no ${url}.`);
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
      const response = async (): Promise<{ readonly status: number; readonly body: AsyncIterable<Uint8Array> }> => {
        await time.sleep(isDown && draws.chance(0.5) ? 60_000 : draws.between(5, 300));
        if (isDown) throw new TypeError('fetch failed');
        const text = JSON.stringify({ keys: published() });
        return { status: 200, body: bytesOf(text) };
      };
      return Promise.race([response(), aborted]);
    },
    heal: (): void => {
      isDown = false;
    },
  };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}
