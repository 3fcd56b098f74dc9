import { spawn } from 'node:child_process';
import type { Print } from '../command-line.ts';

/** Notification that was sent last. */
export type Forward = {
  readonly id: string;
  readonly event: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

type Keys = {
  readonly last: () => Forward | undefined;
  /** Sends the notification again with the same `webhook-id`. */
  readonly again: (sent: Forward) => Promise<void>;
  /** Returns the address of the notification's page in the console. */
  readonly page: (sent: Forward) => string;
  readonly end: () => void;
  readonly print: Print;
};

export const keysUsage =
  'Keys: r sends the last notification again, d prints its headers and body, o opens it in the console.';

/**
 * Handles key presses if input and output are terminals.
 * @returns A function that ends this; undefined without a terminal.
 */
export function takeKeys({ last, again, page, end, print }: Keys): (() => void) | undefined {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) return undefined;
  const withLast = (act: (sent: Forward) => void): void => {
    const sent = last();
    if (sent === undefined) print('No notification was received yet.');
    else act(sent);
  };
  const press = (key: string): void => {
    // Ctrl-C and Ctrl-D: a terminal in raw mode sends no signal.
    if (key === '\u0003' || key === '\u0004') end();
    if (key === 'r') withLast((sent) => void again(sent));
    if (key === 'd')
      withLast((sent) => {
        print(describe(sent));
      });
    if (key === 'o')
      withLast((sent) => {
        print(page(sent));
        open(page(sent));
      });
  };
  stdin.setRawMode(true).setEncoding('utf8').resume().on('data', press);
  return () => {
    stdin.off('data', press).setRawMode(false).pause();
  };
}

/** Headers and body of a call, as an HTTP message shows them. */
function describe({ headers, body }: Pick<Forward, 'headers' | 'body'>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [...lines, '', JSON.stringify(JSON.parse(body), null, 2), ''].join('\n');
}

/** Opens an address in a browser. Without a browser the printed address remains. */
function open(url: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
