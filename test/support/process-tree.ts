import { readdirSync, readFileSync } from 'node:fs';

/**
 * A process and everything that it started, children's children included, whatever group or session they are in: the
 * database's engine has its own. Linux tells it in `/proc`; elsewhere the process is named alone.
 */
export function processTree(root: number): readonly number[] {
  const parents = new Map(runningProcesses().map((id) => [id, parentOf(id)]));
  const found = [root];
  for (const id of found) found.push(...[...parents].filter(([, parent]) => parent === id).map(([child]) => child));
  return found;
}

function runningProcesses(): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/u.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** The fourth field of `stat`; the second one is a name in brackets, which may hold anything. */
function parentOf(id: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'utf8');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}
