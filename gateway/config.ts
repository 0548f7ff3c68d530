/**
 * Configuration (design section 7): environment variables, read and checked once, at start. A value that is not what its
 * variable wants stops the start; the table of variables is also what `--help` shows.
 */
import { defaultModelUrls, type ModelUrls } from '../actors/run/models/urls.ts';
import type { MediaPlace } from '../storage/media-place.ts';
import type { Reach } from '../runtime/pool/address-guard.ts';
import { defaultShardCount } from '../runtime/shards.ts';
import type { ServiceToken } from './auth/service-tokens.ts';
import { type Variable, variables } from './config-variables.ts';
import { defaultRates, type Rates } from './quota/rates.ts';

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

/** What the process runs by. */
export interface Config {
  /** Without DATABASE_URL: this node starts a PostgreSQL of its own. */
  readonly embedded: boolean;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** 0: any free port. Undefined: no gRPC. */
  readonly grpcPort: number | undefined;
  /** Undefined: plaintext. */
  readonly grpcTls: GrpcTls | undefined;
  /** Empty: no internal service is let in. */
  readonly serviceTokens: readonly ServiceToken[];
  /** Without a slash at its end; undefined: the address that the server turns out to listen on. */
  readonly baseUrl: string | undefined;
  /** Undefined: `{baseUrl}/docs`. */
  readonly docsUrl: string | undefined;
  readonly trustedProxies: number;
  readonly dataDir: string;
  /** Undefined: `media` under dataDir. */
  readonly media: MediaPlace | undefined;
  readonly databaseUrl: string | undefined;
  /** Undefined: this process is alone. */
  readonly natsUrls: readonly string[] | undefined;
  readonly cluster: string;
  /** Undefined: a random one. */
  readonly nodeId: string | undefined;
  /** Of the cluster; a node that is alone has them too. */
  readonly shards: number;
  /** Undefined: those of DATA_DIR. */
  readonly secretKeys: string | undefined;
  readonly tokenKeys: string | undefined;
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  readonly signup: 'open' | 'disabled';
  /** Empty: all. */
  readonly emailDomains: readonly string[];
  /** Where webhooks and tools may go: everywhere when allowed, else the public internet, with loopback when embedded. */
  readonly outboundReach: Reach;
  /** Where the models of each provider are asked. */
  readonly modelUrls: ModelUrls;
  /** Undefined: nothing is limited. */
  readonly rateLimits: Rates | undefined;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
}

/** The configuration cannot be used; `problems` names every variable at fault and what it wants. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`the configuration cannot be used:\n${problems.map(problem => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** What a variable cannot do without, wherever it is set. */
const needs = {
  // What all nodes of a cluster share cannot be made by each of them.
  NATS_URL: ['DATABASE_URL', 'SECRET_KEYS', 'TOKEN_KEYS'],
  GRPC_TLS_CERT: ['GRPC_TLS_KEY'],
  GRPC_TLS_KEY: ['GRPC_TLS_CERT'],
  GRPC_TLS_CA: ['GRPC_TLS_CERT', 'GRPC_TLS_KEY'],
} as const satisfies Partial<Record<Name, readonly Name[]>>;

/** Reads the environment. An empty variable counts as absent. Throws {@link ConfigError} with everything that is wrong. */
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
  for (const [needy, needed] of Object.entries(needs)) {
    if (given[needy] === undefined) continue;
    for (const name of needed) {
      if ((env[name] ?? '') === '')
        problems.push(`${name} is required with ${needy}: wants ${variables[name].wants}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return configOf(given as Given);
}

function configOf(given: Given): Config {
  const embedded = given.DATABASE_URL === undefined;
  return {
    embedded,
    host: given.HOST ?? (embedded ? '127.0.0.1' : '0.0.0.0'),
    port: given.PORT ?? 8080,
    grpcPort: given.GRPC_PORT === 'off' ? undefined : (given.GRPC_PORT ?? 9090),
    grpcTls: tlsOf(given),
    serviceTokens: given.SERVICE_TOKENS ?? [],
    baseUrl: given.BASE_URL,
    docsUrl: given.DOCS_URL,
    trustedProxies: given.TRUSTED_PROXIES ?? 0,
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
    outboundReach: reachOf(given.ALLOW_PRIVATE_ADDRESSES, embedded),
    modelUrls: {
      llm_provider_1: given.LLM_PROVIDER_1_URL ?? defaultModelUrls.llm_provider_1,
      llm_provider_2: given.LLM_PROVIDER_2_URL ?? defaultModelUrls.llm_provider_2,
      llm_provider_3: given.LLM_PROVIDER_3_URL ?? defaultModelUrls.llm_provider_3,
    },
    rateLimits: given.RATE_LIMITS === 'off' ? undefined : (given.RATE_LIMITS ?? defaultRates),
    logLevel: given.LOG_LEVEL ?? 'info',
  };
}

function tlsOf({ GRPC_TLS_CERT: cert, GRPC_TLS_KEY: key, GRPC_TLS_CA: ca }: Given): GrpcTls | undefined {
  return cert === undefined || key === undefined ? undefined : { cert, key, ca };
}

function reachOf(allowed: boolean | undefined, embedded: boolean): Reach {
  if (allowed === undefined) return embedded ? 'loopback' : 'public';
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
