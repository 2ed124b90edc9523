/** Addresses that a request on behalf of somebody else may go to: those of the public internet, and no others. */
import { BlockList, isIP, isIPv6 } from 'node:net';
import { Resolver } from 'node:dns/promises';

const internal = new BlockList();
for (const [network, bits] of [
  // IANA's registry of special-purpose addresses, RFC 6890
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
  ] as const),
  ...([
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
  ] as const),
  ...([
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
  ] as const),
  ...([
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ] as const),
] as const)
  internal.addSubnet(network, bits, 'ipv4');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
const special6 = new BlockList();
for (const [network, bits] of [
  ...([
    ['2001::', 23],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['3fff::', 20],
  ] as const),
] as const)
  special6.addSubnet(network, bits, 'ipv6');

/** Whether an IP address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  if (!isIPv6(address)) return !internal.check(address, 'ipv4');
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
}

/** Names that only machines of one network know (RFC 6761, RFC 6762, RFC 8375, and ICANN's `internal`). */
const LOCAL_NAMES = /(^|\.)(localhost|local|internal|home\.arpa|lan|intranet|test|invalid)$/;

/** Whether the host of an address could be one of the public internet. Asks no DNS: what a name leads to is looked at when it is used. */
export function mayBePublic(hostname: string): boolean {
  const bare = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (isIP(bare) !== 0) return isPublicAddress(bare);
  return bare.includes('.') && !LOCAL_NAMES.test(bare);
}

/** Asks by sockets: the look-up of the machine would hold one of the few threads of the process while a stranger's name server is slow. */
const resolver = new Resolver({ timeout: 2_000, tries: 2 });

/** One public address of a host, to connect to just that one: a second look-up could answer another. Throws if any of its addresses is not public. */
export async function publicAddressOf(hostname: string): Promise<{ address: string; family: number }> {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (!mayBePublic(bare)) throw new NotPublic(SAYS);
  const found = isIP(bare) === 0 ? await addressesOf(bare) : [bare];
  const [first] = found;
  if (first === undefined || !found.every(isPublicAddress)) throw new NotPublic(SAYS);
  return { address: first, family: isIP(first) };
}

const SAYS = 'the host does not lead to the public internet';

/** Of both families, as far as a name server answers. Throws if it answers for neither. */
async function addressesOf(name: string): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const known = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const [first] = answers;
  if (known.length === 0 && first.status === 'rejected') throw first.reason;
  return known;
}

/** The host leads somewhere into a network of ours. */
export class NotPublic extends Error {
  override readonly name = 'NotPublic';
}
