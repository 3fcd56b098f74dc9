import { ToolFailure } from '../command-line.ts';

/** Prints numbered sections, the facts of each, and a check for everything that is promised. */
export type Reporter = {
  readonly section: (title: string) => void;
  readonly fact: (name: string, value: string | number) => void;
  readonly say: (text: string) => void;
  /**
   * Says what holds.
   * @throws ToolFailure when it does not.
   */
  readonly check: (what: string, holds: boolean, instead?: unknown) => void;
};

/** @param out Takes one line. */
export function createReporter(out: (line: string) => void): Reporter {
  let sections = 0;
  return {
    section: (title) => {
      sections += 1;
      out(`\n${String(sections).padStart(2)}. ${title}`);
    },
    fact: (name, value) => {
      out(`    ${name.padEnd(18)} ${value}`);
    },
    say: (text) => {
      for (const line of text.split('\n')) out(`    ${line}`);
    },
    check: (what, holds, instead) => {
      if (!holds) {
        const found = instead === undefined ? '' : ` Instead: ${textOf(instead)}`;
        throw new ToolFailure(
          `${what}: this does not hold.${found}`,
          'The service or the sandbox file is not as it should be.',
        );
      }
      out(`    ✔ ${what}`);
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
