import * as z from 'zod';
import { parseJson } from '#shared/contract/json.ts';
import { MalformedJson } from '#shared/contract/json-members.ts';
import type { Detail } from '#shared/core/errors.ts';
import { detailsOf } from '#shared/platform/http/faults.ts';

/** Longer than any deadline of the sender (10 seconds). */
const longestMs = 60_000;

/** How an inbox answers a notification. */
export type Reply = z.output<typeof Reply>;
const Reply = z
  .strictObject({
    /** Any final status, with a text as its body. */
    status: z.int().min(200).max(599).exactOptional(),
    body: z.string().max(4096).exactOptional(),
    /** Never answers. */
    hang: z.literal(true).exactOptional(),
    /** Takes it after so many milliseconds. */
    slow: z.int().min(0).max(longestMs).exactOptional(),
    /** Breaks the connection. */
    reset: z.literal(true).exactOptional(),
    /** 302 with this `Location`. */
    redirect: z
      .string()
      .min(1)
      .max(2048)
      .regex(/^[\x21-\x7e]+$/u, 'Must be a URL.')
      .exactOptional(),
  })
  .check(({ value, issues }) => {
    const { body, ...ways } = value;
    const fault = (message: string): void => void issues.push({ code: 'custom', input: value, message });
    if (Object.keys(ways).length !== 1) fault('Must have exactly one of status, hang, slow, reset and redirect.');
    else if (body !== undefined && ways.status === undefined) fault('Only a status has a body.');
  });

const Script = z.strictObject({ replies: z.array(Reply).min(1).max(100) });

type ReadScript =
  | { readonly ok: true; readonly replies: readonly Reply[] }
  | { readonly ok: false; readonly details: readonly Detail[] };

/** Reads `{ replies: [...] }`; all faults at once, as the API names them. */
export function readScript(body: Buffer): ReadScript {
  try {
    const read = Script.safeParse(parseJson(body.toString('utf8')), { reportInput: true });
    return read.success ? { ok: true, ...read.data } : { ok: false, details: detailsOf(read.error, 'body') };
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    return { ok: false, details: [{ field: 'body', issue: 'MALFORMED_JSON', description: error.message }] };
  }
}
