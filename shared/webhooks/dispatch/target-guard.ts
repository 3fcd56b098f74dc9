import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { wrong } from '#shared/core/errors.ts';
import ipaddr from 'ipaddr.js';

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

/**
 * Addresses that no partner's endpoint has: those that are not public (IANA's special-purpose registries, RFC 6890),
 * and IPv6 addresses with an IPv4 address inside. A service that calls addresses which others choose must not reach
 * them: among them are the metadata service (169.254.169.254) and Lambda's runtime API (127.0.0.1).
 */
const forbiddenV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map((range) => ipaddr.IPv4.parseCIDR(range));

/** Inside the global unicast space; outside it nothing is allowed. */
const forbiddenV6 = [
  // IETF protocol assignments, Teredo (2001::/32) and ORCHID among them.
  '2001::/23',
  '2001:db8::/32',
  // 6to4.
  '2002::/16',
  '3fff::/20',
].map((range) => ipaddr.IPv6.parseCIDR(range));
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Loopback is the one thing that a local environment may allow. */
export type AddressRules = { readonly allowLocal: boolean };

/** Whether an address, as text, must not be called. What is not an address must not be called either. */
export function isForbiddenAddress(text: string, rules: AddressRules): boolean {
  const address = parse(text);
  if (address === undefined) return true;
  if (address.range() === 'loopback') return !rules.allowLocal;
  if (address instanceof ipaddr.IPv4) return forbiddenV4.some((range) => address.match(range));
  return !address.match(globalUnicast) || isIsatap(address) || forbiddenV6.some((range) => address.match(range));
}

/** An IPv6 address that only wraps an IPv4 one (`::ffff:a.b.c.d`) counts as that. */
function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  try {
    return ipaddr.process(text);
  } catch {
    return undefined;
  }
}

/**
 * ISATAP (RFC 5214, 6.1): an interface identifier of `0000:5efe` or `0200:5efe` and an IPv4 address, under any prefix.
 */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;
}

/**
 * Demands that a URL may be called by this service.
 * @throws Refusal INVALID_VALUE (400) on the field that holds the URL, saying why it may not.
 */
export async function requireCallableUrl(
  field: string,
  url: string,
  { allowLocalTargets }: { readonly allowLocalTargets: boolean },
): Promise<void> {
  const fault = await checkTarget(url, { allowLocal: allowLocalTargets });
  if (fault !== undefined) throw wrong(field, 'INVALID_VALUE', fault);
}
