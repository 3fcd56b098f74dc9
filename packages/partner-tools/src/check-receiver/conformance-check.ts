import { ToolFailure } from '../failures.ts';
import type { Post, PostOutcome } from '../receiver/post.ts';
import { postNotification } from '../receiver/post.ts';
import type { TestOrder, Check, CheckInput } from './checks.ts';
import { createTestOrder, checks } from './checks.ts';

export type CheckResult = {
  readonly check: Check;
  readonly order: TestOrder;
  readonly verdict: 'passed' | 'failed' | 'advised' | 'not checked';
  /** The receiver's responses, for people. */
  readonly found: string;
};

/** Milliseconds. A slower receiver probably processes the notification before it responds. */
const slowMs = 1000;

/**
 * Runs the checks one after another and reports each result immediately. If the first check fails, the others are
 * reported as not checked.
 * @param input Without an order each check invents its own, so that no check depends on an earlier one.
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
    const outcomes: PostOutcome[] = [];
    if (done[0]?.verdict !== 'failed')
      for (const post of check.posts({ ...input, order })) outcomes.push(await send(url, post, withinMs));
    const result = { check, order, ...judge(check, outcomes) };
    report(result);
    done.push(result);
  }
  return done;
}

async function send(url: string, { headers, body }: Post, withinMs: number): Promise<PostOutcome> {
  const outcome = await postNotification(
    url,
    { headers: { 'user-agent': 'check-receiver', ...headers }, body },
    withinMs,
  );
  if (outcome.connectionErrorCode === undefined) return outcome;
  throw new ToolFailure(
    `Cannot connect to the receiver at ${url}: ${outcome.connectionErrorCode}.`,
    'Start your receiver, and give the URL at which this machine reaches it.',
  );
}

function judge({ expected, advice }: Check, outcomes: readonly PostOutcome[]): Pick<CheckResult, 'verdict' | 'found'> {
  if (outcomes.length === 0) return { verdict: 'not checked', found: '' };
  const digit = { taken: 2, refused: 4 }[expected];
  const statuses = outcomes.map(({ status, failure }) => failure ?? String(status)).join(', ');
  if (outcomes.every(({ status = 0 }) => Math.floor(status / 100) === digit)) {
    const slowest = Math.max(...outcomes.map(({ ms }) => ms));
    const slow = slowest > slowMs ? ': respond first and process afterwards' : '';
    return { verdict: 'passed', found: `${statuses} in ${slowest} ms${slow}` };
  }
  const found = `${statuses}; expected ${digit}xx`;
  return { verdict: advice === true ? 'advised' : 'failed', found };
}
