import { createWriteStream, renameSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Where functions write: everything to one file, errors also to the terminal. */
export type FunctionLog = {
  /** Follows the output of one function. */
  readonly capture: (functionId: string, stdout: Readable, stderr: Readable) => void;
  /** A line of the runner itself about a function, an event source or a schedule that failed. */
  readonly failure: (source: string, text: string) => void;
  /** The same, to the file alone. */
  readonly note: (source: string, text: string) => void;
  readonly close: () => Promise<void>;
};

/** A file above this size is set aside as `<file>.1` at the next start. */
const rotateAboveBytes = 20 * 1024 * 1024;

/** @param errors Receives the lines that a person should see at once. */
export function openFunctionLog(file: string, errors: (line: string) => void): FunctionLog {
  rotate(file);
  const out = createWriteStream(file, { flags: 'a', mode: 0o600 });
  out.on('error', (error) => {
    errors(`${file}: ${error.message}`);
  });
  const write = (source: string, line: string): void => {
    out.write(`[${source}] ${line}\n`);
  };
  return {
    capture: (functionId, stdout, stderr) => {
      createInterface({ input: stdout }).on('line', (line) => {
        write(functionId, line);
      });
      createInterface({ input: stderr }).on('line', (line) => {
        write(functionId, line);
        errors(`[${functionId}] ${line}`);
      });
    },
    note: (source, text) => {
      for (const line of text.split('\n')) write(source, line);
    },
    failure: (source, text) => {
      for (const line of text.split('\n')) write(source, line);
      errors(`[${source}] ${text.split('\n')[0] ?? ''}`);
    },
    close: () =>
      new Promise((closed) => {
        out.end(closed);
      }),
  };
}

function rotate(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > rotateAboveBytes) renameSync(file, `${file}.1`);
}
