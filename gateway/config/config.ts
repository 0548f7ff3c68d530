/**
 * Reads the configuration from environment variables, once, at the start. A bad value stops the start and names its variable. The
 * table of variables (variables.ts) is also what `--help` prints and docs/operate/configuration.md describes.
 */
import {
  defaultGraph,
  defaultSignupHost,
  type GraphAddress,
  type PartnerAppKeys,
} from '../../actors/chatapp/index.ts';
import { defaultModelUrls, type ModelUrls } from '../../actors/run/models/index.ts';
import type { MediaLocation } from '../../storage/media/index.ts';
import type { Reach } from '../../runtime/outbound/index.ts';
import { defaultShardCount } from '../../runtime/placement/index.ts';
import type { ServiceToken } from '../auth/index.ts';
import { toSampling, type TracingOptions } from '../tracing/index.ts';
import { findExposures, isLocalOnly } from './exposure.ts';
import { type Variable, variables } from './variables.ts';
import { defaultLimits, type Limits } from '../../storage/writes/index.ts';
import { defaultRates, type Rates } from '../quota/index.ts';

type Name = keyof typeof variables;
type Given = {
  readonly [N in Name]: Exclude<ReturnType<(typeof variables)[N]['read']>, undefined> | undefined;
};

/** PEM files. */
export interface GrpcTls {
  readonly cert: string;
  readonly key: string;
  /** Clients need a certificate that one of these authorities has signed. Undefined: they need none. */
  readonly ca: string | undefined;
}

/** The checked configuration. */
export interface Config {
  /** No DATABASE_URL was set: this node starts its own PostgreSQL. */
  readonly embedded: boolean;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** 0: any free port. Undefined: no gRPC. */
  readonly grpcPort: number | undefined;
  /** Where other services reach the gRPC of this node, `host:port`. Undefined: it does not tell, or has no gRPC. */
  readonly grpcAdvertisedAddress: string | undefined;
  /** Undefined: plaintext. */
  readonly grpcTls: GrpcTls | undefined;
  /** Empty: gRPC refuses every call. */
  readonly serviceTokens: readonly ServiceToken[];
  /** Undefined: only the loopback address gets metrics. */
  readonly metricsToken: string | undefined;
  /** Without a slash at its end. Undefined: the address that the server listens on. */
  readonly baseUrl: string | undefined;
  /** Undefined: `{baseUrl}/docs`. */
  readonly docsUrl: string | undefined;
  /** Number of reverse proxies on loopback and private addresses, or the addresses and networks of all reverse proxies. */
  readonly trustedProxies: number | readonly string[];
  /** Only this machine reaches the node. */
  readonly isLocalOnly: boolean;
  /** Origins whose pages may call the API from a browser; empty: none. */
  readonly corsOrigins: readonly string[];
  readonly dataDir: string;
  /** Undefined: `media` under dataDir. */
  readonly media: MediaLocation | undefined;
  readonly databaseUrl: string | undefined;
  /** Undefined: this node is not part of a cluster. */
  readonly natsUrls: readonly string[] | undefined;
  readonly cluster: string;
  /** Undefined: a random one. */
  readonly nodeId: string | undefined;
  /** Number of shards of the cluster. A node without a cluster has them too. */
  readonly shards: number;
  /** Undefined: the keys that are kept under DATA_DIR. */
  readonly secretKeys: string | undefined;
  readonly tokenKeys: string | undefined;
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  readonly signup: 'open' | 'disabled';
  /** Empty: all. */
  readonly emailDomains: readonly string[];
  /** E-mail addresses of those who operate the service. */
  readonly instanceAdmins: readonly string[];
  /** Which addresses webhooks and tools may call. */
  readonly outboundReach: Reach;
  /** Who is asked for the names of those. Empty: the system's name servers. */
  readonly nameServers: readonly string[];
  /** The base address of each model provider. */
  readonly modelUrls: ModelUrls;
  readonly chatapp: {
    /** The chat provider's API. */
    readonly graph: GraphAddress;
    /** The service's own app there; undefined: it has none. */
    readonly app: PartnerAppKeys | undefined;
    readonly signup: SignupPage;
  };
  /** How much a tenant may have. */
  readonly limits: Limits;
  /** Undefined: no rate limits. */
  readonly rateLimits: Rates | undefined;
  /** Exposures that INSECURE permits, one sentence each. */
  readonly exposures: readonly string[];
  /** Undefined: by whether a terminal shows it. */
  readonly logFormat: 'json' | 'pretty' | undefined;
  /** Undefined: nothing is traced. */
  readonly tracing: TracingOptions | undefined;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
}

