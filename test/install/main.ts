/**
 * `npm run check:install`: what a newcomer does first, `npm ci` and `npm start`, with each version of npm and of Node that is
 * supported. Each pair gets a copy of the repository's files; npm must install it, run a script, start the server, and have it
 * drained by one SIGTERM to npm. Prints a table; exit code 1 when a step fails.
 *
 * Not part of `npm test`: it downloads three versions of npm and two of Node, and installs five times.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../storage/embedded/cluster.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** npm 12 does not run on Node 20. */
const pairs = [
  { npm: '10.9', node: '20' },
  { npm: '10.9', node: '22' },
  { npm: '11', node: '20' },
  { npm: '11', node: '22' },
  { npm: '12', node: '22' },
] as const;

/** For one step on a slow machine with an empty cache. */
const stepMs = 10 * 60_000;

const write = (text: string): void => void process.stdout.write(text);

/** How a command ended, and all that it said. */
interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** A running command: `npm` of a version on a Node of a version. */
interface Command {
  readonly child: ChildProcess;
  /** Resolves with its output so far once that matches; rejects when all who could write to it have ended. */
  wrote(expected: RegExp): Promise<string>;
  /** It has ended, and so have all its children that share its output. */
  readonly ended: Promise<Outcome>;
}

type Run = (
  folder: string,
  args: readonly string[],
  environment?: Readonly<Record<string, string>>,
) => Command;

/** Our environment without what the npm and the launcher that run this have put into it. */
function createEnvironment(nodeFolder: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^npm_|^INIT_CWD$|^NODE$/.test(name) || /^npm_config_(cache|registry|userconfig)$/.test(name),
  );
  const path = (process.env['PATH'] ?? '').split(delimiter).filter(folder => !folder.startsWith(repository));
  return { ...Object.fromEntries(kept), PATH: [nodeFolder, ...path].join(delimiter) };
}

function createRun(node: string, npm: string): Run {
  const inherited = createEnvironment(dirname(node));
  return (folder, args, environment = {}) => {
    const child = spawn(node, [npm, ...args], {
      cwd: folder,
      env: { ...inherited, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: stepMs,
    });
    let output = '';
    const take = (chunk: Buffer): void => void (output += chunk.toString());
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output }));
    async function wrote(expected: RegExp): Promise<string> {
      while (!expected.test(output)) {
        const more = once(child.stdout, 'data').then(() => true);
        if (!(await Promise.race([more, ended.then(() => false)]))) throw new Error(output);
      }
      return output;
    }
    return { child, wrote, ended };
  };
}

/** Runs npm to its end; rejects with what it said when it failed. */
async function complete(command: Command): Promise<void> {
  const { code, output } = await command.ended;
  if (code !== 0) throw new Error(`it ended with ${code}:\n${output}`);
}

/** Installs npm of that version; returns its program. */
async function installNpm(folder: string, version: string): Promise<string> {
  await install(folder, { dependencies: { npm: version } });
  return join(folder, 'node_modules/npm/bin/npm-cli.js');
}

/** Installs Node of that version for this platform; returns its binary. */
async function installNode(folder: string, version: string): Promise<string> {
  const packageJson = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
    optionalDependencies: Readonly<Record<string, string>>;
  };
  const names = Object.keys(packageJson.optionalDependencies);
  await install(folder, { optionalDependencies: Object.fromEntries(names.map(name => [name, version])) });
  const [binary] = globSync(join(folder, 'node_modules/node-*/bin/node*'));
  if (binary === undefined) throw new Error(`npm installed no Node ${version} for this platform`);
  return binary;
}

async function install(folder: string, packageJson: object): Promise<void> {
  if (existsSync(folder)) return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, ...packageJson }));
  const child = spawn('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    env: createEnvironment(dirname(process.execPath)),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`npm install ended with ${code} for ${JSON.stringify(packageJson)}`);
}

