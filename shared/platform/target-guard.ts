import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { badRequest } from '#shared/core/errors.ts';
import ipaddr from 'ipaddr.js';

/*
 * Which URLs the service may call. Checked at registration and again at every connection: a name can resolve to another
 * address by then.
 */

export type ResolvedAddress = Readonly<LookupAddress>;
/** Addresses of a host name. The signal ends the look-up. */
export type Resolve = (host: string, signal?: AbortSignal) => Promise<readonly ResolvedAddress[]>;
type CheckedUrl = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly because: string };

const production: AddressRules = { allowLocal: false };
const notPublic = 'Must lead to a public host.';
const maxUrlLength = 2048;
/** The last of the well-known ports, which other protocols use. The URL parser omits the port of `https`. */
const lastReservedPort = 1023;
/** Names that never lead to a public host (RFC 6761, RFC 6762, RFC 8375, ICANN's reservation of `internal`). */
const privateNames = /(^|\.)(localhost|local|internal|home\.arpa)$/u;
const localName = /(^|\.)localhost$/u;
/** Time limit of a whole look-up, whatever the name servers do. */
const resolveMs = 2000;

/**
 * Returns a look-up that queries these name servers, or those of the system if none are given. It does not use
 * `dns.lookup`, which occupies one of a few threads even after its caller has given up: two silent name servers would
 * block all other look-ups. It looks for an IPv6 address only if the name has no IPv4 address.
 */
export function resolver(nameServers: readonly string[] = []): Resolve {
  return async (host, signal) => {
    if (localName.test(host.replace(/\.$/u, ''))) return withFamily(['127.0.0.1', '::1']);
    const asking = new Resolver({ timeout: resolveMs, tries: 1 });
    if (nameServers.length > 0) asking.setServers(nameServers);
    const stop = (): void => {
      asking.cancel();
    };
    for (const end of [AbortSignal.timeout(resolveMs), signal]) end?.addEventListener('abort', stop, { once: true });
    const found = await asking.resolve4(host).catch((error: unknown) => {
      // The name exists but has no IPv4 address.
      if (codeOf(error) === 'ENODATA') return asking.resolve6(host);
      throw error;
    });
    return withFamily(found);
  };
}

function withFamily(addresses: readonly string[]): readonly ResolvedAddress[] {
  return addresses.map((address) => ({ address, family: isIP(address) }));
}

/** Returns the code of a Node error; empty for an error without a code. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The target is a forbidden address. */
export class ForbiddenTarget extends Error {
  override readonly name = 'ForbiddenTarget';
}

/**
 * Checks a URL by its text: `https`, a public host, port 443 or one above 1023, no user info. With `allowLocal` also
 * `http`, any port, and loopback. `because`: a sentence for the partner.
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
  if (!isPublicHost(hostOf(url), rules)) return no(notPublic);
  const isAllowed = rules.allowLocal || url.port === '' || Number(url.port) > lastReservedPort;
  return isAllowed ? { ok: true, url } : no('Must use port 443 or one above 1023.');
}

/** Advises on the scheme of a URL. The parser takes `localhost` for the scheme of `localhost:4000`. */
function schemeAdvice(text: string, rules: AddressRules): string {
  if (!rules.allowLocal) return 'Must be a URL that begins with https:// and leads to a public host.';
  const httpUrl = URL.parse(`http://${text}`);
  const isLocal =
    httpUrl !== null && isPublicHost(hostOf(httpUrl), rules) && !isPublicHost(hostOf(httpUrl), production);
  return isLocal
    ? `Must begin with http:// or https://, as http://${text}.`
    : 'Must be a URL that begins with https://, or http:// in this environment.';
}

/**
 * Why a partner may not register this URL; undefined if it may. A name that does not resolve yet is valid: every
 * connection checks it again.
 */
export async function checkTarget(
  text: string,
  rules: AddressRules,
  resolve = resolver(),
): Promise<string | undefined> {
  const checked = checkUrl(text, rules);
  if (!checked.ok) return checked.because;
  const host = hostOf(checked.url);
  if (isIP(host) !== 0) return undefined;
  const addresses = await resolve(host).catch(() => []);
  return addresses.some(({ address }) => isForbiddenAddress(address, rules)) ? notPublic : undefined;
}

/** The host of a URL for a socket: an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/u, '$1');
}

/** Returns the port of a URL. A parsed URL omits the default port of its protocol. */
export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/**
 * A `lookup` for one connection that takes all addresses (`autoSelectFamily`). It resolves the name once and fails if
 * any address is forbidden; the socket gets the checked addresses and makes no lookup of its own.
 */
export function guardedLookup(rules: AddressRules, resolve: Resolve, signal?: AbortSignal): LookupFunction {
  const checked = async (host: string): Promise<LookupAddress[]> => {
    const addresses = await resolve(host, signal);
    if (addresses.length === 0) throw Object.assign(new Error('The host name has no address.'), { code: 'ENOTFOUND' });
    if (addresses.some(({ address }) => isForbiddenAddress(address, rules)))
      throw new ForbiddenTarget('The host name resolves to a forbidden address.');
    return [...addresses];
  };
  return (host, _options, callback) => {
    callbackify(checked)(host, callback);
  };
}

function isPublicHost(host: string, rules: AddressRules): boolean {
  if (isIP(host) !== 0) return !isForbiddenAddress(host, rules);
  const name = host.replace(/\.$/u, '');
  if (rules.allowLocal && localName.test(name)) return true;
  return name.includes('.') && !privateNames.test(name);
}

/*
 * Forbidden: addresses that are not public (IANA's special-purpose registries, RFC 6890), and IPv6 addresses with an
 * IPv4 address inside. Among them are the metadata service (169.254.169.254) and Lambda's runtime API (127.0.0.1).
 */

/** The public ranges of ipaddr.js, which names every special one. AS112 and AMT are special, but global. */
const publicV4 = new Set(['unicast', 'as112', 'amt']);
/** The global unicast space: every IPv6 address outside it is forbidden. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** Forbidden inside it: IETF protocol assignments (with Teredo and ORCHID), documentation, 6to4, documentation. */
const forbiddenV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);

/** A local environment allows loopback addresses, but no other address that is not public. */
export type AddressRules = { readonly allowLocal: boolean };

/** Whether an address is forbidden. A text that is no address is forbidden too. */
export function isForbiddenAddress(text: string, rules: AddressRules): boolean {
  if (!ipaddr.isValid(text)) return true;
  // An IPv6 address that wraps an IPv4 one (`::ffff:a.b.c.d`) counts as the IPv4 address.
  const address = ipaddr.process(text);
  if (address.range() === 'loopback') return !rules.allowLocal;
  if (address instanceof ipaddr.IPv4) return !publicV4.has(address.range());
  // ISATAP (RFC 5214, 6.1): an interface identifier `0000:5efe` or `0200:5efe` and an IPv4 address, any prefix.
  const [, , , , flags, identifier] = address.parts;
  if ((flags === 0 || flags === 0x200) && identifier === 0x5efe) return true;
  return !address.match(globalUnicast) || forbiddenV6.some((range) => address.match(range));
}

type LocalTargets = { readonly allowLocalTargets: boolean };

/** Requires a URL that may be called. @throws RequestError INVALID_VALUE (400) on its field, with the reason. */
export async function requireCallableUrl(field: string, url: string, options: LocalTargets): Promise<void> {
  const reason = await checkTarget(url, { allowLocal: options.allowLocalTargets });
  if (reason !== undefined) throw badRequest(field, 'INVALID_VALUE', reason);
}
