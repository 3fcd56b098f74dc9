import type { IncomingHttpHeaders } from 'node:http';
import { header, hexMatches, standardFaults } from './signature-schemes.ts';

type Signed = {
  readonly raw: Buffer;
  readonly headers: IncomingHttpHeaders;
  /** When it arrived, epoch milliseconds; now unless said. */
  readonly at?: number;
};

/** What is wrong with the signatures of a notification under a secret, in words; nothing if all is right. */
export function signatureFaults({ raw, headers, at }: Signed, secret: string): readonly string[] {
  return [
    ...(hexMatches(raw, header(headers, 'x-signature-sha256'), secret) ? [] : ['X-Signature-SHA256 does not match']),
    ...standardFaults(raw, headers, secret, at),
  ];
}
