import { renameSync, writeFileSync } from 'node:fs';

/** Replaces a file as a whole, readable by its owner alone: a reader sees the old text or the new one. */
export function replaceFile(path: string, text: string, mode = 0o600): void {
  const next = `${path}.next`;
  writeFileSync(next, text, { mode });
  renameSync(next, path);
}
