import { describe, expect, it } from 'vitest';
import type { CommandOutcome, FoundCommand } from '#shared/bank/outcome.ts';
import { responseTimeoutMs, BankUnavailable } from '#shared/bank/outcome.ts';
import type { Repetition } from '#shared/bank/capabilities.ts';
import { submitOnce, requireOutcome } from '#shared/bank/bank.ts';

const done = { outcome: 'DONE', state: 1 } as const;
const refused = { outcome: 'REFUSED', reason: 'No.' } as const;
const unknown = { outcome: 'UNKNOWN' } as const;
const neverSeen = { outcome: 'NEVER_SEEN' } as const;

const notNow = { outcome: 'NOT_NOW', cause: 'Too many requests.', retryAfterSeconds: 7 } as const;
const unknownFor7 = { outcome: 'UNKNOWN', retryAfterSeconds: 7 } as const;
const context = { companyId: 'c', connection: undefined, at: '2026-01-15T15:00:00.000Z' };

type Giving = Omit<Parameters<typeof submitOnce>[3], 'again'> & {
  readonly again: boolean;
  readonly repetition?: Repetition;
  readonly mayRepeat?: boolean;
};

async function given(giving: Giving, gives: CommandOutcome<number>, ...finds: readonly FoundCommand<number>[]) {
  const calls: string[] = [];
  const left = [...finds];
  const give = () => (calls.push('give'), Promise.resolve(gives));
  const find = () => (calls.push('find'), Promise.resolve(left.shift() ?? unknown));
  const { repetition = 'REFUSED', mayRepeat = false, again, ...rest } = giving;
  const repeated = again && { repetition, mayRepeat: () => Promise.resolve(mayRepeat) };
  return [await submitOnce({ submit: give, find }, 'order', context, { ...rest, again: repeated }), calls];
}

describe('a command', () => {
  it.each([
    ['the first time is given, and its end is the end', false, done, [], done, ['give']],
    ['refused, of which the bank has nothing, is refused', false, refused, [neverSeen], refused, ['give', 'find']],
    ['refused as a duplicate has the end that the first had', false, refused, [done], done, ['give', 'find']],
    [
      'refused, when the bank does not say whether it has one, is unknown',
      false,
      refused,
      [unknown],
      unknown,
      ['give', 'find'],
    ],
    [
      'without an answer is asked about, for a bank that calls a repetition an error',
      false,
      unknown,
      [done],
      done,
      ['give', 'find'],
    ],
    [
      'that the bank never saw stays unknown: it may still arrive',
      false,
      unknown,
      [neverSeen],
      unknown,
      ['give', 'find'],
    ],
    ['given before is asked about first', true, done, [refused], refused, ['find']],
    ['given before and never seen is given', true, done, [neverSeen], done, ['find', 'give']],
    ['given before is never repeated blindly', true, done, [unknown], unknown, ['find']],
    ['that the bank does not take now was not carried out', false, notNow, [], notNow, ['give']],
    [
      'given before and not taken now may have been carried out',
      true,
      notNow,
      [neverSeen],
      unknownFor7,
      ['find', 'give'],
    ],
    ['given before is not given when the bank takes no question', true, done, [notNow], unknownFor7, ['find']],
    ['refused is unknown when the bank takes no question', false, refused, [notNow], unknownFor7, ['give', 'find']],
  ] as const)('%s', async (_name, again, gives, finds, end, calls) => {
    expect(await given({ again, whenUnknown: 'ASK' }, gives, ...finds)).toEqual([end, calls]);
  });

  it.each([
    ['is left alone when its end is unknown', false, unknown, [], unknown, ['give']],
    ['is asked about all the same when it is refused', false, refused, [done], done, ['give', 'find']],
    ['given before is asked about first all the same', true, unknown, [neverSeen], unknown, ['find', 'give']],
  ] as const)('with whenUnknown LEAVE: %s', async (_name, again, gives, finds, end, calls) => {
    expect(await given({ again, whenUnknown: 'LEAVE' }, gives, ...finds)).toEqual([end, calls]);
  });

  it.each([
    ['nothing', 0, []],
    ['a question alone', 1, ['find']],
    ['a refusal that nobody can look into', 2, ['find', 'give']],
  ] as const)('stays unknown when there is time for %s', async (_name, calls, made) => {
    let left: number = calls;
    const remainingMs = () => (left-- > 0 ? responseTimeoutMs : responseTimeoutMs - 1);
    const giving = { again: true, whenUnknown: 'LEAVE', remainingMs } as const;
    expect(await given(giving, refused, neverSeen, neverSeen)).toEqual([unknown, made]);
  });

  it('is only looked up, until an operator allows a repetition, when the bank would carry it out again', async () => {
    const giving = { again: true, whenUnknown: 'ASK', repetition: 'CARRIED_OUT_AGAIN' } as const;
    expect(await given(giving, done, neverSeen)).toEqual([unknown, ['find']]);
    expect(await given(giving, done, done)).toEqual([done, ['find']]);
    expect(await given({ ...giving, mayRepeat: true }, done, neverSeen)).toEqual([done, ['find', 'give']]);
    expect(await given({ ...giving, again: false }, done)).toEqual([done, ['give']]);
  });

  it('for which a caller waits has an end, or is not available', () => {
    expect(requireOutcome(done)).toBe(done);
    expect(requireOutcome(refused)).toBe(refused);
    expect(() => requireOutcome(unknown)).toThrow(BankUnavailable);
    expect(() => requireOutcome(notNow)).toThrow(expect.objectContaining({ retryAfterSeconds: 7 }));
  });
});
