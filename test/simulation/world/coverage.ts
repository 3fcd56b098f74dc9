import { readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

/** Lines of code inside functions of a file, by number; `missed`: those that no run reached. */
export type Covered = { readonly lines: readonly number[]; readonly missed: readonly number[] };

/** What the functions run; examples of the document are none of it. */
const ofService = /\/(shared|functions)\/(?!.*(contract|examples)\.ts$).*\.ts$/u;

/** Watches from now on which lines of the service run. Gives what tells them, by file. */
export async function watchLines(root: string): Promise<() => Promise<Readonly<Record<string, Covered>>>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const own = result.filter(({ url }) => url.startsWith('file:') && ofService.test(fileURLToPath(url)));
    return Object.fromEntries(
      own.map((script) => [fileURLToPath(script.url).replace(`${root}/`, ''), linesOf(script)] as const),
    );
  };
}

/** The runtime leaves blanks where types were: its offsets are those of the file. */
function linesOf({ url, functions }: Profiler.ScriptCoverage): Covered {
  const text = readFileSync(fileURLToPath(url), 'utf8');
  // The first range is the file itself; the narrower one says more.
  const ranges = functions
    .flatMap((one) => one.ranges)
    .filter(({ startOffset, endOffset }) => startOffset > 0 || endOffset < text.length)
    .sort((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset));
  const lines: number[] = [];
  const missed: number[] = [];
  let offset = 0;
  text.split('\n').forEach((line, place) => {
    const at = offset + line.search(/\S/u);
    offset += line.length + 1;
    if (/^\s*($|\/\/|\/?\*|[}\])]+[;,)]*$)/u.test(line)) return;
    const innermost = ranges.findLast(({ startOffset, endOffset }) => startOffset <= at && at < endOffset);
    if (innermost === undefined) return;
    lines.push(place + 1);
    if (innermost.count === 0) missed.push(place + 1);
  });
  return { lines, missed };
}
