import { describe, expect, it } from 'vitest';
import {
  checkTarget,
  checkUrl,
  codeOf,
  guardedLookup,
  hostOf,
  portOf,
  requireCallableUrl,
} from '#shared/platform/target-guard.ts';
import { fc } from '../support/properties.ts';

const production = { allowLocal: false };
const local = { allowLocal: true };
const leadsTo = (...addresses: string[]) => {
  return () => Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
};
const refused = (url: string, rules = production): boolean => !checkUrl(url, rules).ok;

describe('the URL of a receiver', () => {
  it.each([
    'https://partner.example/hooks',
    'https://partner.example',
    'https://partner.example:443/hooks?tenant=7#part',
    'https://partner.example:8443/hooks',
    'https://partner.example:1024/hooks',
    'https://partner.example:65535/hooks',
    'https://93.184.216.34/hooks',
    'https://[2606:4700:4700::1111]/hooks',
    'https://bücher.example/hooks',
    'https://local.example/hooks',
    'https://192.52.193.1/hooks',
    'https://a.b.c.partner.com.br./hooks',
    `https://partner.example/${'a'.repeat(2048 - 24)}`,
  ])('may be %s', (url) => {
    expect(checkUrl(url, production).ok).toBe(true);
  });

  it.each([
    ['a text that is no URL', 'partner'],
    ['an empty text', ''],
    ['a relative URL', '//partner.example/hooks'],
    ['a URL of http', 'http://partner.example/hooks'],
    ['a URL of another protocol', 'ftp://partner.example/hooks'],
    ['the URL of a file', 'file:///etc/passwd'],
    ['a URL that is too long', `https://partner.example/${'a'.repeat(2048 - 23)}`],
    ['a URL with a user', 'https://user@partner.example/'],
    ['a URL with a password', 'https://:secret@partner.example/'],
    ['a URL with the port of another protocol', 'https://partner.example:22/'],
    ['a URL with the port of http', 'https://partner.example:80/'],
    ['a URL with port 1023', 'https://partner.example:1023/'],
    ['a URL with port 0', 'https://partner.example:0/'],
    ['a URL after a space', ' https://partner.example/'],
    ['a URL with a line end', 'https://partner.exa\nmple/'],
    ['a URL with backslashes', 'https:\\\\partner.example\\hooks'],
    ['a host of a single label', 'https://receiver/hooks'],
    ['the host localhost', 'https://localhost/hooks'],
    ['the host localhost with a dot', 'https://localhost./hooks'],
    ['a host below localhost', 'https://a.localhost/hooks'],
    ['a link-local name', 'https://printer.local/hooks'],
    ['a link-local name with the dot of the root', 'https://printer.local./hooks'],
    ['an internal name', 'https://metadata.google.internal/hooks'],
    ['a name below home.arpa', 'https://router.home.arpa/hooks'],
    ['the name home.arpa', 'https://home.arpa/hooks'],
  ])('may not be %s', (_what, url) => {
    expect(refused(url)).toBe(true);
  });

  it('may not hold a forbidden address in any writing', () => {
    const forbidden = fc.constantFrom('127.0.0.1', '10.1.2.3', '169.254.169.254', '192.168.0.1', '100.100.100.200');
    fc.assert(
      fc.property(forbidden, fc.integer({ min: 0, max: 8 }), (address, form) => {
        const url = `https://${writings(address)[form] ?? address}/hooks`;
        expect(refused(url), url).toBe(true);
        expect(refused(url, local), url).toBe(address !== '127.0.0.1');
      }),
      { numRuns: 300 },
    );
  });

  it.each(['https://[::1%25eth0]/', 'https://[fe80::1]/', 'https://[::ffff:10.0.0.1]/', 'https://[fd00:ec2::254]/'])(
    'may not be %s',
    (url) => {
      expect(refused(url)).toBe(true);
    },
  );

  it('may be no other private name where a local environment allows loopback', () => {
    expect(refused('https://localhost.internal/hooks', local)).toBe(true);
  });

  it('may be plain http, on any port and on loopback where a local environment allows it', () => {
    for (const url of [
      'http://127.0.0.1:9000/hooks',
      'http://localhost:81/',
      'http://[::1]:3000/',
      'https://a.localhost/',
    ])
      expect([url, refused(url, local), refused(url)]).toEqual([url, false, true]);
    for (const protocol of ['ftp', 'ws', 'file']) expect(refused(`${protocol}://127.0.0.1/`, local)).toBe(true);
    expect(refused('http://10.0.0.1/', local)).toBe(true);
    expect(refused('http://user@127.0.0.1/', local)).toBe(true);
  });
});

describe('the message about a refused URL', () => {
  const advice = (url: string, rules: typeof production): string => {
    const checked = checkUrl(url, rules);
    return checked.ok ? 'ok' : checked.because;
  };

  it.each(['localhost:4000', 'localhost:4000/hooks', 'localhost', '127.0.0.1:4000', '[::1]:4000/x', 'a.localhost:1'])(
    'has the remedy of its environment when the URL is %s',
    (url) => {
      expect(advice(url, local)).toBe(`Must begin with http:// or https://, as http://${url}.`);
      expect(advice(`http://${url}`, local)).toBe('ok');
      expect(advice(url, production)).toBe('Must be a URL that begins with https:// and leads to a public host.');
      expect(advice(`http://${url}`, production)).toBe(advice(url, production));
      expect(advice(`https://${url}`, production)).toBe('Must lead to a public host.');
    },
  );

  it.each([
    'partner.example/hooks',
    '10.0.0.1:4000',
    'ftp://localhost/',
    'javascript:alert(1)',
    'localhost:4000:5000',
    '',
  ])('has no host when the URL "%s" has no host that may be called', (url) => {
    expect(advice(url, local)).toBe('Must be a URL that begins with https://, or http:// in this environment.');
    expect(advice(url, production)).toContain('https:// and leads to a public host');
  });
});

