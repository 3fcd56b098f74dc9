/** What a token gives access to, as `WWW-Authenticate` names it. */
const scheme = 'Bearer realm="banking-order"';

/**
 * The `WWW-Authenticate` of a refusal (RFC 6750, 3): without an error code where a token may not even have been sent.
 */
export const challenges = {
  noToken: scheme,
  invalidToken: `${scheme}, error="invalid_token"`,
  otherToken: `${scheme}, error="insufficient_scope"`,
} as const;
