import { describe, expect, it } from 'vitest';
import { isForbiddenAddress } from '#shared/platform/target-guard.ts';
import { fc } from '../support/properties.ts';
import { each } from '../support/each.ts';

const production = { allowLocal: false };
const local = { allowLocal: true };

/** First and last address of each range that must never be called. */
const ranges: readonly (readonly [string, string])[] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '239.255.255.255'],
  ['240.0.0.0', '255.255.255.255'],
];
const neighbours = [
  '1.0.0.0',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.0.3.0',
  '192.88.98.255',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '198.51.101.0',
  '203.0.112.255',
  '223.255.255.255',
  '8.8.8.8',
];
const forbiddenV6 = [
  '::',
  '::1',
  '::7f00:1',
  '::808:808',
  '64:ff9b::7f00:1',
  '64:ff9b::808:808',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:10::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '2002:808:808::1',
  '3fff::1',
  '3fff:fff:ffff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fdff:ffff::1',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  'ff02::1',
  '2a00::5efe:7f00:1',
  '2a00::200:5efe:808:808',
  '4000::1',
];
const publicV6 = ['2606:4700:4700::1111', '2a00:1450:4001:82a::200e', '2001:4860:4860::8888', '2003::1', '3ffe::1'];

const toNumber = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const toText = (value: number): string => [24, 16, 8, 0].map((shift) => String((value >>> shift) & 255)).join('.');
const forbiddenV4 = fc
  .constantFrom(...ranges)
  .chain(([first, last]) => fc.integer({ min: toNumber(first), max: toNumber(last) }))
  .map(toText);

describe('addresses that must not be called', () => {
  it('are the first and the last of every special range', () => {
    for (const edge of each(ranges.flat())) expect(isForbiddenAddress(edge, production), edge).toBe(true);
  });

  it('are all addresses of the special ranges, also written as IPv6', () => {
    fc.assert(
      fc.property(forbiddenV4, (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        const forms = [address, `::ffff:${address}`, `::ffff:${hex}`, `0:0:0:0:0:FFFF:${hex}`, `::${hex}`];
        expect(forms.filter((form) => !isForbiddenAddress(form, production))).toEqual([]);
        const wrapped = [`64:ff9b::${hex}`, `2002:${hex}::1`, `2a00::5efe:${hex}`];
        expect(wrapped.filter((form) => !isForbiddenAddress(form, production))).toEqual([]);
      }),
    );
  });

  it.each(forbiddenV6)('include %s', (address) => {
    expect(isForbiddenAddress(address, production)).toBe(true);
  });

  it.each(['', 'localhost', 'example.com', '1.2.3.4.5', '::g', '[::1]'])(
    'include the text "%s", which is no address',
    (text) => {
      expect(isForbiddenAddress(text, production)).toBe(true);
    },
  );

  it.each([
    ['the address of AS112, which is special and global (RFC 7534)', '192.175.48.1'],
    ['an address with an interface identifier that resembles ISATAP', '2606:4700::1:5efe:102:304'],
  ])('do not include %s', (_what, address) => {
    expect(isForbiddenAddress(address, { allowLocal: false })).toBe(false);
  });

  it('do not include the public neighbours of those ranges', () => {
    expect(neighbours.filter((address) => isForbiddenAddress(address, production))).toEqual([]);
    expect(neighbours.filter((address) => isForbiddenAddress(`::ffff:${address}`, production))).toEqual([]);
    expect(publicV6.filter((address) => isForbiddenAddress(address, production))).toEqual([]);
  });

  it('include all special ranges but loopback when a local environment allows that', () => {
    const loopback = ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'];
    expect(loopback.filter((address) => isForbiddenAddress(address, local))).toEqual([]);
    const others = [...ranges.map(([first]) => first), ...forbiddenV6].filter((a) => a !== '127.0.0.0' && a !== '::1');
    expect(others.filter((address) => !isForbiddenAddress(address, local))).toEqual([]);
  });
});
