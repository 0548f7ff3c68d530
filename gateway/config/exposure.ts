/**
 * Finds what a configuration sends over a network in the clear, and settings without which a public node misleads its users. A node that
 * only its own machine reaches may start with them. Any other node refuses to start, or logs a warning for each one that INSECURE permits.
 */
import { isLoopback } from './values.ts';

/** Settings that decide who reaches the node. */
interface Reachable {
  readonly host: string;
  readonly baseUrl: string | undefined;
  readonly trustedProxies: number | readonly string[];
}

/** Settings that can be an exposure. */
interface Exposed extends Reachable {
  readonly smtpUrl: string | undefined;
  readonly grpcPort: number | undefined;
  readonly grpcTls: object | undefined;
  readonly natsUrls: readonly string[] | undefined;
  readonly databaseUrl: string | undefined;
}

/** A fault that INSECURE can permit. */
export interface Exposure {
  /** Variable that repairs it. */
  readonly name: string;
  /** One sentence, which begins with the variable. */
  readonly text: string;
}

/** Returns whether other machines reach the node through a proxy: trusted proxies or a public BASE_URL say so. */
export function isBehindProxy({ baseUrl, trustedProxies }: Omit<Reachable, 'host'>): boolean {
  return trustedProxies !== 0 || (baseUrl !== undefined && !isLoopback(new URL(baseUrl).hostname));
}

/** Returns whether only this machine reaches the node. A proxy on the same machine connects to a loopback HOST, too. */
export function isLocalOnly({ host, ...reachable }: Reachable): boolean {
  return isLoopback(host) && !isBehindProxy(reachable);
}

/** Returns the exposures of a configuration; none for a node that only its own machine reaches. */
export function findExposures(config: Exposed): readonly Exposure[] {
  if (isLocalOnly(config)) return [];
  const found: Exposure[] = [];
  const add = (name: string, rest: string): void => {
    found.push({ name, text: `${name} ${rest}` });
  };
  if (config.baseUrl === undefined) {
    add('BASE_URL', 'is required where other machines reach the node: links in mails and documents need it');
  } else if (!config.baseUrl.startsWith('https:')) {
    add(
      'BASE_URL',
      'wants https where other machines reach the node: the refresh cookie is Secure only then',
    );
  }
  if (config.smtpUrl === undefined) {
    add(
      'SMTP_URL',
      'is required where other machines reach the node: without it, mails are only written to files',
    );
  }
  if (config.grpcPort !== undefined && config.grpcTls === undefined) {
    add(
      'GRPC_TLS_CERT',
      'and GRPC_TLS_KEY, or GRPC_PORT=off, are required where other machines reach the node: service tokens would travel in the clear',
    );
  }
  if (isOpenNats(config.natsUrls ?? [])) {
    add(
      'NATS_URL',
      'wants tls:// and credentials for servers on other machines: without them, the network between can read and send the commands of the cluster',
    );
  }
  if (config.databaseUrl !== undefined && isOpenDatabase(new URL(config.databaseUrl))) {
    add(
      'DATABASE_URL',
      'wants sslmode=verify-full for a server on another machine: without TLS, the network between can read and change every row',
    );
  }
  return found;
}

/** The node uses TLS for all servers if one address has `tls:`, and the first credentials for all. */
function isOpenNats(urls: readonly string[]): boolean {
  const parsed = urls.map(url => new URL(url));
  const isRemote = parsed.some(({ hostname }) => !isLoopback(hostname));
  const isProtected =
    parsed.some(({ protocol }) => protocol === 'tls:') && parsed.some(({ username }) => username !== '');
  return isRemote && !isProtected;
}

/**
 * Reads the parameters as pg does: `host` wins over the authority, a path is a socket, and every sslmode but `disable` and `no-verify`
 * verifies the certificate. With `uselibpqcompat`, only `verify-ca` and `verify-full` do.
 */
function isOpenDatabase({ hostname, searchParams }: URL): boolean {
  const host = searchParams.get('host') ?? hostname;
  if (/^(\/|%2f|$)/i.test(host) || isLoopback(host)) return false;
  const mode = searchParams.get('sslmode');
  if (mode === null) return !['true', '1'].includes(searchParams.get('ssl') ?? '');
  const verifying = ['verify-ca', 'verify-full'];
  if (searchParams.get('uselibpqcompat') !== 'true') verifying.push('prefer', 'require');
  return !verifying.includes(mode);
}
