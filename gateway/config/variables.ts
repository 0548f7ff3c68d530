/** The environment variables that configure a node. config.ts reads them, and docs/operate/configuration.md describes them. */
import { defaultGraph } from '../../actors/chatapp/index.ts';
import { defaultModelUrls } from '../../actors/run/models/index.ts';
import { maxShardCount } from '../../runtime/placement/index.ts';
import { parseMediaUrl } from '../../storage/media/index.ts';
import {
  address,
  anyText,
  domain,
  emailAddress,
  host,
  hostAndPort,
  list,
  name,
  nameForm,
  nameServer,
  choice,
  origin,
  pairs,
  permitted,
  portOrOff,
  proxies,
  secretKeys,
  serviceTokens,
  share,
  tokenKeys,
  truth,
  whole,
} from './values.ts';
import { samplers } from '../tracing/index.ts';
import { parseToken } from '../auth/index.ts';
import { faultInLimits, faultInRates, readLimits, readRates } from '../quota/index.ts';

export interface Variable<Value> {
  /** Undefined: the text is not accepted. */
  readonly read: (text: string) => Value | undefined;
  /** Completes "wants ...". */
  readonly wants: string;
  /** The default, in words. */
  readonly fallback: string;
  readonly meaning: string;
  /** What is wrong with a text that `read` does not accept, for values whose form does not fit into a few words. */
  readonly fault?: (text: string) => string;
  /** A condition that cannot be checked from the value alone. */
  readonly condition?: string;
  /** Its value never appears in a message. */
  readonly secret?: boolean;
}

const sameForDatabase = 'must be the same on every process that shares a database';

