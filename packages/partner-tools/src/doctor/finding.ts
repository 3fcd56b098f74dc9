/** Parts in the order of examination: a later one needs the earlier ones. */
export type Part =
  'node' | 'engine' | 'folder' | 'port' | 'clock' | 'token' | 'bank' | 'endpoints' | 'secret' | 'deliveries';

/** Result for one part: a sentence, and a cure unless the verdict is `good`. `advice`: nothing is broken. */
export type Finding = {
  readonly part: Part;
  readonly verdict: 'good' | 'bad' | 'advice';
  readonly found: string;
  readonly cure?: string;
};

export const good = (part: Part, found: string): Finding => ({ part, verdict: 'good', found });
export const bad = (part: Part, found: string, cure: string): Finding => ({ part, verdict: 'bad', found, cure });
export const advice = (part: Part, found: string, cure: string): Finding => ({ part, verdict: 'advice', found, cure });
