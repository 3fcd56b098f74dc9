import ipaddr from 'ipaddr.js';

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