export const variables = {
  HOST: {
    read: host,
    wants: 'an IP address or a host name',
    fallback: '127.0.0.1 with the embedded database, else 0.0.0.0',
    meaning: 'address to listen on',
  },
  INSECURE: {
    read: permitted,
    wants: 'true, false, or names of variables, separated by commas',
    fallback: 'false: the start is refused',
    meaning: 'exposures that a public node may have: all, or those of the variables',
  },
  PORT: {
    read: whole(0, 65_535),
    wants: 'a port, 0 to 65535',
    fallback: '8080',
    meaning: 'REST and websockets',
  },
  GRPC_PORT: {
    read: portOrOff,
    wants: 'a port, 0 to 65535, or off',
    fallback: '9090',
    meaning: 'gRPC for internal services, on the same address',
  },
  GRPC_ADVERTISED_ADDRESS: {
    read: hostAndPort,
    wants: 'host:port, with an IPv6 address in brackets',
    fallback: 'none: answers do not name this node',
    meaning: 'where services reach the gRPC of this very node, for clients that choose the node',
    condition: 'no two nodes may have the same',
  },
  SERVICE_TOKENS: {
    read: serviceTokens,
    wants: 'name:token,name:token with tokens of 32 to 256 characters, each of one name',
    fallback: 'none: the node does not listen for gRPC',
    meaning: 'internal services and the tokens that they authenticate with',
    secret: true,
  },
  METRICS_TOKEN: {
    read: parseToken,
    wants: '32 to 256 visible characters',
    fallback: 'none: without a proxy, /metrics answers the loopback address only',
    meaning: 'bearer token for /metrics',
    secret: true,
  },
  GRPC_TLS_CERT: {
    read: anyText,
    wants: 'a PEM file',
    fallback: 'none: plaintext',
    meaning: 'certificate chain of gRPC',
    condition: 'wants GRPC_TLS_KEY',
  },
  GRPC_TLS_KEY: {
    read: anyText,
    wants: 'a PEM file',
    fallback: 'none: plaintext',
    meaning: 'private key of gRPC',
    condition: 'wants GRPC_TLS_CERT',
  },
  GRPC_TLS_CA: {
    read: anyText,
    wants: 'a PEM file',
    fallback: 'none: clients need no certificate',
    meaning: 'authorities that sign the certificates of gRPC clients (mutual TLS)',
    condition: 'wants GRPC_TLS_CERT and GRPC_TLS_KEY',
  },
  BASE_URL: {
    read: origin,
    wants: 'an http or https address without a path',
    fallback: 'from HOST and PORT',
    meaning: 'public address',
  },
  CORS_ORIGINS: {
    read: list(origin),
    wants: 'http or https origins without a path, separated by commas',
    fallback: 'none',
    meaning: 'pages of other origins that may call the API from a browser',
  },
  NAME_SERVERS: {
    read: list(nameServer),
    wants: 'name servers as address:port, separated by commas',
    fallback: 'those of the system',
    meaning: 'who is asked for the host names and domains that customers give',
  },
  DOCS_URL: {
    read: address('http', 'https'),
    wants: 'an http or https address',
    fallback: '{BASE_URL}/docs',
    meaning: 'documentation that errors link to',
  },
  TRUSTED_PROXIES: {
    read: proxies,
    wants: 'a number from 0 to 16, or addresses and networks, separated by commas',
    fallback: '0',
    meaning: 'trusted reverse proxies: how many, on private addresses, or which',
  },
  DATA_DIR: {
    read: anyText,
    wants: 'a folder',
    fallback: './.skein',
    meaning: 'embedded database, keys, mail, attachments',
  },
  MEDIA_URL: {
    read: parseMediaUrl,
    wants: 's3://bucket/prefix, with ?pathStyle=true if the server needs it, or file:///folder',
    fallback: 'a folder under DATA_DIR',
    meaning: 'where attachments are stored; S3 is configured by the AWS_ variables',
    condition: sameForDatabase,
  },
  DATABASE_URL: {
    read: address('postgres', 'postgresql'),
    wants: 'a postgres:// address',
    fallback: 'embedded PostgreSQL under DATA_DIR',
    meaning: 'PostgreSQL 15 to 18',
    secret: true,
  },
  NATS_URL: {
    read: list(address('nats', 'tls')),
    wants: 'nats:// or tls:// addresses, separated by commas',
    fallback: 'none: the node is not part of a cluster',
    meaning: 'NATS servers through which the nodes of a cluster find each other',
    condition: 'wants DATABASE_URL, SECRET_KEYS and TOKEN_KEYS',
    secret: true,
  },
  CLUSTER: {
    read: name,
    wants: nameForm,
    fallback: 'skein',
    meaning: 'name of the cluster, for several on one NATS',
  },
  NODE_ID: {
    read: name,
    wants: nameForm,
    fallback: 'a random one',
    meaning: 'name of this node in its cluster',
    condition: 'no two nodes may have the same',
  },
  SHARDS: {
    read: whole(1, maxShardCount),
    wants: `a number from 1 to ${maxShardCount}`,
    fallback: '256',
    meaning: 'shards of a cluster; at least as many as there will ever be nodes',
    condition: 'cannot be changed after the cluster has been created',
  },
  SECRET_KEYS: {
    read: secretKeys,
    wants: 'kid:base64,kid:base64 with 32 bytes each',
    fallback: 'generated under DATA_DIR',
    meaning: 'keys that secrets are encrypted with, newest first',
    condition: sameForDatabase,
    secret: true,
  },
  TOKEN_KEYS: {
    read: tokenKeys,
    wants: 'kid:base64,kid:base64 with 32 bytes each',
    fallback: 'generated under DATA_DIR',
    meaning: 'Ed25519 seeds that sign access tokens, newest first',
    condition: sameForDatabase,
    secret: true,
  },
  SMTP_URL: {
    read: address('smtp', 'smtps'),
    wants: 'an smtp:// or smtps:// address',
    fallback: 'none: .eml files under DATA_DIR/mail',
    meaning: 'mail server; by smtp:// it has to offer STARTTLS',
    secret: true,
  },
  MAIL_FROM: {
    read: text => (/^[^\r\n]*@[^\r\n]+$/.test(text) ? text : undefined),
    wants: 'an e-mail address',
    fallback: 'Skein <skein@localhost>',
    meaning: 'sender of mail',
  },
  SIGNUP: {
    read: choice(['open', 'disabled']),
    wants: 'open or disabled',
    fallback: 'open',
    meaning: 'who may sign up; when disabled, only invited people may',
  },
  EMAIL_DOMAINS: {
    read: list(domain),
    wants: 'domain names, separated by commas',
    fallback: 'all',
    meaning: 'domains whose addresses may sign up or be invited, and have to be verified first',
  },
  INSTANCE_ADMINS: {
    read: list(emailAddress),
    wants: 'e-mail addresses, separated by commas',
    fallback: 'none: nobody sees the System page',
    meaning: 'who operates the service: verified addresses that see the System page of Studio',
  },
  ALLOW_PRIVATE_ADDRESSES: {
    read: truth,
    wants: 'true or false',
    fallback: 'false; loopback only, with an embedded database and no public reach',
    meaning: 'whether webhooks and tools may call private addresses',
  },
  LLM_PROVIDER_1_URL: {
    read: address('http', 'https'),
    wants: 'an http or https address',
    fallback: defaultModelUrls.llm_provider_1,
    meaning: "models of llm_provider_1, in OpenAI's wire format (chat completions)",
  },
  LLM_PROVIDER_2_URL: {
    read: address('http', 'https'),
    wants: 'an http or https address',
    fallback: defaultModelUrls.llm_provider_2,
    meaning: "models of llm_provider_2, in Anthropic's wire format",
  },
  LLM_PROVIDER_3_URL: {
    read: address('http', 'https'),
    wants: 'an http or https address',
    fallback: defaultModelUrls.llm_provider_3,
    meaning: "models of llm_provider_3, in Google Gemini's wire format",
  },
  CHATAPP_GRAPH_URL: {
    read: address('http', 'https'),
    wants: 'an http or https address',
    fallback: defaultGraph.url,
    meaning: "the chat provider's API, with which chatapp channels are connected",
  },
  CHATAPP_GRAPH_VERSION: {
    read: text => (/^v\d{1,3}\.\d{1,2}$/.test(text) ? text : undefined),
    wants: 'a version like v25.0',
    fallback: defaultGraph.version,
    meaning: 'version of that API',
  },
  CHATAPP_SIGNUP_URL: {
    read: address('http', 'https'),
    wants: 'an http or https address',
    fallback: "the provider's; with CHATAPP_GRAPH_URL, beneath that",
    meaning: "the chat provider's page for an embedded sign-up, to which Studio leads",
  },
  CHATAPP_SIGNUP_CONFIG_ID: {
    read: text => (/^\d{1,32}$/.test(text) ? text : undefined),
    wants: 'the number of a configuration',
    fallback: 'none: Studio asks for it',
    meaning: "configuration of the embedded sign-up by the service's own app",
    condition: 'wants CHATAPP_APP_ID',
  },
  CHATAPP_APP_ID: {
    read: text => (/^\d{1,32}$/.test(text) ? text : undefined),
    wants: 'the number of an app',
    fallback: 'none: chatapp channels need a partner app of their workspace',
    meaning: "the service's own app at the chat provider",
    condition: 'wants CHATAPP_APP_SECRET',
  },
  CHATAPP_APP_SECRET: {
    read: text => (/^[\x21-\x7e]{8,256}$/.test(text) ? text : undefined),
    wants: '8 to 256 visible characters',
    fallback: 'none: chatapp channels need a partner app of their workspace',
    meaning: "secret of the service's own app at the chat provider",
    condition: 'wants CHATAPP_APP_ID',
    secret: true,
  },
  RATE_LIMITS: {
    read: readRates,
    wants: 'on, off, or JSON like {"read": {"limit": 1200, "windowSeconds": 60}}',
    fault: faultInRates,
    fallback: 'on',
    meaning: 'how many requests are allowed; see docs/operate/rate-limits.md',
    condition: 'must be the same on every node of a cluster',
  },
  LIMITS: {
    read: readLimits,
    wants: 'JSON like {"apiKeys": 1000}',
    fault: faultInLimits,
    fallback: '{}',
    meaning: 'how much a tenant may have; see docs/operate/rate-limits.md',
    condition: 'must be the same on every node of a cluster',
  },
  LOG_FORMAT: {
    read: choice(['json', 'pretty']),
    wants: 'json or pretty',
    fallback: 'pretty on a terminal, else json',
    meaning: 'how the log is written: lines of JSON for machines, or lines for people',
  },
  LOG_LEVEL: {
    read: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    wants: 'fatal, error, warn, info, debug, trace or silent',
    fallback: 'info',
    meaning: 'lowest level that is logged',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    read: address('http', 'https'),
    wants: 'an http or https address',
    fallback: 'none: nothing is traced',
    meaning: 'where spans go, by OTLP over HTTP: /v1/traces is added; see docs/operate/traces.md',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    read: address('http', 'https'),
    wants: 'an http or https address',
    fallback: 'from OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning: 'the same, with its whole path',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    read: choice(['http/protobuf']),
    wants: 'http/protobuf',
    fallback: 'http/protobuf',
    meaning: 'form in which spans are sent',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    read: pairs,
    wants: 'name=value,name=value',
    fallback: 'none',
    meaning: 'headers of what is sent there',
    secret: true,
  },
  OTEL_TRACES_SAMPLER: {
    read: choice(samplers),
    wants: 'a sampler of OpenTelemetry, such as traceidratio',
    fallback: 'parentbased_always_on',
    meaning: 'which traces are kept',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    read: share,
    wants: 'a number from 0 to 1',
    fallback: '1',
    meaning: 'share of the traces that a sampler with a ratio keeps',
  },
  OTEL_SERVICE_NAME: {
    read: anyText,
    wants: 'a name',
    fallback: 'skein',
    meaning: 'name of the service in traces',
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    read: pairs,
    wants: 'name=value,name=value',
    fallback: 'none',
    meaning: 'what every span says of this node beside that',
  },
  OTEL_SDK_DISABLED: {
    read: truth,
    wants: 'true or false',
    fallback: 'false',
    meaning: 'switches traces off, whatever else is set',
  },
} as const satisfies Record<string, Variable<unknown>>;
