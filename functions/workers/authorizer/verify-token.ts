import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';

/** The claims of a token whose signature, issuer and times are right. Whom it is for is not judged here. */
export type VerifiedToken = { readonly claims: JWTPayload; readonly expiresAt: number };
export type TokenVerifier = (token: string) => Promise<VerifiedToken>;
export type VerifierOptions = {
  /** `iss` of accepted tokens: an issuer may have several, as Entra's v1 and v2 tokens of one tenant. */
  readonly issuers: readonly string[];
  readonly jwksUri: string;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
};

/** The token is not one that the issuer vouches for now; `reason` is a code, never part of the token. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
  readonly reason: string;
  /** Takes no cause: the library's errors carry the claims, and an error may be printed whole. */
  constructor(reason: string) {
    super(`The token is not valid: ${reason}`);
    this.reason = reason;
  }
}

/** The issuer's keys cannot be had: nothing is known about the token. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/** Asymmetric only: with a shared-secret algorithm the issuer's public key would be the secret (RFC 8725, 2.1 and 3.1). */
const ALGORITHMS = ['RS256', 'ES256'];

/** How far the issuer's clock may be ahead, in seconds. The end of a token is taken as it is written. */
const NOT_BEFORE_TOLERANCE = 30;

/** Published keys are kept ten minutes; an unknown key id asks again, at most every 30 seconds, whoever sends it. */
const KEYS = { cacheMaxAge: 600_000, cooldownDuration: 30_000, timeoutDuration: 3000 };

/**
 * A verifier that keeps the issuer's keys between calls.
 *
 * The verifier throws `InvalidToken` when the token is to blame and `IssuerUnavailable` when the keys could not be fetched
 * or used.
 */
export function tokenVerifier({ issuers, jwksUri, nowMs }: VerifierOptions): TokenVerifier {
  const published = publishedKeys(jwksUri);
  return async (token) => {
    const options = { algorithms: ALGORITHMS, issuer: [...issuers], clockTolerance: NOT_BEFORE_TOLERANCE };
    const claims = await jwtVerify(token, published, options).then(
      ({ payload }) => payload,
      (error: unknown) => {
        if (error instanceof IssuerUnavailable) throw error;
        if (error instanceof errors.JOSEError) throw new InvalidToken(error.code);
        throw new IssuerUnavailable("The issuer's key cannot be used.", { cause: error });
      },
    );
    // A token without an end has none left.
    const expiresAt = Math.floor(claims.exp ?? 0);
    // The endpoints hold cached answers to the token's own end, so an extension here would end there with a 401.
    if (expiresAt * 1000 <= nowMs()) throw new InvalidToken(errors.JWTExpired.code);
    return { claims, expiresAt };
  };
}

/** Tells a key that the issuer does not publish, which is the token's fault, from keys that could not be fetched. */
function publishedKeys(jwksUri: string): JWTVerifyGetKey {
  const remote = createRemoteJWKSet(new URL(jwksUri), KEYS);
  return async (header, token) => {
    try {
      return await remote(header, token);
    } catch (error) {
      const tokensFault =
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWKSMultipleMatchingKeys ||
        error instanceof errors.JOSENotSupported;
      if (tokensFault) throw error;
      throw new IssuerUnavailable("The issuer's keys cannot be fetched.", { cause: error });
    }
  };
}
