import { IssuerKey } from './issuer-key-store.ts';

/** The issuer's keys cannot be fetched: nothing is known about the token. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/** Far more than issuers publish (Entra: 8 keys with their certificates in 15 KB), far less than does harm. */
const answerBytes = 262_144;
const keys = 50;

/**
 * Asks an issuer for its public signing keys (RFC 7517, 5). Keys that cannot check a token are left out, and so are
 * private members; an answer without a usable key, or larger than a key set can be, is refused.
 *
 * @param timeoutMs For the whole answer.
 * @throws IssuerUnavailable when no usable key comes back in time
 */
export async function fetchIssuerKeys(jwksUri: string, timeoutMs: number): Promise<IssuerKey[]> {
  try {
    const response = await fetch(jwksUri, {
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      // A connection that was idle while the function was frozen must not cost a refresh.
      headers: { accept: 'application/jwk-set+json, application/json', connection: 'close' },
    });
    if (response.status !== 200) throw unusable(`status ${response.status}`);
    return signingKeys(JSON.parse(await boundedText(response)));
  } catch (cause) {
    throw cause instanceof IssuerUnavailable ? cause : unusable('no answer that can be read', cause);
  }
}

function unusable(why: string, cause?: unknown): IssuerUnavailable {
  return new IssuerUnavailable(`The issuer's keys cannot be fetched: ${why}.`, { cause });
}

/** @throws IssuerUnavailable when the body is larger than `answerBytes`, unpacked. */
async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > answerBytes) throw unusable('too large for a key set');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function signingKeys(answer: unknown): IssuerKey[] {
  const published = typeof answer === 'object' && answer !== null && 'keys' in answer ? answer.keys : undefined;
  if (!Array.isArray(published) || published.length > keys) throw unusable('no key set');
  const usable = published.flatMap((key: unknown) => {
    const { success, data } = IssuerKey.safeParse(key);
    return success && isPublic(key) ? [data] : [];
  });
  if (usable.length === 0) throw unusable('no key that could check a signature');
  return usable;
}

/** A key whose private part was published proves nothing. */
function isPublic(key: unknown): boolean {
  return typeof key === 'object' && key !== null && !('d' in key) && !('k' in key);
}
