/** Every environment variable that configures the process (design section 7): the table that `config.ts` reads by. */
import {
  address,
  anyText,
  domain,
  host,
  listOf,
  mediaPlace,
  oneOf,
  origin,
  rateLimits,
  secretKeys,
  token,
  tokenKeys,
  truth,
  whole,
} from './config-values.ts';

export interface Variable<Value> {
  /** Undefined: the text is not what the variable wants. */
  readonly read: (text: string) => Value | undefined;
  /** Completes "wants ...". */
  readonly wants: string;
  /** The default, in words. */
  readonly fallback: string;
  readonly meaning: string;
  /** Its value never appears in a message. */
  readonly secret?: boolean;
}

const port = whole(0, 65_535);
const web = address('http', 'https');

export const variables = {
  HOST: {
    read: host,
    wants: 'an IP address or a host name',
    fallback: '127.0.0.1 with the embedded database, else 0.0.0.0',
    meaning: 'address to listen on: REST, websockets, web apps, gRPC',
  },
  PORT: { read: port, wants: 'a port, 0 to 65535', fallback: '8080', meaning: 'REST, websockets, web apps' },
  GRPC_PORT: { read: port, wants: 'a port, 0 to 65535', fallback: '9090', meaning: 'gRPC, on the same host' },
  SERVICE_TOKENS: {
    read: listOf(token),
    wants: 'tokens of 24 to 256 visible ASCII characters, with commas between',
    fallback: 'none: gRPC refuses all but mTLS',
    meaning: 'tokens of internal services',
    secret: true,
  },
  GRPC_TLS_CERT: {
    read: anyText,
    wants: 'a file',
    fallback: 'none: plain',
    meaning: 'gRPC server certificate',
  },
  GRPC_TLS_KEY: { read: anyText, wants: 'a file', fallback: 'none', meaning: 'its private key' },
  GRPC_TLS_CA: {
    read: anyText,
    wants: 'a file',
    fallback: 'none: no mTLS',
    meaning: 'authority whose client certificates gRPC accepts',
  },
  BASE_URL: {
    read: origin,
    wants: 'an http or https address without a path',
    fallback: 'from HOST and PORT',
    meaning: 'public address',
  },
  DOCS_URL: {
    read: web,
    wants: 'an http or https address',
    fallback: '{BASE_URL}/docs',
    meaning: 'documentation that errors point to',
  },
  TRUSTED_PROXIES: {
    read: whole(0, 16),
    wants: 'a number from 0 to 16',
    fallback: '0',
    meaning: 'reverse proxies of yours before this server that append to X-Forwarded-For',
  },
  DATA_DIR: {
    read: anyText,
    wants: 'a folder',
    fallback: './.skein',
    meaning: 'embedded database, keys, media, mail',
  },
  DATABASE_URL: {
    read: address('postgres', 'postgresql'),
    wants: 'a postgres:// address',
    fallback: 'embedded PostgreSQL under DATA_DIR',
    meaning: 'PostgreSQL 15 to 18',
    secret: true,
  },
  NATS_URL: {
    read: listOf(address('nats', 'tls')),
    wants: 'nats:// or tls:// addresses, with commas between',
    fallback: 'none: this node alone',
    meaning: 'NATS with JetStream; makes this node one of a cluster',
    secret: true,
  },
  CLUSTER: {
    read: text => (/^[a-z0-9-]{1,32}$/.test(text) ? text : undefined),
    wants: '1 to 32 lower-case letters, digits and hyphens',
    fallback: 'skein',
    meaning: 'name that tells clusters on one NATS apart',
  },
  SECRET_KEYS: {
    read: secretKeys,
    wants: 'kid:base64,kid:base64 with 32 bytes each',
    fallback: 'made under DATA_DIR; required with NATS_URL',
    meaning: 'keys that secrets are encrypted with, newest first',
    secret: true,
  },
  TOKEN_KEYS: {
    read: tokenKeys,
    wants: 'kid:base64,kid:base64 with 32 bytes each',
    fallback: 'made under DATA_DIR; required with NATS_URL',
    meaning: 'Ed25519 seeds that sign access tokens, newest first',
    secret: true,
  },
  SMTP_URL: {
    read: address('smtp', 'smtps'),
    wants: 'an smtp:// or smtps:// address',
    fallback: 'none: .eml files under DATA_DIR/mail',
    meaning: 'mail server',
    secret: true,
  },
  MAIL_FROM: {
    read: text => (/^[^\r\n]*@[^\r\n]+$/.test(text) ? text : undefined),
    wants: 'an e-mail address',
    fallback: 'Skein <skein@localhost>',
    meaning: 'sender of mail',
  },
  MEDIA_URL: {
    read: mediaPlace,
    wants: 'a folder or s3://bucket/prefix',
    fallback: 'DATA_DIR/media',
    meaning: 'where media is kept',
  },
  SIGNUP: {
    read: oneOf(['open', 'disabled']),
    wants: 'open or disabled',
    fallback: 'open',
    meaning: 'who may sign up',
  },
  EMAIL_DOMAINS: {
    read: listOf(domain),
    wants: 'domain names, with commas between',
    fallback: 'all',
    meaning: 'domains whose addresses may sign up',
  },
  ALLOW_PRIVATE_ADDRESSES: {
    read: truth,
    wants: 'true or false',
    fallback: 'false; with the embedded database, loopback only',
    meaning: 'whether webhooks and tools may call private addresses',
  },
  RATE_LIMITS: {
    read: rateLimits,
    wants: 'on, off, or JSON such as {"read":2400}',
    fallback: 'on',
    meaning: 'requests per minute by class (message: per second)',
  },
  GRAPH_API_URL: {
    read: web,
    wants: 'an http or https address',
    fallback: "the provider's",
    meaning: 'chat provider',
  },
  LLM_PROVIDER_1_URL: {
    read: web,
    wants: 'an http or https address',
    fallback: "the provider's",
    meaning: 'model provider 1',
  },
  LLM_PROVIDER_2_URL: {
    read: web,
    wants: 'an http or https address',
    fallback: "the provider's",
    meaning: 'model provider 2',
  },
  LLM_PROVIDER_3_URL: {
    read: web,
    wants: 'an http or https address',
    fallback: "the provider's",
    meaning: 'model provider 3',
  },
  LOG_LEVEL: {
    read: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    wants: 'fatal, error, warn, info, debug, trace or silent',
    fallback: 'info',
    meaning: 'least level that is logged',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    read: web,
    wants: 'an http or https address',
    fallback: 'none: no traces',
    meaning: 'OpenTelemetry collector',
  },
} as const satisfies Record<string, Variable<unknown>>;
