import { renameSync, writeFileSync } from 'node:fs';

/** Replaces a whole file, by default readable only by its owner. A reader sees either the old text or the new text. */
export function replaceFile(path: string, text: string, mode = 0o600): void {
  const next = `${path}.next`;
  writeFileSync(next, text, { mode });
  renameSync(next, path);
}
