import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';

/** Where functions write: everything to one file, errors also to the terminal. */
export type FunctionLog = ReturnType<typeof openFunctionLog>;

/** A file above this size is set aside as `<file>.1` at the next start. */
const rotateAboveBytes = 20 * 1024 * 1024;

/** @param errors Receives the lines that the developer should see immediately. */
export function openFunctionLog(file: string, errors: (line: string) => void) {
  rotate(file);
  let opened: number | undefined = openSync(file, 'a', 0o600);
  const show = (source: string, line: string): void => {
    errors(`[${source}] ${line}`);
  };
  const note = (source: string, text: string): void => {
    // The number of a closed descriptor may belong to another file by now.
    if (opened === undefined) return;
    try {
      appendLines(opened, source, text);
    } catch (error) {
      errors(`${file}: ${String(error)}`);
    }
  };
  return {
    /** Path of the log. The threads of the functions append to it themselves. */
    file,
    /** Shows a line that stands in the file already. */
    show,
    /** Writes a line of the local environment to the file only. */
    note,
    /** Writes a failure of a function, an event source or a schedule to the file, and shows its first line. */
    failure: (source: string, text: string): void => {
      note(source, text);
      show(source, text.split('\n')[0] ?? '');
    },
    close: (): void => {
      if (opened !== undefined) closeSync(opened);
      opened = undefined;
    },
  };
}

function rotate(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > rotateAboveBytes) renameSync(file, `${file}.1`);
}

/**
 * Appends a text to a log, each line with its source before it. One system call writes all lines to a file opened for
 * appending: lines of several threads never mix, and written lines stay when the thread or the process is killed.
 */
export function appendLines(file: number, source: string, text: string): void {
  const lines = linesOf(text);
  if (lines.length > 0) writeSync(file, lines.map((line) => `[${source}] ${line}\n`).join(''));
}

/** Splits text into lines. Text without a line break is a line, too: it does not wait for more text. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/u);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
