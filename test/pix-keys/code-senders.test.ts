import { randomBytes, randomUUID } from 'node:crypto';
import type { SendEmailCommand } from '@aws-sdk/client-sesv2';
import type { PublishCommand } from '@aws-sdk/client-sns';
import { describe, expect, it } from 'vitest';
import { amazonSender, codeText } from '#shared/pix-keys/codes/amazon-sender.ts';
import { codeFor, hashOfCode, isCodeOf } from '#shared/pix-keys/codes/code.ts';
import { fc } from '../support/properties.ts';
import { each } from '#test/support/each.ts';

const validUntil = '2026-01-16T02:30:00.000Z';
const email = { type: 'EMAIL', key: 'maria@example.com', code: '012345', validUntil } as const;
const phone = { ...email, type: 'PHONE', key: '+5511987654321' } as const;
const from = { emailFrom: 'pix@bank.example', smsFrom: '+551130000000' };

/** Clients that keep what they are given, or fail by this name. */
function clients(fails?: string) {
  const given: (SendEmailCommand | PublishCommand)['input'][] = [];
  const send = (command: { readonly input: (typeof given)[number] }): Promise<void> => {
    given.push(command.input);
    if (fails === undefined) return Promise.resolve();
    return Promise.reject(Object.assign(new Error('Address maria@example.com is wrong'), { name: fails }));
  };
  return { given, email: { send }, phone: { send } };
}

describe('Amazon SES and SNS', () => {
  it('are asked for one plain message to the key', async () => {
    const to = clients();
    expect(await amazonSender(from, to)(email)).toEqual({ outcome: 'SENT' });
    expect(await amazonSender(from, to)(phone)).toEqual({ outcome: 'SENT' });
    const [mail, message] = to.given;
    expect(mail).toMatchObject({
      FromEmailAddress: from.emailFrom,
      Destination: { ToAddresses: [email.key] },
      Content: { Simple: { Body: { Text: { Data: expect.stringContaining('012345') as string, Charset: 'UTF-8' } } } },
    });
    expect(message).toMatchObject({
      PhoneNumber: phone.key,
      Message: expect.stringContaining('012345') as string,
      MessageAttributes: {
        'AWS.SNS.SMS.SMSType': { StringValue: 'Transactional' },
        'AWS.MM.SMS.OriginationNumber': { StringValue: from.smsFrom },
      },
    });
  });

  it.each([
    [email, 'BadRequestException', 'REFUSED'],
    [email, 'MessageRejected', 'FAILED'],
    [email, 'TooManyRequestsException', 'FAILED'],
    [email, 'TimeoutError', 'FAILED'],
    [email, 'OptedOutException', 'FAILED'],
    [phone, 'InvalidParameterException', 'REFUSED'],
    [phone, 'InvalidParameterValueException', 'REFUSED'],
    [phone, 'OptedOutException', 'REFUSED'],
    [phone, 'ThrottledException', 'FAILED'],
    [phone, 'BadRequestException', 'FAILED'],
  ] as const)(
    'fail to send %o with %s, and the outcome is %s with only that error name',
    async (message, reason, outcome) => {
      expect(await amazonSender(from, clients(reason))(message)).toEqual({ outcome, reason });
    },
  );
});

describe('the message with a code', () => {
  it('contains the code and the time in Brasilia until which it is valid', () => {
    const { email: mail, phone: message } = codeText(email);
    for (const text of [mail, message]) expect(text).toMatch(/012345[^]*23:30/u);
  });

  it('fits into one SMS: at most 160 characters, all of GSM 03.38', () => {
    const { phone: message } = codeText(phone);
    expect(message.length).toBeLessThanOrEqual(160);
    expect(message).toMatch(/^[A-Za-z0-9 .,:()]+$/u);
  });
});

describe('codes', () => {
  const secret = randomBytes(32).toString('base64');

  it('are six digits, the same for the same secret, validation and number, and compared by their hash', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 1, max: 4 }), (validationId, number) => {
        const name = { validationId, number };
        const code = codeFor(secret, name);
        expect(code).toMatch(/^\d{6}$/u);
        expect(codeFor(secret, name)).toBe(code);
        const stored = hashOfCode(secret, name, code);
        expect(isCodeOf(secret, name, stored, code)).toBe(true);
        const other = code === '000000' ? '000001' : '000000';
        expect(isCodeOf(secret, name, stored, other)).toBe(false);
        expect(isCodeOf(secret, { ...name, number: number + 1 }, stored, code)).toBe(false);
        expect(isCodeOf(randomBytes(32).toString('base64'), name, stored, code)).toBe(false);
      }),
    );
  });

  it('are spread evenly: no digit of any place is much more frequent than another', () => {
    const rounds = 20_000;
    const counts = Array.from({ length: 6 }, () => Array<number>(10).fill(0));
    for (let round = 0; round < rounds; round += 1) {
      const code = codeFor(secret, { validationId: randomUUID(), number: 1 });
      for (const [place, count] of counts.entries()) count[Number(code.charAt(place))]! += 1;
    }
    // Six standard deviations of a binomial count.
    const spread = 6 * Math.sqrt(rounds * 0.1 * 0.9);
    for (const place of each(counts))
      for (const count of each(place)) expect(Math.abs(count - rounds / 10)).toBeLessThan(spread);
  });
});
