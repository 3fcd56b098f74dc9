import type { AttemptError } from '#shared/platform/outbox/delivery.ts';
import { ForbiddenTarget } from './target-guard.ts';

const byCode: Readonly<Record<string, AttemptError>> = {
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
export function sendErrorOf(error: unknown): AttemptError {
  if (error instanceof ForbiddenTarget) return 'FORBIDDEN_TARGET';
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = byCode[code];
  if (known !== undefined) return known;
  if (tls.test(code)) return 'TLS';
  return code.startsWith('HPE_') ? 'INVALID_RESPONSE' : 'CONNECTION_FAILED';
}
