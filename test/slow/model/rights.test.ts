import { expect, it } from 'vitest';
import { liveApart } from '#test/simulation/runs.ts';
import { accesses } from '#test/simulation/world/rights.ts';
import { rightsOf } from '#test/support/rights.ts';

/*
 * Least privilege: the simulated world refuses what a function's access does not name, and counts what is used of it.
 * What is granted is used somewhere, but for what stands here with its reason.
 */

/** Rights that no life uses, by function; each function without a life has a test in test/news/rights.test.ts. */
const unused: Readonly<Record<string, string>> = {
  'receive-callbacks: table: writes': 'no bank calls over HTTP here',
  'receive-callbacks: callbackQueues: sends': 'no bank calls over HTTP here',
  'apply-callbacks: table: writes': 'what banks say comes without a queue, as bank-callback',
  'apply-callbacks: bank': 'what banks say comes without a queue, as bank-callback',
  'apply-callbacks: callbackQueues: receives': 'what banks say comes without a queue, as bank-callback',
  'bank-callback: callbackQueues: receives': 'what banks say comes without a queue',
  'read-bank-lists: table: writes': 'no bank here gives lists',
  'read-bank-lists: bank': 'no bank here gives lists',
  'read-bank-lists: callbackDomain: reads': 'the domain of callbacks is that of API Gateway',
};

/** What any access to the table brings along: single items, queries, and outside production places of slow answers. */
const isLeast = (right: string): boolean => /: (?:table: gets|table: reads|slowCalls: holds)$/u.test(right);

const granted = [...accesses()].flatMap(([name, access]) => [...rightsOf(access)].map((right) => `${name}: ${right}`));
const stepsPerLife = 10_000;
const mostLives = 12;

it('finds a use of every right that a function has, and refuses none', async () => {
  const used = new Set<string>();
  const left = (): readonly string[] => granted.filter((right) => !used.has(right) && !isLeast(right));
  const isMissing = (): boolean => left().some((right) => !(right in unused));
  for (let seed = 1; seed <= mostLives && isMissing(); seed += 1) {
    const life = await liveApart({ seed, steps: stepsPerLife, companies: 4, faults: seed % 3 === 0 ? 'some' : 'all' });
    expect(life.found, `seed ${seed}`).toEqual([]);
    for (const what of Object.keys(life.counts)) if (what.startsWith('right ')) used.add(what.slice('right '.length));
  }
  expect(left().filter((right) => !(right in unused))).toEqual([]);
  // What is used by now has no reason to stand above.
  expect(Object.keys(unused).filter((right) => used.has(right) || !granted.includes(right))).toEqual([]);
}, 1_800_000);
