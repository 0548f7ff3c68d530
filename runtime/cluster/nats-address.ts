/** What the addresses of NATS_URL say: where the servers are, and as whom to speak to them. */

export interface NatsAddress {
  /** `host:port`, without credentials: may be logged. */
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  /** TLS or nothing: an address began with `tls://`. */
  readonly tls: boolean;
}

/**
 * Reads addresses such as `nats://host`, `nats://user:password@host:4222`, `tls://token@host`; the port is 4222 by default. The first
 * credentials count for all. Throws a `TypeError` that does not quote the address.
 */
export function natsAddress(urls: readonly string[]): NatsAddress {
  const parsed = urls.map(url => {
    if (!URL.canParse(url) || new URL(url).hostname === '')
      throw new TypeError('not the address of a NATS server');
    return new URL(url);
  });
  if (parsed.length === 0) throw new TypeError('no address of a NATS server');
  const { username, password } = parsed.find(url => url.username !== '') ?? { username: '', password: '' };
  const name = decodeURIComponent(username);
  return {
    servers: parsed.map(({ hostname, port }) => `${hostname}:${port === '' ? '4222' : port}`),
    ...(name !== '' && password === '' && { token: name }),
    ...(name !== '' && password !== '' && { user: name, pass: decodeURIComponent(password) }),
    tls: parsed.some(({ protocol }) => protocol === 'tls:'),
  };
}
