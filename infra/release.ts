import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const Manifest = z.object({ version: z.string() });

/** Returns the release of this checkout: the version in package.json. */
export function thisRelease(): string {
  return Manifest.parse(JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))).version;
}
