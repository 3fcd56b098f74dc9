import type { Actor } from '../world/actors.ts';
import type { Finding } from '../world/history.ts';

type Submitter = Pick<Actor, 'stoodStillMs'> | undefined;

/** Commands by which money leaves an account. */
const watched = new Set(['payouts.send.submit', 'refunds.submit']);

/**
 * A command is submitted again only when the bank could show the submission before it: a lookup that came earlier
 * proves nothing. It must hold for every bank, also for one that would have known the repetition. A process that stood
 * still between lookup and submission knows no time.
 *
 * @param shownAfterMs a bank shows within so many milliseconds what it has
 */
export function repetitionChecks(finding: Finding, now: () => number, shownAfterMs: number) {
  const submissions = new Map<string, { readonly atMs: number; readonly actor: Submitter }>();
  return {
    submitted: (command: string, reference: string, actor: Submitter): void => {
      if (!watched.has(command)) return;
      const name = `${command} ${reference}`;
      const before = submissions.get(name);
      submissions.set(name, { atMs: now(), actor });
      if (before === undefined) return;
      const waitedMs = now() - before.atMs;
      const stoodStill = [before.actor, actor].some((one) => one !== undefined && one.stoodStillMs > 0);
      if (waitedMs < shownAfterMs && !stoodStill)
        finding(
          'a command is repeated only when the bank could show it',
          `${name} again after ${Math.round(waitedMs)} ms`,
          [reference],
        );
    },
  };
}