/** The chat provider's page for an embedded sign-up. */
export interface SignupPage {
  readonly url: string;
  /** The configuration of the service's own app for it; undefined: it has none. */
  readonly configId: string | undefined;
}

/** The configuration is invalid. `problems` names every bad variable and what it accepts. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`invalid configuration:\n${problems.map(problem => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** Variables that need others to be set. */
const requirements = {
  // All nodes of a cluster share these, so a node cannot generate its own.
  NATS_URL: ['DATABASE_URL', 'SECRET_KEYS', 'TOKEN_KEYS'],
  GRPC_TLS_CERT: ['GRPC_TLS_KEY'],
  GRPC_TLS_KEY: ['GRPC_TLS_CERT'],
  GRPC_TLS_CA: ['GRPC_TLS_CERT', 'GRPC_TLS_KEY'],
  CHATAPP_SIGNUP_CONFIG_ID: ['CHATAPP_APP_ID'],
  CHATAPP_APP_ID: ['CHATAPP_APP_SECRET'],
  CHATAPP_APP_SECRET: ['CHATAPP_APP_ID'],
} as const satisfies Partial<Record<Name, readonly Name[]>>;

/** Reads the environment. An empty variable counts as absent. Throws a {@link ConfigError} that lists every problem. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const given: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries<Variable<unknown>>(variables)) {
    const text = env[name] ?? '';
    if (text === '') continue;
    given[name] = variable.read(text);
    if (given[name] !== undefined) continue;
    const told = variable.secret ? '' : `, not ${JSON.stringify(text)}`;
    const fault = variable.fault === undefined ? '' : `: ${variable.fault(text)}`;
    problems.push(`${name} wants ${variable.wants}${told}${fault}`);
  }
  for (const [name, required] of Object.entries(requirements)) {
    if (given[name] === undefined) continue;
    for (const other of required) {
      if ((env[other] ?? '') === '')
        problems.push(`${other} is required with ${name}: wants ${variables[other].wants}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const settings = toSettings(given as Given);
  const exposures = findExposures(settings);
  const refused = exposures.filter(({ name }) => !isPermitted(name, given['INSECURE'] as Given['INSECURE']));
  if (refused.length > 0) {
    const names = exposures.map(({ name }) => name).join(',');
    throw new ConfigError([
      ...refused.map(({ text }) => text),
      `Set INSECURE=${names} to start all the same.`,
    ]);
  }
  return { ...settings, exposures: exposures.map(({ text }) => text) };
}

function isPermitted(name: string, permission: Given['INSECURE']): boolean {
  return typeof permission === 'object' ? permission.includes(name) : permission === true;
}

function toSettings(given: Given): Omit<Config, 'exposures'> {
  const embedded = given.DATABASE_URL === undefined;
  const host = given.HOST ?? (embedded ? '127.0.0.1' : '0.0.0.0');
  const trustedProxies = given.TRUSTED_PROXIES ?? 0;
  const isLocal = isLocalOnly({ host, baseUrl: given.BASE_URL, trustedProxies });
  return {
    embedded,
    host,
    isLocalOnly: isLocal,
    port: given.PORT ?? 8080,
    // Without a token no service could call.
    grpcPort:
      given.GRPC_PORT === 'off' || (given.SERVICE_TOKENS ?? []).length === 0
        ? undefined
        : (given.GRPC_PORT ?? 9090),
    grpcAdvertisedAddress: given.GRPC_PORT === 'off' ? undefined : given.GRPC_ADVERTISED_ADDRESS,
    grpcTls: toGrpcTls(given),
    serviceTokens: given.SERVICE_TOKENS ?? [],
    metricsToken: given.METRICS_TOKEN,
    baseUrl: given.BASE_URL,
    docsUrl: given.DOCS_URL,
    trustedProxies,
    corsOrigins: given.CORS_ORIGINS ?? [],
    dataDir: given.DATA_DIR ?? './.skein',
    media: given.MEDIA_URL,
    databaseUrl: given.DATABASE_URL,
    natsUrls: given.NATS_URL,
    cluster: given.CLUSTER ?? 'skein',
    nodeId: given.NODE_ID,
    shards: given.SHARDS ?? defaultShardCount,
    secretKeys: given.SECRET_KEYS,
    tokenKeys: given.TOKEN_KEYS,
    smtpUrl: given.SMTP_URL,
    mailFrom: given.MAIL_FROM ?? 'Skein <skein@localhost>',
    signup: given.SIGNUP ?? 'open',
    emailDomains: given.EMAIL_DOMAINS ?? [],
    instanceAdmins: given.INSTANCE_ADMINS ?? [],
    outboundReach: getOutboundReach(given.ALLOW_PRIVATE_ADDRESSES, embedded && isLocal),
    nameServers: given.NAME_SERVERS ?? [],
    modelUrls: {
      llm_provider_1: given.LLM_PROVIDER_1_URL ?? defaultModelUrls.llm_provider_1,
      llm_provider_2: given.LLM_PROVIDER_2_URL ?? defaultModelUrls.llm_provider_2,
      llm_provider_3: given.LLM_PROVIDER_3_URL ?? defaultModelUrls.llm_provider_3,
    },
    chatapp: toChatapp(given),
    limits: given.LIMITS ?? defaultLimits,
    rateLimits: given.RATE_LIMITS === 'off' ? undefined : (given.RATE_LIMITS ?? defaultRates),
    logFormat: given.LOG_FORMAT,
    logLevel: given.LOG_LEVEL ?? 'info',
    tracing: toTracing(given),
  };
}

function toChatapp(given: Given): Config['chatapp'] {
  const graph = {
    url: given.CHATAPP_GRAPH_URL ?? defaultGraph.url,
    version: given.CHATAPP_GRAPH_VERSION ?? defaultGraph.version,
  };
  // People sign up at another host than programs call; what stands in for the provider has one for both.
  const host = given.CHATAPP_GRAPH_URL === undefined ? defaultSignupHost : graph.url;
  const url = given.CHATAPP_SIGNUP_URL ?? `${host}/${graph.version}/dialog/oauth`;
  return { graph, app: toOwnApp(given), signup: { url, configId: given.CHATAPP_SIGNUP_CONFIG_ID } };
}

function toOwnApp({
  CHATAPP_APP_ID: appId,
  CHATAPP_APP_SECRET: appSecret,
}: Given): PartnerAppKeys | undefined {
  return appId === undefined || appSecret === undefined ? undefined : { appId, appSecret };
}

function toTracing(given: Given): TracingOptions | undefined {
  const base = given.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url =
    given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base === undefined ? undefined : `${base}/v1/traces`);
  if (url === undefined || given.OTEL_SDK_DISABLED === true) return undefined;
  const { NODE_ID: id } = given;
  return {
    url,
    headers: given.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    sampling: toSampling(
      given.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on',
      given.OTEL_TRACES_SAMPLER_ARG ?? 1,
    ),
    resource: {
      ...(id !== undefined && { 'service.instance.id': id }),
      ...given.OTEL_RESOURCE_ATTRIBUTES,
      'service.name': given.OTEL_SERVICE_NAME ?? given.OTEL_RESOURCE_ATTRIBUTES?.['service.name'] ?? 'skein',
    },
  };
}

function toGrpcTls({ GRPC_TLS_CERT: cert, GRPC_TLS_KEY: key, GRPC_TLS_CA: ca }: Given): GrpcTls | undefined {
  return cert === undefined || key === undefined ? undefined : { cert, key, ca };
}

/** @param isLocal the database is embedded, and only this machine reaches the node */
function getOutboundReach(allowed: boolean | undefined, isLocal: boolean): Reach {
  if (allowed === undefined) return isLocal ? 'loopback' : 'public';
  return allowed ? 'any' : 'public';
}

/** The text of `--help`. */
export function helpText(): string {
  const rows = Object.entries<Variable<unknown>>(variables);
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const lines = rows.map(([name, { meaning, condition, wants, fallback }]) => {
    const indent = ' '.repeat(width + 2);
    const texts = [meaning, ...(condition === undefined ? [] : [condition]), wants, `default: ${fallback}`];
    return `  ${name.padEnd(width)}${texts.join(`\n${indent}`)}`;
  });
  return `Usage: npm start\n\nConfiguration is environment variables:\n\n${lines.join('\n')}\n`;
}
