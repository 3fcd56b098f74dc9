import type { Print } from '../command-line.ts';
import { ToolFailure } from '../failures.ts';

/** Prints numbered sections with their facts and checks. */
export type Reporter = ReturnType<typeof createReporter>;

export function createReporter(out: Print, { pictures = false } = {}) {
  let sections = 0;
  const note = (text: string): void => {
    for (const line of text.split('\n')) out(`    ${line}`, { kind: 'note', text: line });
  };
  return {
    say: note,
    /** Prints a picture of many lines, if pictures are requested. */
    picture: (draw: () => string): void => {
      if (pictures) for (const line of draw().split('\n')) out(`    ${line}`);
    },
    section: (title: string): void => {
      sections += 1;
      out(`\n${String(sections).padStart(2)}. ${title}`, { kind: 'section', number: sections, title });
    },
    fact: (name: string, value: string | number): void => {
      out(`    ${name.padEnd(18)} ${value}`, { kind: 'fact', name, value });
    },
    /** @throws ToolFailure when the check fails. */
    check: (statement: string, holds: boolean, instead?: unknown): void => {
      if (holds) {
        out(`    ✔ ${statement}`, { kind: 'check', what: statement });
        return;
      }
      const text = typeof instead === 'string' ? instead : JSON.stringify(instead);
      throw new ToolFailure(
        `Check failed: ${statement}.${instead === undefined ? '' : ` Found: ${text}`}`,
        'The service does not match its documentation, or the sandbox file is wrong.',
      );
    },
  };
}
