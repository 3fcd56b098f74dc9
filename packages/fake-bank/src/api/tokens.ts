import { randomBytes } from 'node:crypto';
import type { Drawer } from '../archive.ts';
import type { Client, Token } from '../model.ts';
import { problem, Refusal } from '../refusal.ts';
import type { BankResponse } from '../refusal.ts';

/** Path of the token endpoint (RFC 6749, 4.4), over mTLS as every call. */
export const tokenPath = '/oauth/token';

const unauthorized = (error: string, text: string): Refusal =>
  new Refusal({ status: 401, body: { error, error_description: text }, headers: { 'WWW-Authenticate': 'Bearer' } });

/**
 * Issues a token for a client's id and secret (header Basic), bound to the certificate of the connection (RFC 8705).
 * The body is JSON, as at Efí, or a form.
 *
 * @throws Refusal 401 for an unknown client, a wrong secret or another client's certificate; 400 for another grant.
 */
export function issueToken(
  common: Drawer,
  call: { authorization: string | undefined; body: string; fingerprint: string; now: number; seconds: number },
): BankResponse {
  const basic = /^Basic (\S+)$/iu.exec(call.authorization ?? '')?.[1] ?? '';
  const [id = '', secret] = Buffer.from(basic, 'base64').toString().split(/:(.*)/su);
  const client = common.find('client', id);
  if (client === undefined || client.secret !== secret || !client.fingerprints.includes(call.fingerprint))
    throw unauthorized('invalid_client', 'Invalid or inactive credentials');
  const { grant, scope } = readGrant(call.body);
  if (grant !== 'client_credentials')
    throw new Refusal({
      status: 400,
      body: { error: 'unsupported_grant_type', error_description: 'Unsupported grant type' },
    });
  const asked = scope?.split(' ');
  const scopes = client.scopes.filter((candidate) => asked?.includes(candidate) ?? true);
  const token = randomBytes(32).toString('base64url');
  common.save('token', token, {
    client: id,
    fingerprint: call.fingerprint,
    scopes,
    expiresAt: call.now + call.seconds * 1000,
  });
  const body = { access_token: token, token_type: 'Bearer', expires_in: call.seconds, scope: scopes.join(' ') };
  return { status: 200, body };
}

function readGrant(body: string): { grant: unknown; scope: string | undefined } {
  try {
    const { grant_type: grant, scope } = JSON.parse(body) as Record<string, unknown>;
    return { grant, scope: typeof scope === 'string' ? scope : undefined };
  } catch {
    const form = new URLSearchParams(body);
    return { grant: form.get('grant_type'), scope: form.get('scope') ?? undefined };
  }
}

/**
 * Returns the client of a call's token.
 *
 * @throws Refusal 401 for a missing, unknown or expired token, or one of another certificate; 403 without the scope.
 */
export function authenticate(
  common: Drawer,
  call: { authorization: string | undefined; fingerprint: string; now: number; scope: string },
): Client {
  const text = /^Bearer (\S+)$/iu.exec(call.authorization ?? '')?.[1] ?? '';
  const token: Token | undefined = common.find('token', text);
  if (token === undefined || token.expiresAt <= call.now || token.fingerprint !== call.fingerprint)
    throw unauthorized('invalid_token', 'Token inválido ou expirado.');
  const client = common.find('client', token.client);
  if (client === undefined) throw unauthorized('invalid_token', 'Token inválido ou expirado.');
  if (!token.scopes.includes(call.scope))
    throw new Refusal(problem(403, 'AcessoNegado', `insufficient_scope: ${call.scope}`));
  return client;
}
