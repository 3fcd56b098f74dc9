import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import type { AddressRules } from './forbidden-addresses.ts';
import { isForbiddenAddress } from './forbidden-addresses.ts';

/**
 * Which URLs are called at all: checked when a partner registers one, and again at every connection, because a name can
 * lead somewhere else by then.
 */

export type ResolvedAddress = { readonly address: string; readonly family: number };
/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;
export type CheckedUrl = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly because: string };

export const maxUrlLength = 2048;
/** A receiver listens on the port of https or on its usual second one; others belong to other protocols. */
const allowedPorts = new Set(['', '443', '8443']);
/** Names that never lead to a public host (RFC 6761, RFC 6762, RFC 8375, ICANN's reservation of `internal`). */
const privateNames = /(^|\.)(localhost|local|internal|home\.arpa)$/u;
const localName = /(^|\.)localhost$/u;
const registrationResolveMs = 2000;

export const systemResolve: Resolve = (host) => lookup(host, { all: true });

/** The address to call must not be called: the code by which the sender knows this error. */
export class ForbiddenTarget extends Error {
  override readonly name = 'ForbiddenTarget';
}

/**
 * What a URL says by itself: `https`, a public host, port 443 or 8443, no user info. With `allowLocal` also plain `http`,
 * any port, and loopback. `because` is a sentence for the partner.
 */
export function checkUrl(text: string, rules: AddressRules): CheckedUrl {
  const no = (because: string): CheckedUrl => ({ ok: false, because });
  if (text.length > maxUrlLength) return no(`Must have at most ${String(maxUrlLength)} characters.`);
  // The parser of URLs drops or turns these, so that what is called would not be what was registered.
  if (/[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) return no('Must be an absolute URL.');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(rules.allowLocal && url.protocol === 'http:'))
    return no('Must begin with https://.');
  if (url.username !== '' || url.password !== '') return no('Must not contain user name or password.');
  if (!rules.allowLocal && !allowedPorts.has(url.port)) return no('Must use port 443 or 8443.');
  return isPublicHost(hostOf(url), rules) ? { ok: true, url } : no('Must lead to a public host.');
}

/**
 * Why a partner may not register this URL; undefined if it may. A name that leads to a forbidden address now is refused; one
 * that does not resolve yet is not, for it is checked at every connection.
 */
export async function checkTarget(
  text: string,
  rules: AddressRules,
  resolve: Resolve = systemResolve,
): Promise<string | undefined> {
  const checked = checkUrl(text, rules);
  if (!checked.ok) return checked.because;
  const host = hostOf(checked.url);
  if (isIP(host) !== 0) return undefined;
  const addresses = await within(registrationResolveMs, resolve(host));
  const forbidden = addresses.some(({ address }) => isForbiddenAddress(address, rules));
  return forbidden ? 'Must lead to a public host.' : undefined;
}

/** The host of a URL as a socket wants it: an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/u, '$1');
}

/**
 * A `lookup` for one connection: resolves the name once, refuses it when any of its addresses is forbidden, and gives the
 * addresses it has checked to the socket, which asks nobody else.
 */
export function guardedLookup(rules: AddressRules, resolve: Resolve): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) callback(Object.assign(new Error('No address.'), { code: 'ENOTFOUND' }), '');
        else if (addresses.some(({ address }) => isForbiddenAddress(address, rules)))
          callback(new ForbiddenTarget('The name leads to a forbidden address.'), '');
        else if (options.all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => {
        callback(error as NodeJS.ErrnoException, '');
      },
    );
  };
}

function isPublicHost(host: string, rules: AddressRules): boolean {
  if (isIP(host) !== 0) return !isForbiddenAddress(host, rules);
  const name = host.replace(/\.$/u, '');
  if (rules.allowLocal && localName.test(name)) return true;
  return name.includes('.') && !privateNames.test(name);
}

/** The addresses, or none when the name does not resolve in time. */
async function within(ms: number, resolving: Promise<readonly ResolvedAddress[]>): Promise<readonly ResolvedAddress[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly ResolvedAddress[]>((done) => {
    timer = setTimeout(done, ms, []);
  });
  return Promise.race([resolving.catch(() => []), late]).finally(() => {
    clearTimeout(timer);
  });
}
