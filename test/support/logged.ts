import { vi } from 'vitest';

type Line = Readonly<Record<string, unknown>>;

/** Collects the lines that are logged as errors, from now on until mocks are restored, instead of writing them. */
export function collectErrors(): readonly Line[] {
  return collectLines((line) => line['level'] === 'error');
}

/** The same with every line that is wanted, metrics included. */
export function collectLines(isWanted: (line: Line) => boolean = () => true): readonly Line[] {
  const lines: Line[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    const line = JSON.parse(String(text)) as Line;
    if (isWanted(line)) lines.push(line);
    return true;
  });
  return lines;
}
