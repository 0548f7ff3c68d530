/** `npm start`: reads the configuration, starts a node, says where it is, and drains on SIGTERM or SIGINT. */
import pino from 'pino';
import { ConfigError, helpText, readConfig, type Config } from './config.ts';
import { StartAborted, startSkein } from './start.ts';

/** Time for a drain; past it the process ends whatever is left. */
const drainDeadlineMs = 30_000;

function configuration(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\nRun with --help for what there is to configure.\n`);
    process.exit(78);
  }
}

/** What a log may say of an error: never the objects that drivers hang on it, which hold connections and their secrets. */
function describe(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    ...{ type: name, message, stack },
    ...(code === undefined ? {} : { code }),
    ...(cause === undefined ? {} : { cause: describe(cause) }),
  };
}

/** The first steps, for a person at a terminal. */
function welcome(url: string, config: Config): string {
  const kept = config.embedded ? `, data under ${config.dataDir}` : '';
  return `
  Skein serves at ${url}${kept}

    curl -s ${url}/v1/studio/auth/signup -H 'content-type: application/json' \\
      -d '{"email":"you@example.com","password":"a long password"}'

  The contract is at ${url}/v1/openapi.json, health at /readyz, metrics at /metrics.
  npm run demo shows the main job; Ctrl-C drains and stops.

`;
}

if (process.argv.includes('--help')) {
  process.stdout.write(helpText());
  process.exit(0);
}
const config = configuration();
const log = pino({ level: config.logLevel, serializers: { err: describe } });
const stopped = new AbortController();
const starting = startSkein(config, log, stopped.signal);

// Signals come more than once: from the terminal and from npm, which passes on what the terminal has told both.
let stopping = false;
const stop = (signal: NodeJS.Signals): void => {
  if (stopping) return;
  stopping = true;
  log.info({ signal }, 'draining');
  setTimeout(() => process.exit(1), drainDeadlineMs).unref();
  stopped.abort();
  starting
    .then(skein => skein.stop())
    .then(
      () => process.exit(0),
      (err: unknown) => {
        if (err instanceof StartAborted) process.exit(0);
        log.error({ err }, 'the drain failed');
        process.exit(1);
      },
    );
};
process.on('SIGTERM', stop);
process.on('SIGINT', stop);

try {
  const skein = await starting;
  if (process.stdout.isTTY) process.stdout.write(welcome(skein.url, config));
  log.info({ url: skein.url }, 'ready');
} catch (err) {
  // Who was told to stop meanwhile ends above.
  if (!stopped.signal.aborted) {
    log.fatal({ err }, 'the node could not start');
    process.exitCode = 1;
    // Whatever still holds the event loop belongs to a part that failed half-way.
    setTimeout(() => process.exit(), 2_000).unref();
  }
}
