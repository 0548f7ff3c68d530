/**
 * Configuration (design section 7): environment variables, read and checked once, at start. A value that is not what its
 * variable wants stops the start; the table of variables is also what `--help` shows.
 */
import type { Reach } from '../runtime/pool/address-guard.ts';
import { type Variable, variables } from './config-variables.ts';
import type { RateLimits } from './config-values.ts';

type Name = keyof typeof variables;
type Given = {
  readonly [N in Name]: Exclude<ReturnType<(typeof variables)[N]['read']>, undefined> | undefined;
};

/** What the process runs by. */
export interface Config {
  /** Without DATABASE_URL: this node starts a PostgreSQL of its own. */
  readonly embedded: boolean;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly grpc: {
    readonly port: number;
    readonly serviceTokens: readonly string[];
    /** Paths of PEM files. */
    readonly tls:
      { readonly cert: string; readonly key: string; readonly ca: string | undefined } | undefined;
  };
  /** Without a slash at its end; undefined: the address that the server turns out to listen on. */
  readonly baseUrl: string | undefined;
  /** Undefined: `{baseUrl}/docs`. */
  readonly docsUrl: string | undefined;
  readonly trustedProxies: number;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** Undefined: not clustered. */
  readonly natsUrls: readonly string[] | undefined;
  readonly cluster: string;
  /** Undefined: those of DATA_DIR. */
  readonly secretKeys: string | undefined;
  readonly tokenKeys: string | undefined;
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  readonly mediaUrl: string | undefined;
  readonly signup: 'open' | 'disabled';
  /** Empty: all. */
  readonly emailDomains: readonly string[];
  /** Where webhooks and tools may go: everywhere when allowed, else the public internet, with loopback when embedded. */
  readonly outboundReach: Reach;
  readonly rateLimits: RateLimits;
  /** Undefined: the provider's own. */
  readonly graphApiUrl: string | undefined;
  /** Of model providers 1 to 3. */
  readonly llmProviderUrls: readonly [string | undefined, string | undefined, string | undefined];
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  readonly otlpEndpoint: string | undefined;
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

/** Reads the environment. An empty variable counts as absent. Throws {@link ConfigError} with everything that is wrong. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const given: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries<Variable<unknown>>(variables)) {
    const text = env[name] ?? '';
    if (text === '') continue;
    given[name] = variable.read(text);
    if (given[name] !== undefined) continue;
    problems.push(`${name} wants ${variable.wants}${variable.secret ? '' : `, not ${JSON.stringify(text)}`}`);
  }
  const values = given as Given;
  problems.push(...contradictions(env));
  if (problems.length > 0) throw new ConfigError(problems);
  return configOf(values);
}

/** What single variables cannot see. */
function contradictions(env: Readonly<Record<string, string | undefined>>): string[] {
  const has = (name: Name): boolean => (env[name] ?? '') !== '';
  const problems: string[] = [];
  if (has('NATS_URL')) {
    for (const name of ['DATABASE_URL', 'SECRET_KEYS', 'TOKEN_KEYS'] as const) {
      if (!has(name)) problems.push(`${name} is required with NATS_URL: all nodes of a cluster share it`);
    }
  }
  for (const [one, other] of [
    ['GRPC_TLS_CERT', 'GRPC_TLS_KEY'],
    ['GRPC_TLS_KEY', 'GRPC_TLS_CERT'],
    ['GRPC_TLS_CA', 'GRPC_TLS_CERT'],
  ] as const) {
    if (has(one) && !has(other)) problems.push(`${other} is required with ${one}`);
  }
  return problems;
}

function configOf(given: Given): Config {
  const embedded = given.DATABASE_URL === undefined;
  const { GRPC_TLS_CERT: cert, GRPC_TLS_KEY: key, GRPC_TLS_CA: ca } = given;
  return {
    embedded,
    host: given.HOST ?? (embedded ? '127.0.0.1' : '0.0.0.0'),
    port: given.PORT ?? 8080,
    grpc: {
      port: given.GRPC_PORT ?? 9090,
      serviceTokens: given.SERVICE_TOKENS ?? [],
      tls: cert === undefined || key === undefined ? undefined : { cert, key, ca },
    },
    baseUrl: given.BASE_URL,
    docsUrl: given.DOCS_URL,
    trustedProxies: given.TRUSTED_PROXIES ?? 0,
    dataDir: given.DATA_DIR ?? './.skein',
    databaseUrl: given.DATABASE_URL,
    natsUrls: given.NATS_URL,
    cluster: given.CLUSTER ?? 'skein',
    secretKeys: given.SECRET_KEYS,
    tokenKeys: given.TOKEN_KEYS,
    smtpUrl: given.SMTP_URL,
    mailFrom: given.MAIL_FROM ?? 'Skein <skein@localhost>',
    mediaUrl: given.MEDIA_URL,
    signup: given.SIGNUP ?? 'open',
    emailDomains: given.EMAIL_DOMAINS ?? [],
    outboundReach: reachOf(given.ALLOW_PRIVATE_ADDRESSES, embedded),
    rateLimits: given.RATE_LIMITS ?? {},
    graphApiUrl: given.GRAPH_API_URL,
    llmProviderUrls: [given.LLM_PROVIDER_1_URL, given.LLM_PROVIDER_2_URL, given.LLM_PROVIDER_3_URL],
    logLevel: given.LOG_LEVEL ?? 'info',
    otlpEndpoint: given.OTEL_EXPORTER_OTLP_ENDPOINT,
  };
}

function reachOf(allowed: boolean | undefined, embedded: boolean): Reach {
  if (allowed === undefined) return embedded ? 'loopback' : 'public';
  return allowed ? 'any' : 'public';
}

/** The text of `--help`. */
export function helpText(): string {
  const rows = Object.entries<Variable<unknown>>(variables);
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const lines = rows.map(([name, { meaning, wants, fallback }]) => {
    const indent = ' '.repeat(width + 2);
    return `  ${name.padEnd(width)}${meaning}\n${indent}${wants}\n${indent}default: ${fallback}`;
  });
  return `Usage: npm start\n\nConfiguration is environment variables:\n\n${lines.join('\n')}\n`;
}
