import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'vitest';
import { leaveOpen } from './not-judged.ts';

/** Says which programs of this machine a test needs, beside those of the packages: without them it is left open. */
export function needsPrograms(context: TestContext, programs: readonly string[]): void {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const missing = programs.filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
  if (missing.length > 0) leaveOpen(context, missing.join(', '), 'it is not on this machine');
}
