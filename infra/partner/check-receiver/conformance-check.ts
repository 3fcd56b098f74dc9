import { ToolFailure } from '../command-line.ts';
import type { PostOutcome } from '../receiver/post.ts';
import { postNotification } from '../receiver/post.ts';
import type { ExamOrder, Post, Question, Subject } from './checks.ts';
import { madeUpOrder, questions } from './checks.ts';

export type Examination = {
  readonly question: Question;
  /** The pay-in that it told of. */
  readonly order: ExamOrder;
  readonly verdict: 'passed' | 'failed' | 'advised' | 'not examined';
  /** What the receiver answered, in words. */
  readonly found: string;
};

/** Who answers later than this is busy with the work, and gets one notification after the other. Milliseconds. */
const slowMs = 1000;

/**
 * Examines a receiver: asks one question after the other, and tells of each verdict as soon as it is known. When a
 * notification as the service sends it is not taken, nothing else can be judged.
 *
 * @param subject Without an order each question makes up one of its own: none depends on what the receiver did before.
 * @param withinMs How long the receiver has for one answer.
 * @throws ToolFailure when nobody answers at the address.
 */
export async function examine(
  url: string,
  subject: Omit<Subject, 'order'> & { readonly order?: ExamOrder },
  withinMs: number,
  tell: (examination: Examination) => void,
): Promise<readonly Examination[]> {
  const done: Examination[] = [];
  for (const question of questions) {
    const { order = madeUpOrder() } = subject;
    const judged =
      done[0]?.verdict === 'failed'
        ? ({ verdict: 'not examined', found: '' } as const)
        : judge(question, await ask(url, question.posts({ ...subject, order }), withinMs));
    const examination = { question, order, ...judged };
    tell(examination);
    done.push(examination);
  }
  return done;
}

async function ask(url: string, posts: readonly Post[], withinMs: number): Promise<readonly PostOutcome[]> {
  const answers: PostOutcome[] = [];
  for (const post of posts) answers.push(await send(url, post, withinMs));
  return answers;
}

async function send(url: string, { headers, body }: Post, withinMs: number): Promise<PostOutcome> {
  const outcome = await postNotification(
    url,
    { headers: { 'user-agent': 'check-receiver', ...headers }, body },
    withinMs,
  );
  if (outcome.nobody === undefined) return outcome;
  throw new ToolFailure(
    `Nobody listens at ${url} (${outcome.nobody}).`,
    'Start your receiver, and name its address as this machine reaches it.',
  );
}

function judge(
  { expected, advice }: Question,
  answers: readonly PostOutcome[],
): Pick<Examination, 'verdict' | 'found'> {
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
