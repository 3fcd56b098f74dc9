import { describe, expect, test } from 'vitest';
import { UsageError } from '#partner-tools/failures.ts';
import { readDelays, readOverlap, readPoll, readWithin } from '#partner-tools/times.ts';
import { each } from '#test/support/each.ts';

type Option = {
  readonly name: string;
  readonly read: (text: string) => unknown;
  readonly taken: readonly (readonly [text: string | undefined, value: unknown])[];
  readonly refused: readonly string[];
  readonly range: RegExp;
};

/** Written by hand: what each option takes at its borders and as what, and what it refuses beyond them. */
const options: readonly Option[] = [
  {
    name: '--overlap',
    read: readOverlap,
    taken: [
      [undefined, 86_400],
      ['0', 0],
      ['1', 1],
      ['604800', 604_800],
    ],
    refused: ['-1', '604801', '0.5', '', 'week'],
    range: /from 0 to 604800/u,
  },
  {
    name: '--within',
    read: readWithin,
    taken: [
      [undefined, 10_000],
      ['0.001', 1],
      ['60', 60_000],
    ],
    refused: ['0', '-1', '60.001', '61', '', 'soon'],
    range: /above 0 and up to 60/u,
  },
  {
    name: '--delays',
    read: readDelays,
    taken: [
      ['0', [0]],
      ['999999', [999_999]],
      ['1,2,4,8', [1, 2, 4, 8]],
    ],
    refused: ['', '-1', '1000000', '0.5', '1,2,4,8,16', '1,,2'],
    range: /from 0 to 999999, at most 4/u,
  },
  {
    name: '--poll',
    read: readPoll,
    taken: [
      [undefined, 1_000],
      ['0.1', 100],
      ['9999.9', 9_999_900],
    ],
    refused: ['0', '0.0', '0.05', '-1', '10000', ''],
    range: /from 0\.1 to 9999\.9/u,
  },
];

describe.each(each(options))('the option $name', ({ name, read, taken, refused, range }) => {
  const reading = read as (text: string | undefined) => unknown;

  test.each(each(taken))('takes %s as %j', (text, value) => {
    expect(reading(text)).toEqual(value);
  });

  test.each(each(refused))('refuses "%s", and names the range', (text) => {
    const error = (() => {
      try {
        return reading(text);
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).message).toContain(`${name} ${text}`);
    expect((error as UsageError).next).toMatch(range);
  });
});
