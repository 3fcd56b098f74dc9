import type { JWTPayload } from 'jose';

/** What tokens must be for, by configuration. */
export type ServiceIdentity = { readonly audiences: readonly string[]; readonly scope: string };

/** Longer ids cannot be keys of the table, and no issuer makes them. */
const clientIdMax = 256;

/**
 * Whether a token is for this service: one of its audiences, or a scope or role that is the service's scope or lies
 * below it. Issuers differ in where they write it: Entra in `aud` (`scp` for people, `roles` for programs), others in
 * `scope`, as text with blanks between (RFC 8693, 4.2) or as an array.
 */
export function isForService(claims: JWTPayload, { audiences, scope }: ServiceIdentity): boolean {
  if (elements(claims.aud).some((audience) => audiences.includes(audience))) return true;
  const granted = [claims['scope'], claims['scp'], claims['roles']].flatMap(scopes);
  return granted.some((one) => one === scope || one.startsWith(`${scope}/`));
}

/** The program that the token was given to: `azp`, else `appid` (Entra v1), else `client_id` (RFC 9068, 2.2). */
export function clientIdOf(claims: JWTPayload): string | undefined {
  const named = [claims['azp'], claims['appid'], claims['client_id']].find((claim) => claim !== undefined);
  return typeof named === 'string' && named !== '' && named.length <= clientIdMax ? named : undefined;
}

function scopes(claim: unknown): readonly string[] {
  return elements(claim).flatMap((element) => element.split(' '));
}

function elements(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter((element): element is string => typeof element === 'string') : [];
}
