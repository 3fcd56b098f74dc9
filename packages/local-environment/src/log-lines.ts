import { createReadStream, statSync } from 'node:fs';
import * as z from 'zod';

export const levels = ['info', 'warn', 'error'] as const;
type Level = (typeof levels)[number];

/** `id`: only lines that name it. */
type LogOptions = {
  readonly level: Level;
  readonly id?: string | undefined;
  readonly follow: boolean;
  readonly json: boolean;
};

/** A line of the log that is no metric alone. */
const LineShape = z.looseObject({
  time: z.string(),
  function: z.string(),
  message: z.string(),
  level: z.enum(levels).default('info'),
});

/** Returns a line as it is shown; undefined for a line that is not wanted. */
export function shownLine(line: string, { level: least, id, json }: LogOptions): string | undefined {
  const { data } = LineShape.safeParse(parsed(line));
  if (data === undefined || levels.indexOf(data.level) < levels.indexOf(least)) return undefined;
  if (id !== undefined && !namesId(data, id)) return undefined;
  if (json) return line;
  const { time, function: source, message, level, trace, _aws, ...fields } = data;
  const name = source.replace(/(?:Function)?[0-9A-F]{8}$/u, '');
  const shown = Object.entries(fields).map(([field, value]) => `${field}=${JSON.stringify(value)}`);
  const lines = Array.isArray(trace) ? trace.map((step) => `\n  ${String(step).trim()}`) : [];
  return `${[time, level.toUpperCase().padEnd(5), name, message, ...shown].join('  ')}${lines.join('')}`;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function namesId({ message, ...fields }: Readonly<Record<string, unknown>>, id: string): boolean {
  return Object.values(fields).includes(id) || String(message).includes(id);
}

/**
 * Yields the lines of a file that grows, from its beginning. When the file is replaced, it begins again.
 * @param again waits before the file is read on; false: its end has come
 */
export async function* linesIn(file: string, again: () => Promise<boolean>): AsyncGenerator<string, void, void> {
  let [position, inode] = [0, 0];
  do {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    if (stats.ino !== inode || stats.size < position) [position, inode] = [0, stats.ino];
    let pending = Buffer.alloc(0);
    for await (const chunk of createReadStream(file, { start: position }) as AsyncIterable<Buffer>) {
      pending = Buffer.concat([pending, chunk]);
      const end = pending.lastIndexOf('\n') + 1;
      if (end === 0) continue;
      yield* pending
        .subarray(0, end - 1)
        .toString()
        .split('\n');
      pending = pending.subarray(end);
      position += end;
    }
  } while (await again());
}
