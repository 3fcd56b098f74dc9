import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import type { AddressRules } from './forbidden-addresses.ts';
import { isForbiddenAddress } from './forbidden-addresses.ts';

/**
 * Which URLs may be called: checked when a partner registers one, and again at every connection, because a name can
 * resolve to another address by then.
 */

export type ResolvedAddress = { readonly address: string; readonly family: number };
/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;
type CheckedUrl = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly because: string };

const maxUrlLength = 2048;
/** A receiver listens on the port of https or on its usual second one; others belong to other protocols. */
const allowedPorts = new Set(['', '443', '8443']);
/** Names that never lead to a public host (RFC 6761, RFC 6762, RFC 8375, ICANN's reservation of `internal`). */
const privateNames = /(^|\.)(localhost|local|internal|home\.arpa)$/u;
const localName = /(^|\.)localhost$/u;
const registrationResolveMs = 2000;

export const systemResolve: Resolve = (host) => lookup(host, { all: true });

/** A partner's address that must not be called; the sender recognizes the error by its class. */
export class ForbiddenTarget extends Error {
  override readonly name = 'ForbiddenTarget';
}

/**
 * What a URL says by itself: `https`, a public host, port 443 or 8443, no user info. With `allowLocal` also plain
 * `http`, any port, and loopback. `because` is a sentence for the partner.
 */
export function checkUrl(text: string, rules: AddressRules): CheckedUrl {
  const no = (because: string): CheckedUrl => ({ ok: false, because });
  if (text.length > maxUrlLength) return no(`Must have at most ${String(maxUrlLength)} characters.`);
  // The URL parser drops or converts these, so that the URL that is called would not be the one that was registered.
  if (/[\s\\\p{Cc}]/u.test(text)) return no('Must be an absolute URL.');
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && !(rules.allowLocal && url?.protocol === 'http:'))
    return no(schemeAdvice(text, rules));
  if (url.username !== '' || url.password !== '') return no('Must not contain user name or password.');
  if (!isPublicHost(hostOf(url), rules)) return no('Must lead to a public host.');
  return rules.allowLocal || allowedPorts.has(url.port) ? { ok: true, url } : no('Must use port 443 or 8443.');
}

/** How to write a URL with a scheme that may be called; the scheme of `localhost:4000` is `localhost`. */
function schemeAdvice(text: string, rules: AddressRules): string {
  if (!rules.allowLocal) return 'Must be a URL that begins with https:// and leads to a public host.';
  const meant = `http://${text}`;
  return URL.canParse(meant) && isLocalHost(hostOf(new URL(meant)))
    ? `Must begin with http:// or https://, as ${meant}.`
    : 'Must be a URL that begins with https://, or http:// in this environment.';
}

/**
 * Why a partner may not register this URL, if it may not. A name that resolves to a forbidden address is refused; one
 * that does not resolve yet is accepted, because every connection checks it again.
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
 * A `lookup` for one connection: resolves the name once, refuses it when any of its addresses is forbidden, and gives
 * the checked addresses to the socket, which makes no lookup of its own.
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
        // A `lookup` passes on whatever the resolver rejects with.
        callback(error as NodeJS.ErrnoException, '');
      },
    );
  };
}

function isLocalHost(host: string): boolean {
  if (isIP(host) === 0) return localName.test(host.replace(/\.$/u, ''));
  return isForbiddenAddress(host, { allowLocal: false }) && !isForbiddenAddress(host, { allowLocal: true });
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
