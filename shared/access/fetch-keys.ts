import { IssuerKey } from './issuer-key-store.ts';

export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/** Limits of a response. Issuers publish less (Entra: 8 keys with their certificates in 15 KB). */
const responseBytes = 262_144;
const keys = 50;

/**
 * Fetches an issuer's public signing keys (RFC 7517, 5), without unusable keys and private members.
 * @param timeoutMs for the whole response
 * @throws IssuerUnavailable without a usable key in time, or when the response is too large
 */
export async function fetchIssuerKeys(jwksUri: string, timeoutMs: number): Promise<IssuerKey[]> {
  try {
    const response = await fetch(jwksUri, {
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      // No connection is kept: it may break while the function is frozen.
      headers: { accept: 'application/jwk-set+json, application/json', connection: 'close' },
    });
    if (response.status !== 200) throw unusable(`status ${response.status}`);
    return signingKeys(JSON.parse(await boundedText(response)));
  } catch (cause) {
    throw cause instanceof IssuerUnavailable ? cause : unusable('the response is missing or unreadable', cause);
  }
}

function unusable(why: string, cause?: unknown): IssuerUnavailable {
  return new IssuerUnavailable(`Cannot fetch the issuer's keys: ${why}.`, { cause });
}

/** @throws IssuerUnavailable when the body is larger than `responseBytes`, unpacked. */
async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > responseBytes) throw unusable('the response is too large for a key set');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function signingKeys(response: unknown): IssuerKey[] {
  const published = typeof response === 'object' && response !== null && 'keys' in response ? response.keys : undefined;
  if (!Array.isArray(published) || published.length > keys) throw unusable('the response has no key set');
  const usable = published.flatMap((key: unknown) => {
    const { success, data } = IssuerKey.safeParse(key);
    return success && isPublic(key) ? [data] : [];
  });
  if (usable.length === 0) throw unusable('the key set has no usable public key');
  return usable;
}

/** Whether a key has only public members. A signature proves nothing when the private key is published too. */
function isPublic(key: unknown): boolean {
  return typeof key === 'object' && key !== null && !('d' in key) && !('k' in key);
}
