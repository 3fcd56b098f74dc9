import { writeFileSync } from 'node:fs';
import * as z from 'zod';
import { errorStatusList } from '#tools/docs/error-meanings.ts';
import type { RecordedErrors } from '#tools/docs/recorded-errors.ts';
import { recordedErrors } from '#tools/docs/recorded-errors.ts';
import { issues } from '#shared/core/errors.ts';

export type RecordedError = RecordedErrors[string];

/** What no request can bring about: kept as the code writes it. */
const notProvoked: readonly string[] = ['500'];
const folder = new URL('../../tools/docs/', import.meta.url);
const ErrorResponse = z.object({
  error: z.string(),
  message: z.string(),
  details: z.array(z.object({ field: z.string(), issue: z.enum(issues), description: z.string() })),
});

/** Everything that a run of the acceptance suite must have been answered with. */
export const wantedErrors: readonly string[] = [...errorStatusList.map(String), ...issues].filter(
  (name) => !notProvoked.includes(name),
);

/** What differs from run to run, and what is shown for it. */
const shownFor: readonly (readonly [of: RegExp, shown: string])[] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu, '3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e00'],
  [/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/gu, '2026-01-15T12:05:07.123Z'],
];

/** The answer as it can be shown: whole, without ids and times of a run; undefined for what is no usual error. */
export function readError(status: number, text: string): RecordedError | undefined {
  try {
    const shown = shownFor.reduce((all, [pattern, instead]) => all.replaceAll(pattern, instead), text);
    const read = ErrorResponse.safeParse(JSON.parse(shown));
    return read.success && status >= 400 ? { status, answer: read.data } : undefined;
  } catch {
    return undefined;
  }
}

/** Of several answers the plainest for each status and issue: with one issue, short, and the same in every run. */
export function plainest(responses: Iterable<RecordedError>): RecordedErrors {
  const found = new Map<string, RecordedError>();
  const offer = (name: string, one: RecordedError): void => {
    const known = found.get(name);
    if (known === undefined || weightOf(one) < weightOf(known)) found.set(name, one);
  };
  for (const one of responses) {
    const { details } = one.answer;
    offer(String(one.status), one);
    const own = new Set(details.map(({ issue }) => issue));
    if (own.size === 1) for (const issue of own) offer(issue, one);
  }
  return Object.fromEntries(found);
}

/** Less is plainer: responses without x-simulate, with a known field in its usual form, and short ones. */
export function weightOf({ status, answer: response }: RecordedError): string {
  const text = JSON.stringify(response);
  const odd = [
    text.includes('x-simulate'),
    (status === 400 || status === 409) && response.details.length === 0,
    response.details.some(({ field }) => !/^[a-z]/u.test(field)),
    response.details.some(({ issue }) => issue === 'UNKNOWN_FIELD'),
  ];
  return `${odd.map(Number).join('')} ${String(text.length).padStart(6, '0')} ${text}`;
}

/** Keeps what a run was answered with, in the order of the page. */
export function keepRecordedErrors(recorded: RecordedErrors): void {
  const wanted = { ...recordedErrors, ...recorded };
  const kept = wantedErrors
    .concat(notProvoked)
    .flatMap((name) => (wanted[name] ? [[name, wanted[name]] as const] : []));
  keepFile('recorded-errors.json', Object.fromEntries(kept));
}

/** Writes a file beside the tool that reads it. */
export function keepFile(name: string, content: unknown): void {
  writeFileSync(new URL(name, folder), `${JSON.stringify(content, null, 2)}\n`);
}
