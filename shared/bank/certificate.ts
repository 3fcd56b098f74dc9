import { X509Certificate } from 'node:crypto';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { daysBetween } from '#shared/core/brasilia-time.ts';

/** Days before its expiry at which an operator must replace a certificate: a bank takes days to issue another. */
const certificateDays = 30;

/** When a certificate ends. @param pem of the certificate, or of a chain that begins with it */
export function certificateExpiry(pem: string): Instant {
  return new X509Certificate(pem).validToDate.toISOString();
}

/** Returns the whole days until a certificate expires, negative after the expiry; undefined if 30 or more are left. */
export function daysToReplace(end: Instant, at: Instant): number | undefined {
  const days = daysBetween(at.slice(0, 10), end.slice(0, 10));
  return days < certificateDays ? days : undefined;
}
