/**
 * What a configuration would send over a network in the clear, or tell strangers wrongly. A node that only this machine reaches may do
 * so; any other is refused its start, or, with INSECURE, says so in its log.
 */
import { isLoopback } from './values.ts';

/** What of a configuration counts. */
interface Exposed {
  readonly host: string;
  readonly baseUrl: string | undefined;
  readonly smtpUrl: string | undefined;
  readonly grpcPort: number | undefined;
  readonly grpcTls: object | undefined;
  readonly natsUrls: readonly string[] | undefined;
}

/** One sentence for each fault, which names the variable that repairs it. Empty: there is none, or only this machine reaches the node. */
export function findExposures(config: Exposed): readonly string[] {
  if (isLoopback(config.host)) return [];
  const faults: string[] = [];
  if (config.baseUrl === undefined) {
    faults.push(
      'BASE_URL is required where HOST is not loopback: links in mails and documents would lead nowhere',
    );
  } else if (!config.baseUrl.startsWith('https:')) {
    faults.push('BASE_URL wants https where HOST is not loopback: the refresh cookie is Secure only then');
  }
  if (config.smtpUrl === undefined) {
    faults.push('SMTP_URL is required where HOST is not loopback: mails are otherwise only written to files');
  }
  if (config.grpcPort !== undefined && config.grpcTls === undefined) {
    faults.push(
      'GRPC_TLS_CERT and GRPC_TLS_KEY, or GRPC_PORT=off, are required where HOST is not loopback: service tokens would travel in the clear',
    );
  }
  const open = (config.natsUrls ?? []).filter(isOpenNats);
  if (open.length > 0) {
    faults.push(
      'NATS_URL wants tls:// or credentials for servers on other machines: whoever reaches them could give orders to the cluster',
    );
  }
  return faults;
}

function isOpenNats(text: string): boolean {
  const url = URL.parse(text.includes('://') ? text : `nats://${text}`);
  return url !== null && !isLoopback(url.hostname) && url.protocol !== 'tls:' && url.username === '';
}
