import { writeSync } from 'node:fs';

/**
 * Appends a text to a log, each line with its source before it. One call of the system for all lines, on a file opened
 * for appending: those of several threads never mix, and what was written stays when the thread or the process is
 * killed.
 */
export function appendLines(file: number, source: string, text: string): void {
  const lines = linesOf(text);
  if (lines.length > 0) writeSync(file, lines.map((line) => `[${source}] ${line}\n`).join(''));
}

/** What is written without an end of line is a line all the same: nothing waits for the rest of it. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/u);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
