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
    ['that is sent for the first time has the outcome of the bank', false, done, [], done, ['give']],
    [
      'is refused when the bank refuses it and does not have it',
      false,
      refused,
      [neverSeen],
      refused,
      ['give', 'find'],
    ],
    ['that is refused as a duplicate has the outcome of the first one', false, refused, [done], done, ['give', 'find']],
    [
      'is UNKNOWN when the bank refuses it and its look-up has no outcome',
      false,
      refused,
      [unknown],
      unknown,
      ['give', 'find'],
    ],
    ['is looked up when the bank does not respond', false, unknown, [done], done, ['give', 'find']],
    [
      'stays UNKNOWN when the bank does not respond and does not have it: it may still arrive',
      false,
      unknown,
      [neverSeen],
      unknown,
      ['give', 'find'],
    ],
    ['that was sent before is looked up first', true, done, [refused], refused, ['find']],
    [
      'that was sent before is sent again when the bank does not have it',
      true,
      done,
      [neverSeen],
      done,
      ['find', 'give'],
    ],
    [
      'that was sent before is not sent again when its look-up has no outcome',
      true,
      done,
      [unknown],
      unknown,
      ['find'],
    ],
    ['is NOT_NOW when the bank does not accept it now', false, notNow, [], notNow, ['give']],
    [
      'that was sent before is UNKNOWN when the bank does not accept it now',
      true,
      notNow,
      [neverSeen],
      unknownFor7,
      ['find', 'give'],
    ],
    [
      'that was sent before is not sent again when the bank does not accept a look-up',
      true,
      done,
      [notNow],
      unknownFor7,
      ['find'],
    ],
    [
      'is UNKNOWN when the bank refuses it and does not accept a look-up',
      false,
      refused,
      [notNow],
      unknownFor7,
      ['give', 'find'],
    ],
  ] as const)('%s', async (_name, again, gives, finds, end, calls) => {
    expect(await given({ again, whenUnknown: 'ASK' }, gives, ...finds)).toEqual([end, calls]);
  });

  it.each([
    ['is not looked up when its outcome is UNKNOWN', false, unknown, [], unknown, ['give']],
    ['is looked up when it is refused', false, refused, [done], done, ['give', 'find']],
    ['is looked up first when it was sent before', true, unknown, [neverSeen], unknown, ['find', 'give']],
  ] as const)('with whenUnknown LEAVE %s', async (_name, again, gives, finds, end, calls) => {
    expect(await given({ again, whenUnknown: 'LEAVE' }, gives, ...finds)).toEqual([end, calls]);
  });

  it.each([
    ['no call', 0, []],
    ['only a look-up', 1, ['find']],
    ['a refusal without its look-up', 2, ['find', 'give']],
  ] as const)('stays UNKNOWN when the time is enough for %s', async (_name, calls, expectedCalls) => {
    let left: number = calls;
    const remainingMs = () => (left-- > 0 ? responseTimeoutMs : responseTimeoutMs - 1);
    const giving = { again: true, whenUnknown: 'LEAVE', remainingMs } as const;
    expect(await given(giving, refused, neverSeen, neverSeen)).toEqual([unknown, expectedCalls]);
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
