import { openSync } from 'node:fs';
import { appendLines, linesOf } from './log-lines.ts';

/**
 * Lets the thread append by itself what its function writes, to the log that all threads share: through the streams of
 * Node every line would cross to the main thread, and be lost when the thread is ended before it is there.
 *
 * @param show Takes each line that a person should see at once: errors, and why the log cannot be written.
 */
export function writeOutputTo(log: string, source: string, show: (line: string) => void): void {
  const file = openSync(log, 'a', 0o600);
  const append = (text: string): void => {
    try {
      appendLines(file, source, text);
    } catch (error) {
      show(`${log}: ${String(error)}`);
    }
  };
  process.stdout.write = writer(append);
  process.stderr.write = writer((text) => {
    append(text);
    for (const line of linesOf(text)) show(line);
  });
}

type Written = (error?: Error | null) => void;

/** As `write` of a stream that is never full. */
function writer(take: (text: string) => void): NodeJS.WriteStream['write'] {
  return (chunk: Uint8Array | string, encoding?: BufferEncoding | Written, written?: Written): boolean => {
    take(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    const done = typeof encoding === 'function' ? encoding : written;
    if (done !== undefined) process.nextTick(done);
    return true;
  };
}
