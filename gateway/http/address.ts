/** Who is calling, as an IP address in text. */
import { isIP } from 'node:net';

/** The binary form of an address (4 or 16 bytes, network order) as text; IPv4 within IPv6 is shown as IPv4. */
export function addressText(binary: ArrayBuffer): string {
  const bytes = new Uint8Array(binary);
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return '';
  const mapped = bytes.subarray(0, 10).every(byte => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  if (mapped) return bytes.subarray(12).join('.');
  const groups: string[] = [];
  for (let i = 0; i < 16; i += 2) groups.push((((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0)).toString(16));
  return groups.join(':');
}

/**
 * The client's address when `proxies` reverse proxies of ours stand before this server, each appending the address it
 * saw to X-Forwarded-For: the entry that the outermost of them wrote. What stands further left was sent by the client
 * and proves nothing. Falls back to the connection's peer.
 */
export function forwardedAddress(peer: string, forwardedFor: string, proxies: number): string {
  if (proxies === 0 || forwardedFor === '') return peer;
  const entry = forwardedFor.split(',').at(-proxies)?.trim() ?? '';
  return isIP(entry) === 0 ? peer : entry;
}
