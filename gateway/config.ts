/**
 * Configuration (design section 7): environment variables, read and checked once, at start. A value that is not what its
 * variable wants stops the start; the table of variables is also what `--help` shows.
 */
import type { Reach } from '../runtime/pool/address-guard.ts';
import { type Variable, variables } from './config-variables.ts';

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
  /** Without a slash at its end; undefined: the address that the server turns out to listen on. */
  readonly baseUrl: string | undefined;
  /** Undefined: `{baseUrl}/docs`. */
  readonly docsUrl: string | undefined;
  readonly trustedProxies: number;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** Undefined: this process is alone. */
  readonly natsUrls: readonly string[] | undefined;
  readonly cluster: string;
  /** Undefined: a random one. */
  readonly nodeId: string | undefined;
  /** Undefined: those of DATA_DIR. */
  readonly secretKeys: string | undefined;
  readonly tokenKeys: string | undefined;
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  readonly signup: 'open' | 'disabled';
  /** Empty: all. */
  readonly emailDomains: readonly string[];
  /** Where webhooks may go: everywhere when allowed, else the public internet, with loopback when embedded. */
  readonly outboundReach: Reach;
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

const neededByClusters = ['DATABASE_URL', 'SECRET_KEYS', 'TOKEN_KEYS'] as const;

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
  if (given['NATS_URL'] !== undefined) {
    // What all nodes of a cluster share cannot be made by each of them.
    for (const name of neededByClusters) {
      if ((env[name] ?? '') === '')
        problems.push(`${name} is required with NATS_URL: wants ${variables[name].wants}`);
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
    baseUrl: given.BASE_URL,
    docsUrl: given.DOCS_URL,
    trustedProxies: given.TRUSTED_PROXIES ?? 0,
    dataDir: given.DATA_DIR ?? './.skein',
    databaseUrl: given.DATABASE_URL,
    natsUrls: given.NATS_URL,
    cluster: given.CLUSTER ?? 'skein',
    nodeId: given.NODE_ID,
    secretKeys: given.SECRET_KEYS,
    tokenKeys: given.TOKEN_KEYS,
    smtpUrl: given.SMTP_URL,
    mailFrom: given.MAIL_FROM ?? 'Skein <skein@localhost>',
    signup: given.SIGNUP ?? 'open',
    emailDomains: given.EMAIL_DOMAINS ?? [],
    outboundReach: reachOf(given.ALLOW_PRIVATE_ADDRESSES, embedded),
    logLevel: given.LOG_LEVEL ?? 'info',
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
  const lines = rows.map(([name, { meaning, condition, wants, fallback }]) => {
    const indent = ' '.repeat(width + 2);
    const texts = [meaning, ...(condition === undefined ? [] : [condition]), wants, `default: ${fallback}`];
    return `  ${name.padEnd(width)}${texts.join(`\n${indent}`)}`;
  });
  return `Usage: npm start\n\nConfiguration is environment variables:\n\n${lines.join('\n')}\n`;
}
