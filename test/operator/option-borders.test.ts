import { describe, expect, it } from 'vitest';
import { commands } from '#infra/operator/commands.ts';
import * as read from '#infra/operator/values.ts';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { parseWebhookSecret } from '#shared/webhooks/settings-store.ts';
import { validSecrets } from '#shared/webhooks/settings.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { each } from '#test/support/each.ts';
import { at, testOperator } from './terminal.ts';

/**
 * Written by hand: the accepted values of an option at its borders and their results, the refused ones beyond them, and
 * the message.
 */
type Borders = {
  readonly taken: readonly (readonly [text: string, value?: unknown])[];
  readonly refused: readonly string[];
  readonly messagePattern: RegExp;
};

const times = (count: number, character = 'x'): string => character.repeat(count);
const uuid = '00000000-0000-0000-0000-000000000000';

const kinds: Readonly<Record<string, Borders>> = {
  Overlap: {
    taken: [
      ['0', 0],
      ['1', 1],
      ['604799', 604_799],
      ['604800', 604_800],
    ],
    refused: ['-1', '604801', '1000000', '0.5', '', '1e3'],
    messagePattern: /whole number of seconds from 0 to 604800/u,
  },
  Age: {
    taken: [
      ['0s', 0],
      ['5m', 300],
      ['2h', 7200],
      ['99999d', 8_639_913_600],
    ],
    refused: ['5', 'm', '', '-5m', '1.5h', '5 m', '5M', '100000s', '1w'],
    messagePattern: /30s, 5m, 2h or 1d/u,
  },
  Day: {
    taken: [
      ['2026-01-15', '2026-01-15'],
      ['2024-02-29', '2024-02-29'],
    ],
    refused: ['2026-02-29', '2026-1-5', '15/01/2026', '', '2026-01-15T00:00:00Z'],
    messagePattern: /such as 2026-01-15/u,
  },
  ReadUnits: {
    taken: [
      ['1', 1],
      ['40000', 40_000],
    ],
    refused: ['0', '40001', '', '1.5'],
    messagePattern: /from 1 to 40000/u,
  },
  Reason: {
    taken: [[times(140, 'a')], [' a ', 'a']],
    refused: ['', ' ', times(141, 'a'), 'a\nb', 'a\u202eb'],
    messagePattern: /140 visible/u,
  },
  DaysToDefend: {
    taken: [
      ['1', 1],
      ['90', 90],
    ],
    refused: ['0', '91', '', '1.5'],
    messagePattern: /from 1 to 90/u,
  },
  Shards: {
    taken: [
      ['1', 1],
      ['32', 32],
    ],
    refused: ['0', '33', '', '1.5'],
    messagePattern: /from 1 to 32/u,
  },
  PayoutsAMinute: {
    taken: [
      ['0', 0],
      ['999999', 999_999],
    ],
    refused: ['-1', '1000000', ''],
    messagePattern: /from 0 to 999999/u,
  },
  Count: {
    taken: [
      ['0', 0],
      ['999999', 999_999],
    ],
    refused: ['-1', '1000000', ''],
    messagePattern: /from 0 to 999999/u,
  },
  Amount: {
    taken: [
      ['0.01', 1],
      ['9999999999.99', 999_999_999_999],
    ],
    refused: ['0.00', '0.001', '10000000000.00', '-0.01', ''],
    messagePattern: /above 0/u,
  },
  Id: {
    taken: [[uuid], ['FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF', 'ffffffff-ffff-ffff-ffff-ffffffffffff']],
    refused: [uuid.slice(1), `${uuid}0`, ''],
    messagePattern: /UUID/u,
  },
  Reference: {
    taken: [[times(32, '0')], [uuid]],
    refused: [times(31, '0'), times(37, '0'), ''],
    messagePattern: /id of the service/u,
  },
  ReturnId: {
    taken: [[`D${times(8, '0')}${times(12, '9')}${times(11, 'z')}`]],
    refused: [
      `E${times(8, '0')}${times(12, '9')}${times(11, 'z')}`,
      `D${times(8, '0')}${times(12, '9')}${times(10, 'z')}`,
    ],
    messagePattern: /32 characters/u,
  },
  EndToEndId: {
    taken: [[`E${times(8, '0')}${times(12, '9')}${times(11, 'z')}`]],
    refused: [
      `E${times(8, '0')}${times(12, '9')}${times(10, 'z')}`,
      `E${times(8, '0')}${times(12, '9')}${times(12, 'z')}`,
    ],
    messagePattern: /32 characters/u,
  },
  PartnerName: {
    taken: [['A'], [times(140)], [` ${times(140)} `, times(140)]],
    refused: ['', ' ', times(141)],
    messagePattern: /1 to 140 visible characters/u,
  },
  HolderName: {
    taken: [['A'], [times(140)]],
    refused: ['', times(141), '漢'],
    messagePattern: /1 to 140 visible characters/u,
  },
  Convenio: { taken: [['1'], [times(60)]], refused: ['', times(61)], messagePattern: /1 to 60 characters/u },
  Email: {
    taken: [['a@b.co'], [`${times(64)}@${times(9)}.co`]],
    refused: ['', `${times(64)}@${times(10)}.co`],
    messagePattern: /e-mail address of at most 77 characters/u,
  },
  Phone: {
    taken: [['+12345678'], ['+123456789012345']],
    refused: ['+1234567', '+1234567890123456', '+02345678'],
    messagePattern: /8 to 15 digits/u,
  },
  Ispb: {
    taken: [['00000000'], ['ZZZZZZZZ']],
    refused: [times(7, '0'), times(9, '0')],
    messagePattern: /8 characters/u,
  },
  Branch: { taken: [['0'], ['9999']], refused: ['', '00000'], messagePattern: /1 to 4 digits/u },
  AccountNumber: { taken: [['0'], [times(20, '9')]], refused: ['', times(21, '9')], messagePattern: /1 to 20 digits/u },
  ClientId: {
    taken: [['!'], [times(256, '~')]],
    refused: ['', times(257, '~'), ' '],
    messagePattern: /1 to 256 visible/u,
  },
  ApiKeyValue: {
    taken: [[times(20)], [times(128)]],
    refused: [times(19), times(129)],
    messagePattern: /20 to 128 visible/u,
  },
  IdempotencyKey: {
    taken: [['!'], [times(255, '~')]],
    refused: ['', times(256, '~')],
    messagePattern: /1 to 255 visible/u,
  },
  Url: {
    taken: [['https://a.co'], [`https://a.co/${times(2035)}`]],
    refused: ['', `https://a.co/${times(2036)}`, 'ftp://a.co'],
    messagePattern: /http or https URL of at most 2048 characters/u,
  },
  S3Object: {
    taken: [
      ['s3://abc/k', { bucket: 'abc', key: 'k' }],
      [`s3://${times(63, 'b')}/${times(512, 'k')}`, { bucket: times(63, 'b'), key: times(512, 'k') }],
    ],
    refused: ['s3://ab/k', 's3://abc/', `s3://${times(64, 'b')}/k`, `s3://abc/${times(513, 'k')}`],
    messagePattern: /s3:\/\/BUCKET\/KEY/u,
  },
  TableName: {
    taken: [['abc'], [times(255)]],
    refused: ['ab', times(256)],
    messagePattern: /table, 3 to 255 characters/u,
  },
  Host: { taken: [['a.co']], refused: ['a', 'a.b', 'https://a.co'], messagePattern: /host without https/u },
  PixKey: {
    taken: [['a@b'], [`${times(71)}@b.com`], ['+123'], ['+123456789012345']],
    refused: ['', `${times(72)}@b.com`, '+12', '+1234567890123456'],
    messagePattern: /PIX key/u,
  },
};

