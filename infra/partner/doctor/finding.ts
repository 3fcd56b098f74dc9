/** What the doctor looks at, in this order: what comes later needs what comes before. */
export type Part = 'node' | 'engine' | 'folder' | 'port' | 'clock' | 'token' | 'endpoints' | 'secret' | 'deliveries';

/** What was found, in a sentence; anything but `good` with what to do about it. `advice`: nothing is broken by it. */
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
