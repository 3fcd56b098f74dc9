import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from '../failures.ts';

/**
 * Returns the value of an environment variable, else asks for it in the terminal. A `hidden` answer is not shown while
 * it is typed. An `optional` answer is hidden too and may be empty.
 * @throws UsageError naming the variable when there is no terminal, or when the answer is empty.
 */
export async function ask(variable: string, question: string, mode: 'shown' | 'hidden' | 'optional' = 'shown') {
  const given = process.env[variable];
  if (given !== undefined && given !== '') return given;
  if (!process.stdin.isTTY) {
    if (mode === 'optional') return '';
    throw new UsageError(`${variable} is not set, and there is no terminal to ask for it.`, 'Set it, and try again.');
  }
  process.stderr.write(`${question}: `);
  const silent = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const lines = createInterface({
    input: process.stdin,
    output: mode === 'shown' ? process.stderr : silent,
    terminal: true,
  });
  // Ctrl-C at a question ends the tool, as anywhere else.
  lines.on('SIGINT', () => process.exit(130));
  const answer = (await lines.question('')).trim();
  lines.close();
  if (mode !== 'shown') process.stderr.write('\n');
  if (answer === '' && mode !== 'optional')
    throw new UsageError(`${question}: the answer is empty.`, `Type a value, or set ${variable}.`);
  return answer;
}
