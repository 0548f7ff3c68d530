/** `npm start`: reads the configuration, starts a node, says where it is, and drains on SIGTERM, SIGINT or SIGHUP. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import pino from 'pino';
import { type Config, ConfigError, helpText, readConfig } from './config/index.ts';
import { StartAborted, StartRefused, startSkein } from './composition/index.ts';
import { servesMailbox } from './mail/index.ts';
import { parseTraceparent } from '../runtime/observability/index.ts';

/** The longest a drain may take. Then the process exits. */
const drainDeadlineMs = 30_000;

function configuration(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\nRun with --help to list all variables.\n`);
    process.exit(78);
  }
}

/** Serializes an error for the log, without the objects that drivers attach to it: they hold connections and their secrets. */
function describe(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    type: name,
    message,
    stack,
    ...(code !== undefined && { code }),
    ...(cause !== undefined && { cause: describe(cause) }),
  };
}

/** A line of the log names a trace as traces do, by its id alone. */
function withTraceId(fields: Record<string, unknown>): Record<string, unknown> {
  if (!('traceparent' in fields)) return fields;
  const { traceparent, ...others } = fields;
  const traceId = parseTraceparent(String(traceparent))?.traceId;
  return traceId === undefined ? others : { ...others, traceId };
}

/** Standard output. When its terminal is closed, lines are lost from then on, and the node still drains. */
async function openLog({ logFormat }: Config): Promise<pino.DestinationStream> {
  const { isTTY } = process.stdout;
  const output = pino.destination(1);
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EIO') throw error;
    // It would otherwise retry the same lines without end when the process exits.
    output.write = () => true;
    output.flushSync = () => undefined;
  });
  if ((logFormat ?? (isTTY ? 'pretty' : 'json')) === 'json') return output;
  // Loaded where it is wanted only.
  const { prettyFactory } = await import('pino-pretty');
  const toLine = prettyFactory({
    // https://no-color.org
    colorize: isTTY && (process.env['NO_COLOR'] ?? '') === '',
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
  });
  return { write: line => void output.write(toLine(line)) };
}

/** What a person at a terminal can do next. */
function welcome(url: string, config: Config): string {
  const kept = config.embedded ? `, data under ${config.dataDir}` : '';
  const mailbox = servesMailbox(config)
    ? `    Mailbox  ${url}/mailbox   the mails of this node: links to verify an address, invitations\n`
    : '';
  return `
  Skein serves at ${url}${kept}

    Studio   ${url}/studio    sign up here: channels, webhooks, agents, keys
    Console  ${url}/console   where operators answer
${mailbox}
  The contract is at ${url}/docs and /v1/openapi.json, health at /readyz, metrics at /metrics.
  npm run demo shows the main job; Ctrl-C drains and stops.

`;
}

/** Answers `--help` and `--version`, and refuses everything else: a misspelt option must not start a node without it. */
function readArguments(given: readonly string[]): void {
  const [argument] = given;
  if (argument === undefined) return;
  if (argument === '--help' || argument === '-h') process.stdout.write(helpText());
  else if (argument === '--version') process.stdout.write(`${readVersion()}\n`);
  else {
    process.stderr.write(`unknown argument: ${argument}\nRun with --help to list what configures a node.\n`);
    process.exit(64);
  }
  process.exit(0);
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  return version;
}

readArguments(process.argv.slice(2));
const config = configuration();
const log = pino(
  {
    level: config.logLevel,
    serializers: { err: describe },
    base: {
      pid: process.pid,
      hostname: hostname(),
      ...(config.nodeId !== undefined && { node: config.nodeId }),
    },
    formatters: { level: label => ({ level: label }), log: withTraceId },
  },
  await openLog(config),
);
const stopped = new AbortController();
const starting = startSkein(config, log, stopped.signal);

// Signals come more than once: from the terminal, and from npm and .config/launch.js, which pass on what the terminal has told all three.
let stopping = false;
const stop = (signal: NodeJS.Signals): void => {
  if (stopping) return;
  stopping = true;
  log.info({ signal }, 'draining');
  setTimeout(() => process.exit(1), drainDeadlineMs).unref();
  stopped.abort();
  void starting
    .then(skein => skein.stop())
    .catch((err: unknown) => {
      if (err instanceof StartAborted) return;
      log.error({ err }, 'the drain failed');
      process.exitCode = 1;
    })
    .then(() => {
      log.info({}, 'stopped');
      process.exit();
    });
};
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
// The terminal was closed.
process.on('SIGHUP', stop);

try {
  const skein = await starting;
  if (process.stdout.isTTY) process.stdout.write(welcome(skein.url, config));
  log.info({ url: skein.url }, 'ready');
} catch (err) {
  // A start that was told to stop ends above.
  if (!stopped.signal.aborted) {
    // What an operator can mend takes one line.
    if (err instanceof StartRefused) log.fatal({}, err.message);
    else log.fatal({ err }, 'could not start');
    process.exitCode = 1;
    // A part that failed half-way may still hold the event loop.
    setTimeout(() => process.exit(), 2_000).unref();
  }
}
