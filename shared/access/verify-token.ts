import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { errors, jwtVerify } from 'jose';
import type { TokenError } from '#shared/platform/http/refused-tokens.ts';
import { IssuerUnavailable } from './fetch-keys.ts';

/** Claims of a token with valid signature, issuer and times. */
export type VerifiedToken = { readonly claims: JWTPayload; readonly expiresAt: number };
export type TokenVerifier = (token: string) => Promise<VerifiedToken>;
type VerifierOptions = {
  /** Accepted `iss`: Entra has one for v1 and one for v2 tokens. */
  readonly issuers: readonly string[];
  readonly keys: JWTVerifyGetKey;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
};

/** `reason` is a code for the log, never part of the token. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
  readonly tokenError: TokenError;
  readonly reason: string;
  /** No cause: the library's errors carry the claims. */
  constructor(tokenError: TokenError, reason: string) {
    super(`The token is not valid: ${reason}`);
    this.tokenError = tokenError;
    this.reason = reason;
  }
}

/** Asymmetric only (RFC 8725, 2.1 and 3.1): for a shared-secret algorithm the public key would be the secret. */
const algorithms = ['RS256', 'ES256'];

/** Seconds that the issuer's clock may be ahead. Expiry has no tolerance. */
const notBeforeTolerance = 30;

/** Returns a verifier. It throws `InvalidToken`, or `IssuerUnavailable` without usable keys. */
export function tokenVerifier({ issuers, keys, nowMs }: VerifierOptions): TokenVerifier {
  return async (token) => {
    const options = { algorithms: algorithms, issuer: [...issuers], clockTolerance: notBeforeTolerance };
    const claims = await jwtVerify(token, keys, options).then(
      ({ payload }) => payload,
      (error: unknown) => {
        if (error instanceof IssuerUnavailable) throw error;
        if (error instanceof errors.JOSEError) throw new InvalidToken(tokenErrorOf(error), error.code);
        throw new IssuerUnavailable("Cannot use the issuer's key.", { cause: error });
      },
    );
    if (claims.exp === undefined) throw new InvalidToken('MALFORMED', 'NO_END');
    const expiresAt = Math.floor(claims.exp);
    // Endpoints check the expiry too, without tolerance: a token accepted here after its expiry would get 401 there.
    if (expiresAt * 1000 <= nowMs()) throw new InvalidToken('EXPIRED', errors.JWTExpired.code);
    return { claims, expiresAt };
  };
}

/**
 * Returns the error of a rejected token. Times are checked after the signature: an expired token that the issuer did
 * not sign is `FOREIGN`, not `EXPIRED`.
 */
function tokenErrorOf(error: errors.JOSEError): TokenError {
  if (error instanceof errors.JWTExpired) return 'EXPIRED';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'iss') return 'FOREIGN';
    return error.claim === 'nbf' && error.reason === 'check_failed' ? 'EARLY' : 'MALFORMED';
  }
  const unreadable = [errors.JWSInvalid, errors.JWTInvalid, errors.JOSENotSupported];
  return unreadable.some((kind) => error instanceof kind) ? 'MALFORMED' : 'FOREIGN';
}

/** The audience or scope that tokens must have. */
export type ServiceIdentity = { readonly audiences: readonly string[]; readonly scope: string };

/** Longer ids cannot be keys of the table. */
const clientIdMax = 256;

/**
 * Whether a token has one of the audiences, or the service's scope or role, or a scope or role below it (`<scope>/…`).
 * Entra writes `aud`, `scp` (people) and `roles` (programs). Other issuers write `scope` as text with blanks (RFC 8693,
 * 4.2) or as an array.
 */
export function isForService(claims: JWTPayload, { audiences, scope }: ServiceIdentity): boolean {
  if (elements(claims.aud).some((audience) => audiences.includes(audience))) return true;
  const granted = [claims['scope'], claims['scp'], claims['roles']].flatMap(scopes);
  return granted.some((permission) => permission === scope || permission.startsWith(`${scope}/`));
}

/** The client of the token: `azp`, else `appid` (Entra v1), else `client_id` (RFC 9068, 2.2). */
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