describe('the reason why a URL is refused', () => {
  it.each([
    [`https://partner.example/${'a'.repeat(2048 - 23)}`, 'Must have at most 2048 characters.'],
    ['https://partner.exa\nmple/', 'Must be an absolute URL.'],
    ['https://user@partner.example/', 'Must not contain user name or password.'],
    ['https://partner.example:22/', 'Must use port 443 or one above 1023.'],
    ['https://10.0.0.1/', 'Must lead to a public host.'],
  ])('is in the response to the partner when the URL is %s', (url, because) => {
    expect(checkUrl(url, production)).toEqual({ ok: false, because });
  });

  it('is an issue of its field', async () => {
    const refuse = (url: string, allowLocalTargets: boolean) => requireCallableUrl('url', url, { allowLocalTargets });
    await expect(refuse('https://127.0.0.1/', false)).rejects.toMatchObject({
      kind: 'badRequest',
      details: [{ field: 'url', issue: 'INVALID_VALUE', description: 'Must lead to a public host.' }],
    });
    await expect(refuse('https://127.0.0.1/', true)).resolves.toBeUndefined();
    await expect(refuse('https://93.184.216.34/', false)).resolves.toBeUndefined();
  });
});

describe('the code of an error', () => {
  it.each([
    [Object.assign(new Error('No.'), { code: 'ENODATA' }), 'ENODATA'],
    [Object.assign(new Error('No.'), { code: 7 }), ''],
    [new Error('No.'), ''],
    [{ code: 'ENODATA' }, ''],
    [undefined, ''],
  ])('is the text of its code, and empty when that is no text (%#)', (error, code) => {
    expect(codeOf(error)).toBe(code);
  });
});

describe('registering the URL of a receiver', () => {
  it('is refused when the name leads to a forbidden address, be it one of several', async () => {
    const url = 'https://partner.example/hooks';
    expect(await checkTarget(url, production, leadsTo('93.184.216.34'))).toBeUndefined();
    expect(await checkTarget(url, production, leadsTo('169.254.169.254'))).toContain('public host');
    expect(await checkTarget(url, production, leadsTo('93.184.216.34', '::1'))).toContain('public host');
  });

  it('is accepted when the name does not resolve yet', async () => {
    const unknown = () => Promise.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }));
    expect(await checkTarget('https://partner.example/hooks', production, unknown)).toBeUndefined();
  });

  it('does not ask for the name when the URL itself is refused or holds an address', async () => {
    const asked: string[] = [];
    const never = (host: string) => {
      asked.push(host);
      return Promise.resolve([]);
    };
    expect(await checkTarget('http://partner.example/hooks', production, never)).toContain('https');
    expect(await checkTarget('https://93.184.216.34/hooks', production, never)).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

/** The ways to write an IPv4 address that parsers of URLs understand, and what partners do with wide characters. */
function writings(address: string): readonly string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const wide = Array.from(address, (digit) =>
    digit === '.' ? '。' : String.fromCodePoint(0xfee0 + digit.charCodeAt(0)),
  );
  return [
    address,
    `${address}.`,
    String(whole),
    `0x${whole.toString(16)}`,
    `0${whole.toString(8)}`,
    [a, b, c, d].map((part) => `0${part.toString(8)}`).join('.'),
    [a, b, c, d].map((part) => `0x${part.toString(16)}`).join('.'),
    `${a}.${b}.${c * 256 + d}`,
    wide.join(''),
  ];
}

describe('the look-up of a connection', () => {
  const lookUp = (...addresses: string[]) =>
    new Promise((resolve) => {
      guardedLookup(production, leadsTo(...addresses))('partner.example', {}, (error, found) => {
        resolve(error ?? found);
      });
    });

  it('gives the socket every address of the name', async () => {
    expect(await lookUp('93.184.216.34', '2606:4700:4700::1111')).toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
  });

  it('fails if one of them is forbidden', async () => {
    expect(await lookUp('93.184.216.34', '10.0.0.1')).toMatchObject({ name: 'ForbiddenTarget' });
    expect(await lookUp('10.0.0.1')).toMatchObject({ name: 'ForbiddenTarget' });
  });

  it('fails as for an unknown name if there is none', async () => {
    expect(await lookUp()).toMatchObject({ code: 'ENOTFOUND' });
  });

  it('is for the host of a URL, an IPv6 address without its brackets', () => {
    expect(hostOf(new URL('https://[2606:4700:4700::1111]:8443/'))).toBe('2606:4700:4700::1111');
    expect(hostOf(new URL('https://partner.example:8443/'))).toBe('partner.example');
  });
});

it.each([
  ['https://partner.example/', 443],
  ['http://partner.example/', 80],
  ['https://partner.example:8443/', 8443],
])('a connection to %s is to port %i', (url, port) => {
  expect(portOf(new URL(url))).toBe(port);
});