/** Without borders: any text, a path that is looked for, and an option without a value. */
const unbounded = ['Text', 'File', 'Flag'];

const isKind = (value: unknown): value is read.Kind<unknown> =>
  typeof value === 'object' && value !== null && 'schema' in value && 'word' in value;
const byName = new Map(
  Object.entries<unknown>(read).flatMap(([name, value]): [string, read.Kind<unknown>][] =>
    isKind(value) ? [[name, value]] : [],
  ),
);

describe('an option of the operator', () => {
  it('has its limits in this file for every kind', () => {
    expect([...byName.keys()].toSorted()).toEqual([...Object.keys(kinds), ...unbounded].toSorted());
  });

  it('has one of these kinds, or is a list of values, in every command', () => {
    const known = new Set<unknown>([...byName.values()].map(({ schema }) => schema));
    const options = Object.values(commands).flatMap((command) => Object.entries(command.options));
    for (const [flag, { schema }] of each(options)) {
      const { def } = schema as { readonly def: { readonly type: string; readonly innerType?: unknown } };
      const inner = (def.type === 'optional' ? def.innerType : schema) as { readonly def: { readonly type: string } };
      expect([flag, known.has(inner) || inner.def.type === 'enum']).toEqual([flag, true]);
    }
  });

  it.each(each(Object.entries(kinds)))(
    'takes both limits of kind %s, and refuses a value one beyond them',
    (name, borders) => {
      const { schema } = byName.get(name)!;
      for (const [text, value = text] of each(borders.taken))
        expect({ text, read: schema.safeParse(text).data }).toEqual({ text, read: value });
      for (const text of each(borders.refused)) {
        const messages = schema.safeParse(text).error?.issues.map(({ message }) => message) ?? [];
        expect({ text, message: messages[0] }).toEqual({
          text,
          message: expect.stringMatching(borders.messagePattern) as string,
        });
      }
    },
  );
});

