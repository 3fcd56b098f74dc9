import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, runOrThrow } from '#infra/releases/commands.ts';

/**
 * Checks a commit out beside this working copy, with its packages, and removes the checkout afterwards.
 * @throws Error when the clone lacks the commit, for example a shallow clone.
 */
export async function withCheckout<T>(commit: string, use: (folder: string) => Promise<T>): Promise<T> {
  const parent = mkdtempSync(join(tmpdir(), 'release-'));
  const folder = join(parent, 'checkout');
  const git = (...args: readonly string[]) => runOrThrow(['git', ...args]);
  try {
    await git('worktree', 'add', '--quiet', '--detach', folder, commit);
    await addPackages(folder);
    return await use(folder);
  } finally {
    rmSync(parent, { recursive: true, force: true });
    await git('worktree', 'prune');
  }
}

/** Links the packages of this working copy if the lock files are equal; otherwise installs them from the registry. */
async function addPackages(folder: string): Promise<void> {
  const lock = (directory: string) => readFileSync(join(directory, 'package-lock.json'), 'utf8');
  if (lock(folder) === lock(root)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  else await runOrThrow(['npm', 'ci', '--no-audit', '--no-fund'], { folder });
}
