import { ForbiddenTarget } from './target-guard.ts';

/** Why an attempt failed: the closed list that the record of a delivery shows. All are charged to the partner. */
export const sendErrors = [
  'DNS',
  'CONNECTION_REFUSED',
  'CONNECTION_RESET',
  'UNREACHABLE',
  'CONNECTION_FAILED',
  'TIMEOUT',
  'TLS',
  'FORBIDDEN_TARGET',
  'INVALID_RESPONSE',
  'REDIRECT',
  'STATUS',
] as const;
export type SendError = (typeof sendErrors)[number];

const byCode: Readonly<Record<string, SendError>> = {
  ENOTFOUND: 'DNS',
  EAI_AGAIN: 'DNS',
  EAI_FAIL: 'DNS',
  ENODATA: 'DNS',
  ECONNREFUSED: 'CONNECTION_REFUSED',
  ECONNRESET: 'CONNECTION_RESET',
  EPIPE: 'CONNECTION_RESET',
  EHOSTUNREACH: 'UNREACHABLE',
  ENETUNREACH: 'UNREACHABLE',
  EADDRNOTAVAIL: 'UNREACHABLE',
  ETIMEDOUT: 'TIMEOUT',
  EPROTO: 'TLS',
};

/** Certificates that do not hold, by OpenSSL's names, and Node's own names for failed handshakes. */
const tls = /^(ERR_TLS|ERR_SSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/u;

/** The name for what went wrong while a partner was called. */
export function sendErrorOf(error: unknown): SendError {
  if (error instanceof ForbiddenTarget) return 'FORBIDDEN_TARGET';
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = byCode[code];
  if (known !== undefined) return known;
  if (tls.test(code)) return 'TLS';
  return code.startsWith('HPE_') ? 'INVALID_RESPONSE' : 'CONNECTION_FAILED';
}
