import { appendFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import * as z from 'zod';

/** One request of the acceptance suite with its answer, as they went over the wire. */
export type Exchange = {
  /** The client that the token was issued to; `nobody` without a token of that form. */
  readonly caller: string;
  /** Method, path with query, and body. */
  readonly sent: string;
  readonly body: string;
  readonly token: string;
  readonly status: number;
  readonly response: string;
};

/** Gives the file of the run's exchanges to every worker of it; absent when no test reads them afterwards. */
export const exchangesVariable = 'ACCEPTANCE_EXCHANGES';

/** Keeps an exchange for test/silence, which reads all of them when the suite has ended. */
export function recordExchange(
  { method, path, headers, body }: { method: string; path: string; headers: OutgoingHttpHeaders; body: string },
  { status, text }: { readonly status: number; readonly text: string },
): void {
  const file = process.env[exchangesVariable];
  if (file === undefined) return;
  const token = /^bearer +(\S+)$/iu.exec(z.string().catch('').parse(headers.authorization))?.[1] ?? '';
  const exchange: Exchange = {
    caller: clientOf(token),
    sent: `${method} ${path}\n${body}`,
    body,
    token,
    status,
    response: text,
  };
  appendFileSync(file, `${JSON.stringify(exchange)}\n`);
}

const Claims = z.object({ azp: z.string().optional(), appid: z.string().optional(), client_id: z.string().optional() });

function clientOf(token: string): string {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const { azp, appid, client_id: id } = Claims.parse(claims);
    return azp ?? appid ?? id ?? 'nobody';
  } catch {
    return 'nobody';
  }
}