describe('secret:rotate --overlap-seconds', () => {
  const rotated = async (overlap: string) => {
    const { run, json, store } = testOperator();
    const { companyId = '', webhookSecret: former } = await json('company:create', '--name', 'A');
    const { code, err } = await run('secret:rotate', '--company', companyId, '--overlap-seconds', overlap);
    const [item] = await store.read([keys.webhookSecret(companyId)]);
    return { code, err, former, secret: parseWebhookSecret(item!) };
  };

  it.each([1, 86_400, 604_799, 604_800])(
    'keeps the former secret for %i seconds, to the last millisecond and not at the end',
    async (overlap) => {
      const { code, former, secret } = await rotated(String(overlap));
      const end = plusSeconds(at, overlap);
      expect([code, secret.previousExpiresAt]).toEqual([0, end]);
      expect(validSecrets(secret, plusMilliseconds(end, -1))).toEqual({ current: secret.current, previous: former });
      expect(validSecrets(secret, end)).toEqual({ current: secret.current });
    },
  );

  it('removes the former secret immediately when it is 0', async () => {
    const { code, former, secret } = await rotated('0');
    expect(code).toBe(0);
    expect(validSecrets(secret, at)).toEqual({ current: secret.current });
    expect(JSON.stringify(secret)).not.toContain(former);
  });

  it.each(['-1', '604801'])(
    'is refused with the allowed range when it is %s, and no secret changes',
    async (overlap) => {
      const { code, err, former, secret } = await rotated(overlap);
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringContaining('--overlap-seconds must be a whole number of seconds from 0 to 604800') as string,
      });
      expect(secret).toMatchObject({ current: former, version: 1 });
    },
  );
});

describe('account:create --document of another kind', () => {
  it.each([
    ['1', 0],
    [times(40, '1'), 0],
    ['', 2],
    [times(41, '1'), 2],
  ])('with the number "%s" exits with %i', async (number, expected) => {
    const { json, run } = testOperator();
    const { companyId = '' } = await json('company:create', '--name', 'A');
    const holderArgs = ['--name', 'A', '--email', 'a@b.co', '--phone', '+5511987654321'];
    const command = ['account:create', '--company', companyId, ...holderArgs, '--document-type', 'PASSPORT'];
    expect(await run(...command, '--document', number)).toMatchObject({ code: expected });
  });
});
