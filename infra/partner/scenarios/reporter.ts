import { ToolFailure } from '../command-line.ts';

/** Prints numbered sections with their facts and checks. */
export type Reporter = {
  readonly section: (title: string) => void;
  readonly fact: (name: string, value: string | number) => void;
  readonly say: (text: string) => void;
  /** @throws ToolFailure when it does not hold. */
  readonly check: (what: string, holds: boolean, instead?: unknown) => void;
};

/** @param out Prints one line. */
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
        const text = typeof instead === 'string' ? instead : JSON.stringify(instead);
        const found = instead === undefined ? '' : ` Instead: ${text}`;
        throw new ToolFailure(
          `${what}: this does not hold.${found}`,
          'The service or the sandbox file is not as it should be.',
        );
      }
      out(`    ✔ ${what}`);
    },
  };
}