/** The files that a clone would have, and those that are about to be added. */
async function copyFiles(folder: string): Promise<void> {
  const git = spawn('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  git.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(git, 'close');
  for (const name of text.split('\0').filter(Boolean)) {
    const file = join(repository, name);
    if (existsSync(file)) await cp(file, join(folder, name));
  }
}

/** Starts the server, tells npm to stop, and looks that the server drained. */
async function startAndStop(run: Run, folder: string): Promise<void> {
  const port = await freePort();
  const data = join(folder, '.skein');
  const command = run(folder, ['start'], {
    DATA_DIR: data,
    HOST: '127.0.0.1',
    PORT: String(port),
    GRPC_PORT: 'off',
    LOG_LEVEL: 'info',
  });
  await command.wrote(/"msg":"ready"/);
  command.child.kill('SIGTERM');
  const { output } = await command.ended;
  if (!/"signal":"SIGTERM","msg":"draining"/.test(output)) throw new Error(`it did not drain:\n${output}`);
  const database = join(data, 'postgres');
  const owners = (await readdir(database)).filter(name => name.startsWith('owner-'));
  for (const name of owners) {
    const { released } = JSON.parse(await readFile(join(database, name), 'utf8')) as { released: boolean };
    if (!released) throw new Error(`the data folder was not released:\n${output}`);
  }
  if (existsSync(join(database, 'data/postmaster.pid'))) {
    throw new Error(`the database was not shut down:\n${output}`);
  }
  if ((await freePort(port)) !== port) throw new Error(`port ${port} is still taken:\n${output}`);
}

const steps: readonly { readonly name: string; readonly run: (run: Run, folder: string) => Promise<void> }[] =
  [
    { name: 'npm ci', run: (run, folder) => complete(run(folder, ['ci', '--no-audit', '--no-fund'])) },
    { name: 'npm run generate', run: (run, folder) => complete(run(folder, ['run', 'generate'])) },
    { name: 'npm start, SIGTERM', run: startAndStop },
  ];

/** Does all steps, or those up to the first that fails; returns what is to be shown of each. */
async function check(
  run: Run,
  folder: string,
  onFailure: (step: string, error: unknown) => void,
): Promise<string[]> {
  const shown: string[] = [];
  for (const step of steps) {
    const from = performance.now();
    try {
      await step.run(run, folder);
      shown.push(`${((performance.now() - from) / 1_000).toFixed(1)} s`);
    } catch (error) {
      shown.push('FAILED');
      onFailure(step.name, error);
      break;
    }
  }
  return shown;
}

/** The output of a command that prints one line. */
async function readVersion(node: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(node, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(child, 'close');
  return text.trim();
}

const temporary = await mkdtemp(join(tmpdir(), 'skein-check-install-'));
// The account of the database must be able to pass through.
await chmod(temporary, 0o711);
const failures: string[] = [];
try {
  const head = ['npm', 'Node', ...steps.map(({ name }) => name), '.bin/node'];
  write(`| ${head.join(' | ')} |\n|${head.map(() => '---').join('|')}|\n`);
  for (const pair of pairs) {
    const npm = await installNpm(join(temporary, `npm-${pair.npm}`), pair.npm);
    const node = await installNode(join(temporary, `node-${pair.node}`), pair.node);
    const folder = join(temporary, 'copy');
    await copyFiles(folder);
    const title = `npm ${pair.npm} on Node ${pair.node}`;
    const shown = await check(createRun(node, npm), folder, (step, error) => {
      failures.push(`${title}: ${step}: ${error instanceof Error ? error.message : String(error)}`);
    });
    const row = [
      ...[await readVersion(node, npm, '--version'), await readVersion(node, '--version')],
      ...steps.map((_, index) => shown[index] ?? ''),
      existsSync(join(folder, 'node_modules/.bin/node')) ? 'linked' : 'left out',
    ];
    write(`| ${row.join(' | ')} |\n`);
    await rm(folder, { recursive: true, force: true });
  }
} finally {
  await rm(temporary, { recursive: true, force: true });
}
for (const failure of failures) write(`\n${failure}\n`);
process.exitCode = failures.length > 0 ? 1 : 0;
