import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { badRequest } from '#shared/core/errors.ts';
import ipaddr from 'ipaddr.js';

/*
 * Which URLs the service may call. Checked at registration and again at every connection: a name can resolve to another
 * address by then.
 */

export type ResolvedAddress = { readonly address: string; readonly family: number };
/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;
type CheckedUrl = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly because: string };

const maxUrlLength = 2048;
/** The port of https and its usual second one: others belong to other protocols. */
const allowedPorts = new Set(['', '443', '8443']);
/** Names that never lead to a public host (RFC 6761, RFC 6762, RFC 8375, ICANN's reservation of `internal`). */
const privateNames = /(^|\.)(localhost|local|internal|home\.arpa)$/u;
const localName = /(^|\.)localhost$/u;
const registrationResolveMs = 2000;

export const systemResolve: Resolve = (host) => lookup(host, { all: true });

/** The target is a forbidden address. */
export class ForbiddenTarget extends Error {
  override readonly name = 'ForbiddenTarget';
}

/**
 * Checks a URL by its text: `https`, a public host, port 443 or 8443, no user info. With `allowLocal` also `http`, any
 * port, and loopback. `because`: a sentence for the partner.
 */
export function checkUrl(text: string, rules: AddressRules): CheckedUrl {
  const no = (because: string): CheckedUrl => ({ ok: false, because });
  if (text.length > maxUrlLength) return no(`Must have at most ${String(maxUrlLength)} characters.`);
  // The URL parser drops or converts these: the sender would call another URL than the registered one.
  if (/[\s\\\p{Cc}]/u.test(text)) return no('Must be an absolute URL.');
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && !(rules.allowLocal && url?.protocol === 'http:'))
    return no(schemeAdvice(text, rules));
  if (url.username !== '' || url.password !== '') return no('Must not contain user name or password.');
  if (!isPublicHost(hostOf(url), rules)) return no('Must lead to a public host.');
  return rules.allowLocal || allowedPorts.has(url.port) ? { ok: true, url } : no('Must use port 443 or 8443.');
}

/** How to write an allowed scheme; the scheme of `localhost:4000` is `localhost`. */
function schemeAdvice(text: string, rules: AddressRules): string {
  if (!rules.allowLocal) return 'Must be a URL that begins with https:// and leads to a public host.';
  const meant = `http://${text}`;
  return URL.canParse(meant) && isLocalHost(hostOf(new URL(meant)))
    ? `Must begin with http:// or https://, as ${meant}.`
    : 'Must be a URL that begins with https://, or http:// in this environment.';
}

/**
 * Why a partner may not register this URL; undefined if it may. A name that does not resolve yet is valid: every
 * connection checks it again.
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

/** The host of a URL for a socket: an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/u, '$1');
}

/**
 * A `lookup` for one connection. It resolves the name once and fails if any address is forbidden; the socket gets the
 * checked addresses and makes no lookup of its own.
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
        // A `lookup` passes on any error of the resolver.
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

/** The addresses; none if the name does not resolve in time. */
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
 * Forbidden: addresses that are not public (IANA's special-purpose registries, RFC 6890), and IPv6 addresses with an
 * IPv4 address inside. Among them are the metadata service (169.254.169.254) and Lambda's runtime API (127.0.0.1).
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

/** Inside the global unicast space; every address outside it is forbidden. */
const forbiddenV6 = [
  // IETF protocol assignments, Teredo (2001::/32) and ORCHID among them.
  '2001::/23',
  '2001:db8::/32',
  // 6to4.
  '2002::/16',
  '3fff::/20',
].map((range) => ipaddr.IPv6.parseCIDR(range));
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** A local environment allows loopback, and nothing else. */
export type AddressRules = { readonly allowLocal: boolean };

/** Whether an address is forbidden. A text that is no address is forbidden too. */
export function isForbiddenAddress(text: string, rules: AddressRules): boolean {
  const address = parse(text);
  if (address === undefined) return true;
  if (address.range() === 'loopback') return !rules.allowLocal;
  if (address instanceof ipaddr.IPv4) return forbiddenV4.some((range) => address.match(range));
  return !address.match(globalUnicast) || isIsatap(address) || forbiddenV6.some((range) => address.match(range));
}

/** An IPv6 address that wraps an IPv4 one (`::ffff:a.b.c.d`) counts as that. */
function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  try {
    return ipaddr.process(text);
  } catch {
    return undefined;
  }
}

/** ISATAP (RFC 5214, 6.1): an interface identifier `0000:5efe` or `0200:5efe` and an IPv4 address, any prefix. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;
}

/**
 * Requires a URL that this service may call. @throws RequestError INVALID_VALUE (400) on its field, with the reason.
 */
export async function requireCallableUrl(
  field: string,
  url: string,
  { allowLocalTargets }: { readonly allowLocalTargets: boolean },
): Promise<void> {
  const fault = await checkTarget(url, { allowLocal: allowLocalTargets });
  if (fault !== undefined) throw badRequest(field, 'INVALID_VALUE', fault);
}
