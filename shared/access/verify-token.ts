import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { errors, jwtVerify } from 'jose';
import { IssuerUnavailable } from './fetch-keys.ts';

/** The claims of a token whose signature, issuer and times are right. Whom it is for is checked elsewhere. */
type VerifiedToken = { readonly claims: JWTPayload; readonly expiresAt: number };
export type TokenVerifier = (token: string) => Promise<VerifiedToken>;
type VerifierOptions = {
  /** `iss` of accepted tokens: an issuer may have several, as Entra's v1 and v2 tokens of one tenant. */
  readonly issuers: readonly string[];
  /** Finds the key that a token names, as issuer-keys.ts does. */
  readonly keys: JWTVerifyGetKey;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
};

/** The token is not a valid one of the issuer; `reason` is a code, never part of the token. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
  readonly reason: string;
  /** Takes no cause: the library's errors carry the claims, and an error may be printed whole. */
  constructor(reason: string) {
    super(`The token is not valid: ${reason}`);
    this.reason = reason;
  }
}

/**
 * Asymmetric only: with a shared-secret algorithm the issuer's public key would be the secret (RFC 8725, 2.1 and 3.1).
 */
const algorithms = ['RS256', 'ES256'];

/** How far the issuer's clock may be ahead, in seconds. The end of a token allows no tolerance. */
const notBeforeTolerance = 30;

/**
 * The verifier throws `InvalidToken` for a token that is not valid and `IssuerUnavailable` when the keys could not be
 * fetched or used.
 */
export function tokenVerifier({ issuers, keys, nowMs }: VerifierOptions): TokenVerifier {
  return async (token) => {
    const options = { algorithms: algorithms, issuer: [...issuers], clockTolerance: notBeforeTolerance };
    const claims = await jwtVerify(token, keys, options).then(
      ({ payload }) => payload,
      (error: unknown) => {
        if (error instanceof IssuerUnavailable) throw error;
        if (error instanceof errors.JOSEError) throw new InvalidToken(error.code);
        throw new IssuerUnavailable("The issuer's key cannot be used.", { cause: error });
      },
    );
    // A token without an end has ended.
    const expiresAt = Math.floor(claims.exp ?? 0);
    // The endpoints hold cached answers to the token's own end, so an extension here would end there with a 401.
    if (expiresAt * 1000 <= nowMs()) throw new InvalidToken(errors.JWTExpired.code);
    return { claims, expiresAt };
  };
}

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
