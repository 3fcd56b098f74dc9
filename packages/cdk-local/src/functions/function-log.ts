import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';

/** Where functions write: everything to one file, errors also to the terminal. */
export type FunctionLog = ReturnType<typeof openFunctionLog>;

/** A file above this size is set aside as `<file>.1` at the next start. */
const rotateAboveBytes = 20 * 1024 * 1024;

/** Level of what does not name its own: `warn` of standard error, `error` of a failure. */
type Level = 'info' | 'warn' | 'error';

/**
 * Opens the log. Each line is one JSON object with `time` (UTC), `function` (logical id, or id of an event source) and
 * the members of the line that was written; a line that is no JSON object is its `message`.
 * @param errors Receives the lines that the developer should see immediately.
 */
export function openFunctionLog(file: string, errors: (line: string) => void) {
  rotate(file);
  let opened: number | undefined = openSync(file, 'a', 0o600);
  const show = (source: string, line: string): void => {
    errors(`[${source}] ${line}`);
  };
  const write = (source: string, level: Level, text: string): void => {
    // The number of a closed descriptor may belong to another file by now.
    if (opened === undefined) return;
    const [message = '', ...trace] = linesOf(text);
    try {
      append(opened, [{ ...stamp(source), level, message, ...(trace.length > 0 && { trace }) }]);
    } catch (error) {
      errors(`${file}: ${String(error)}`);
    }
  };
  return {
    /** Path of the log. The threads of the functions append to it themselves. */
    file,
    /** Shows a line that stands in the file already. */
    show,
    /** Writes a text of the local environment to the file only. Its first line is the message. */
    note: (source: string, text: string): void => {
      write(source, 'info', text);
    },
    /** Writes a failure of a function, an event source or a schedule to the file, and shows its first line. */
    failure: (source: string, text: string): void => {
      write(source, 'error', text);
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

function stamp(source: string): { readonly time: string; readonly function: string } {
  return { time: new Date().toISOString(), function: source };
}

/**
 * Appends what a function wrote, a record for each line. One system call writes all lines to a file opened for
 * appending: lines of several threads never mix, and written lines stay when the thread or the process is killed.
 * @param level of lines that are no JSON objects; absent: they have none
 */
export function appendLines(file: number, source: string, text: string, level?: Level): void {
  append(
    file,
    linesOf(text).map((line) => ({
      ...stamp(source),
      ...(membersOf(line) ?? { ...(level && { level }), message: line }),
    })),
  );
}

function append(file: number, records: readonly object[]): void {
  if (records.length > 0) writeSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}

/** The members of a line that is a JSON object; undefined for any other text. */
function membersOf(line: string): object | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as object;
  } catch {
    return undefined;
  }
}

/** Splits text into lines. Text without a line break is a line, too: it does not wait for more text. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/u);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
