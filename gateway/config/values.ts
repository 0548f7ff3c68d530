/** Parsers of configuration values: each returns undefined for a text that it does not accept. */
import { isIP } from 'node:net';
import { isEmailAddress } from '../../protocol/formats.ts';
import { KeyRing } from '../../storage/secrets/index.ts';
import { parseServiceToken, parseTokenKeys, type ServiceToken } from '../auth/index.ts';

/** An IP address or a host name, without a port. */
export function host(text: string): string | undefined {
  return isIP(text) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/.test(text) ? text : undefined;
}

/** `host:port`, an IPv6 address in brackets. */
export function hostAndPort(text: string): string | undefined {
  const [, bare, port = ''] = /^(.*):([0-9]+)$/.exec(text) ?? [];
  const bracketed = bare?.startsWith('[') === true && bare.endsWith(']');
  const isHost = bracketed
    ? isIP(bare.slice(1, -1)) === 6
    : bare !== undefined && isIP(bare) !== 6 && host(bare) !== undefined;
  return isHost && whole(1, 65_535)(port) !== undefined ? text : undefined;
}

/** An e-mail address. */
export function emailAddress(text: string): string | undefined {
  return isEmailAddress(text) ? text : undefined;
}

/** `address:port` of a name server, which goes by no name itself. */
export function nameServer(text: string): string | undefined {
  const bare = /^(.*):[0-9]+$/.exec(hostAndPort(text) ?? '')?.[1]?.replace(/^\[|\]$/g, '') ?? '';
  return isIP(bare) === 0 ? undefined : text;
}

/** Whether only this machine can reach the host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** A whole number within bounds. */
export function whole(min: number, max: number): (text: string) => number | undefined {
  return text => {
    const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : NaN;
    return value >= min && value <= max ? value : undefined;
  };
}

/** One of the words, spelled exactly so. */
export function choice<const Words extends readonly string[]>(
  words: Words,
): (text: string) => Words[number] | undefined {
  return text => words.find(word => word === text);
}

/** A number from 0 to 1. */
export function share(text: string): number | undefined {
  return /^(0|1|0?\.[0-9]{1,9}|1\.0{1,9})$/.test(text) ? Number(text) : undefined;
}

/** `name=value,name=value`, with percent-encoded values, as OpenTelemetry has them (W3C Baggage without properties). */
export function pairs(text: string): Readonly<Record<string, string>> | undefined {
  const found: Record<string, string> = {};
  for (const part of text.split(',')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(0, equals)).trim();
    if (!/^[\x21-\x7e]+$/.test(name)) return undefined;
    try {
      found[name] = decodeURIComponent(part.slice(equals + 1).trim());
    } catch {
      return undefined;
    }
  }
  return found;
}

/** `true`, `false`, or the names that are permitted, separated by commas. */
export function permitted(text: string): boolean | readonly string[] | undefined {
  return truth(text) ?? list(each => (/^[A-Z_]+$/.test(each) ? each : undefined))(text);
}

/** A number of proxies from 0 to 16, or their addresses and networks (`10.0.0.10,2001:db8::/64`). */
export function proxies(text: string): number | readonly string[] | undefined {
  return whole(0, 16)(text) ?? list(each => (isAddressOrNetwork(each) ? each : undefined))(text);
}

function isAddressOrNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || whole(0, family === 4 ? 32 : 128)(bits) !== undefined;
}

/** `true` or `false`. */
export function truth(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

/** What {@link name} accepts, in words. */
export const nameForm = '1 to 64 letters, digits, - and _';

/** A name that may be part of a NATS subject and of a key. */
export function name(text: string): string | undefined {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text) ? text : undefined;
}

/** Any text. */
export function anyText(text: string): string {
  return text;
}

/** An address with one of the schemes and a host. A slash at its end is dropped. */
export function address(...schemes: readonly string[]): (text: string) => string | undefined {
  return text => {
    const url = URL.parse(text);
    if (url === null || !schemes.includes(url.protocol.slice(0, -1)) || url.hostname === '') return undefined;
    return text.replace(/\/+$/, '');
  };
}

/** `https://host` or `http://host:port`, without a path, because routes and cookies are at the root. */
export function origin(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '') return undefined;
  return url.pathname === '/' && url.search === '' && url.hash === '' ? url.origin : undefined;
}

/** Values separated by commas, none of them empty. */
export function list<T>(item: (text: string) => T | undefined): (text: string) => readonly T[] | undefined {
  return text => {
    const items: T[] = [];
    for (const part of text.split(',')) {
      const value = part.trim() === '' ? undefined : item(part.trim());
      if (value === undefined) return undefined;
      items.push(value);
    }
    return items;
  };
}

/** A domain of two labels or more, in lower case. */
export function domain(text: string): string | undefined {
  return /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i.test(text) ? text.toLowerCase() : undefined;
}

/** A port, or `off`. */
export function portOrOff(text: string): number | 'off' | undefined {
  return text === 'off' ? 'off' : whole(0, 65_535)(text);
}

/** `name:token,name:token`. Two services cannot have the same token. */
export function serviceTokens(text: string): readonly ServiceToken[] | undefined {
  const tokens = list(parseServiceToken)(text);
  return tokens === undefined || new Set(tokens.map(({ token }) => token)).size < tokens.length
    ? undefined
    : tokens;
}

/** A text that `KeyRing` accepts. */
export function secretKeys(text: string): string | undefined {
  return parses(() => new KeyRing(text)) ? text : undefined;
}

/** A text that `parseTokenKeys` accepts. */
export function tokenKeys(text: string): string | undefined {
  return parses(() => parseTokenKeys(text)) ? text : undefined;
}

function parses(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
