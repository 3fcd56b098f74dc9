import { describe, expect, test } from 'vitest';
import { readOptions } from '#local-environment/options.ts';
import { LocalStartError } from '@banking-order/cdk-local';
import { each } from '#test/support/each.ts';

type Borders = {
  readonly taken: readonly (readonly [text: string, options: Readonly<Record<string, unknown>>])[];
  readonly refused: readonly string[];
  readonly range: RegExp;
};

/** Written by hand: the variables of `npm start` with a range, what they take at its borders and refuse beyond. */
const variables: Readonly<Record<string, Borders>> = {
  PORT: {
    taken: [
      ['0', { port: 0 }],
      ['1', { port: 1 }],
      ['65535', { port: 65_535 }],
    ],
    refused: ['-1', '65536', '100000', '', '1.5'],
    range: /from 0 to 65535/u,
  },
  SCHEDULE_SECONDS: {
    taken: [
      ['1', { scheduleSeconds: 1 }],
      ['99', { scheduleSeconds: 99 }],
    ],
    refused: ['0', '100', '-1', ''],
    range: /from 1 to 99/u,
  },
  RETRY_DELAYS_SECONDS: {
    taken: [
      ['0', { retryDelaysSeconds: [0] }],
      ['36000', { retryDelaysSeconds: [36_000] }],
      ['1,2,4,8', { retryDelaysSeconds: [1, 2, 4, 8] }],
    ],
    refused: ['', '-1', '36001', '1,36001', '1,'],
    range: /from 0 to 36000/u,
  },
  PROBE_DELAYS_SECONDS: {
    taken: [
      ['0', { probeDelaysSeconds: [0] }],
      ['900', { probeDelaysSeconds: [900] }],
      ['1,2,4,8,16,32', { probeDelaysSeconds: [1, 2, 4, 8, 16, 32] }],
    ],
    refused: ['', '-1', '901', '1,901'],
    range: /from 0 to 900/u,
  },
  NAME_SERVERS: {
    taken: [
      ['0.0.0.0', { nameServers: ['0.0.0.0'] }],
      ['127.0.0.1:1,255.255.255.255:65535', { nameServers: ['127.0.0.1:1', '255.255.255.255:65535'] }],
    ],
    refused: ['', '256.0.0.0', '127.0.0.1:0', '127.0.0.1:65536', '127.0.0.1:53:53'],
    range: /IPv4 addresses, with a port from 1 to 65535/u,
  },
};

/** Without a range: a folder and an address. */
const unbounded = ['LOCAL_DIR', 'AWS_ENDPOINT_URL_DYNAMODB'];

describe('a variable of npm start', () => {
  test('with a range has its borders here', () => {
    const read = new Set<string>();
    readOptions(new Proxy<Record<string, string>>({}, { get: (_, name) => void read.add(String(name)) }));
    expect([...read].toSorted()).toEqual([...Object.keys(variables), ...unbounded].toSorted());
  });

  test.each(each(Object.entries(variables)))(
    '%s is taken at both borders, and refused beyond with its range',
    (name, borders) => {
      for (const [text, options] of each(borders.taken)) expect(readOptions({ [name]: text })).toMatchObject(options);
      for (const text of each(borders.refused)) {
        const reading = (): unknown => readOptions({ [name]: text });
        expect(reading, text).toThrow(LocalStartError);
        expect(reading, text).toThrow(borders.range);
        expect(reading, text).toThrow(name);
      }
    },
  );

  test('RETRY_DELAYS_SECONDS has no more waits than a notification has retries', () => {
    expect(() => readOptions({ RETRY_DELAYS_SECONDS: '1,2,3,4,5' })).toThrow(
      'RETRY_DELAYS_SECONDS must be at most 4 waits, not 5.',
    );
  });
});
