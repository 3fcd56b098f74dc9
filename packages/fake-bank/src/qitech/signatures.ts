import { createHash, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { CompactSign, compactVerify, errors } from 'jose';
import * as z from 'zod';
import { instantAt, millisecondsOf, readInstant } from '../time.ts';
import type { Settings } from './settings.ts';

/** Milliseconds by which the time of a token may differ from the reader's: five minutes, as in the bank's samples. */
const toleranceMs = 300_000;

/** Bytes that stand for the body of a request without one: `json.dumps({})` in the bank's sample. */
const noBody = '{}';

const Claims = z.object({ payload_md5: z.string(), timestamp: z.string(), method: z.string(), uri: z.string() });
type Claims = z.output<typeof Claims>;

/** A message as its signature describes it. */
type Message = { readonly method: string; readonly uri: string; readonly body: string };

/** Returns the claims of a message: the MD5 of its bytes in hexadecimal, and the time in UTC with microseconds. */
export function claimsOf({ method, uri, body }: Message, nowMs: number): Claims {
  return { payload_md5: md5(body), timestamp: instantAt(nowMs).replace('Z', '000Z'), method, uri };
}

function md5(body: string): string {
  return createHash('md5').update(body).digest('hex');
}

/** Returns the token of claims, for the header `AUTHORIZATION`: a JWT (ES512), its members in the bank's order. */
export async function signClaims(claims: Claims, key: KeyObject): Promise<string> {
  const { payload_md5, timestamp, method, uri } = claims;
  const payload = Buffer.from(JSON.stringify({ payload_md5, timestamp, method, uri }));
  return new CompactSign(payload).setProtectedHeader({ alg: 'ES512', typ: 'JWT' }).sign(key);
}

/** A received request: `target` is its path with the query, as sent. */
type Received = { readonly method: string; readonly target: string; readonly body: string };

type Reader = {
  /** PEM of the signer. */
  readonly publicKey: string;
  readonly nowMs: number;
  readonly settings: Pick<Settings, 'signedUri' | 'emptyPayload'>;
};

/** Whether a token is the signer's, of about now, and about this request. */
export async function isSignatureOf(token: string, request: Received, reader: Reader): Promise<boolean> {
  const claims = await readToken(token, reader.publicKey);
  const at = claims && readInstant(claims.timestamp);
  if (claims === undefined || at === undefined) return false;
  return (
    Math.abs(millisecondsOf(at) - reader.nowMs) <= toleranceMs &&
    claims.method === request.method &&
    urisOf(request.target, reader.settings.signedUri).includes(claims.uri) &&
    digestsOf(request, reader.settings.emptyPayload).includes(claims.payload_md5)
  );
}

async function readToken(token: string, publicKey: string): Promise<Claims | undefined> {
  try {
    const { payload } = await compactVerify(token, createPublicKey(publicKey), { algorithms: ['ES512'] });
    return Claims.safeParse(JSON.parse(Buffer.from(payload).toString())).data;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof SyntaxError || error instanceof TypeError)
      return undefined;
    throw error;
  }
}

/** Returns the spellings of the path that a signature may have. */
function urisOf(target: string, signed: Settings['signedUri']): readonly string[] {
  const [path = ''] = target.split('?');
  const spellings = { AS_SENT: target, PATH: path, DECODED_PATH: decoded(path) };
  return signed === 'ANY' ? Object.values(spellings) : [spellings[signed]];
}

/** Returns a path without escapes; one with a wrong escape as it is. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function digestsOf({ method, body }: Received, empty: Settings['emptyPayload']): readonly string[] {
  if (body !== '' || !['GET', 'DELETE'].includes(method)) return [md5(body)];
  const digests = { BRACES: md5(noBody), NOTHING: md5('') };
  return empty === 'ANY' ? Object.values(digests) : [digests[empty]];
}
