/** In the order of examination: a later part needs the earlier ones. */
export type Part = 'node' | 'engine' | 'folder' | 'port' | 'clock' | 'token' | 'endpoints' | 'secret' | 'deliveries';

/** One sentence, and a cure unless it is good. `advice`: nothing is broken. */
export type Finding =
  | { readonly part: Part; readonly verdict: 'good'; readonly found: string }
  | { readonly part: Part; readonly verdict: 'bad' | 'advice'; readonly found: string; readonly cure: string };

export function good(part: Part, found: string): Finding {
  return { part, verdict: 'good', found };
}

export function bad(part: Part, found: string, cure: string): Finding {
  return { part, verdict: 'bad', found, cure };
}

export function advice(part: Part, found: string, cure: string): Finding {
  return { part, verdict: 'advice', found, cure };
}
