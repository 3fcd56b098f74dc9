import type { Contract } from '#shared/contract/contract.ts';

/**
 * Returns the value of `format` whose media type `Accept` names, and prefers to JSON (RFC 9110, 12.5.1). Undefined is
 * JSON, which comes before a file where both are as welcome.
 */
export function acceptedFormat(accept: string, files: NonNullable<Contract['files']>): string | undefined {
  const ranges = new Map(accept.split(',').map(rangeOf));
  const ofJson = ranges.get('application/json') ?? ranges.get('application/*') ?? ranges.get('*/*') ?? 0;
  const [best] = Object.entries(files)
    .map(([format, mediaType]) => ({ format, quality: ranges.get(rangeOf(mediaType)[0]) ?? 0 }))
    .toSorted((a, b) => b.quality - a.quality);
  return best !== undefined && best.quality > ofJson ? best.format : undefined;
}

/** Returns a media range in lower case, without parameters, and its quality, 0 to 1. */
function rangeOf(text: string): [string, number] {
  const [range = '', ...parameters] = text.toLowerCase().split(';');
  const quality = parameters.map((parameter) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/u.exec(parameter)?.[1]);
  return [range.trim(), Number(quality.find((value) => value !== undefined) ?? 1)];
}
