import { ToolFailure } from '../command-line.ts';
import type { PostOutcome } from '../receiver/post.ts';
import { postNotification } from '../receiver/post.ts';
import type { TestOrder, Post, Check, CheckInput } from './checks.ts';
import { createTestOrder, checks } from './checks.ts';

export type CheckResult = {
  readonly check: Check;
  readonly order: TestOrder;
  readonly verdict: 'passed' | 'failed' | 'advised' | 'not checked';
  /** The receiver's responses, in words. */
  readonly found: string;
};

/** Milliseconds. A receiver that takes longer works before it answers. */
const slowMs = 1000;

/**
 * Runs one check after the other against a receiver, and reports each verdict at once. When the receiver refuses a
 * genuine notification, nothing else can be judged.
 *
 * @param input Without an order each check has a test order of its own: none depends on an earlier one.
 * @param withinMs The time for one response.
 * @throws ToolFailure when nothing listens at the address.
 */
export async function checkReceiver(
  url: string,
  input: Omit<CheckInput, 'order'> & { readonly order?: TestOrder },
  withinMs: number,
  report: (result: CheckResult) => void,
): Promise<readonly CheckResult[]> {
  const done: CheckResult[] = [];
  for (const check of checks) {
    const { order = createTestOrder() } = input;
    const judged =
      done[0]?.verdict === 'failed'
        ? ({ verdict: 'not checked', found: '' } as const)
        : judge(check, await sendAll(url, check.posts({ ...input, order }), withinMs));
    const result = { check, order, ...judged };
    report(result);
    done.push(result);
  }
  return done;
}

async function sendAll(url: string, posts: readonly Post[], withinMs: number): Promise<readonly PostOutcome[]> {
  const outcomes: PostOutcome[] = [];
  for (const { headers, body } of posts) {
    const post = { headers: { 'user-agent': 'check-receiver', ...headers }, body };
    const outcome = await postNotification(url, post, withinMs);
    if (outcome.nobody !== undefined)
      throw new ToolFailure(
        `Nobody listens at ${url} (${outcome.nobody}).`,
        'Start your receiver, and name its address as this machine reaches it.',
      );
    outcomes.push(outcome);
  }
  return outcomes;
}

function judge({ expected, advice }: Check, answers: readonly PostOutcome[]): Pick<CheckResult, 'verdict' | 'found'> {
  const digit = { taken: 2, refused: 4 }[expected];
  const statuses = answers.map(({ status, failure }) => failure ?? String(status)).join(', ');
  if (answers.every(({ status = 0 }) => Math.floor(status / 100) === digit)) {
    const slowest = Math.max(...answers.map(({ ms }) => ms));
    const slow = slowest > slowMs ? ': answer first and work afterwards' : '';
    return { verdict: 'passed', found: `${statuses} in ${slowest} ms${slow}` };
  }
  const found = `${statuses}; it must be ${expected} with ${digit}xx`;
  return { verdict: advice === true ? 'advised' : 'failed', found };
}
