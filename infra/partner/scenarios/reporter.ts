import { ToolFailure } from '../command-line.ts';

/** Prints numbered sections with their facts and checks. */
export type Reporter = ReturnType<typeof createReporter>;

/** @param out Prints one line. */
export function createReporter(out: (line: string) => void, { pictures = false } = {}) {
  let sections = 0;
  const say = (text: string): void => {
    for (const line of text.split('\n')) out(`    ${line}`);
  };
  return {
    say,
    /** A picture of many lines, where pictures are asked for. */
    picture: (draw: () => string): void => {
      if (pictures) say(draw());
    },
    section: (title: string): void => {
      sections += 1;
      out(`\n${String(sections).padStart(2)}. ${title}`);
    },
    fact: (name: string, value: string | number): void => {
      out(`    ${name.padEnd(18)} ${value}`);
    },
    /** @throws ToolFailure when it does not hold. */
    check: (what: string, holds: boolean, instead?: unknown): void => {
      if (holds) {
        out(`    ✔ ${what}`);
        return;
      }
      const text = typeof instead === 'string' ? instead : JSON.stringify(instead);
      throw new ToolFailure(
        `${what}: this does not hold.${instead === undefined ? '' : ` Instead: ${text}`}`,
        'The service or the sandbox file is not as it should be.',
      );
    },
  };
}
