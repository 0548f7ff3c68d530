/** What a container is: a process in a root of its own, with mounts and processes of its own, as the user of its image. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Image } from './dockerfile.ts';

const run = promisify(execFile);
/** Of Docker's images. */
export const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** A node drains for 30 seconds at most. */
const stopMs = 40_000;
/** For a command beside it, on a slow machine. */
const commandMs = 60_000;

interface Executed {
  readonly code: number;
  readonly output: string;
}

/** A shell in a root, with processes and mounts of its own. `prepare` mounts, `command` runs in the root. */
export const enter = (root: string, prepare: string, command: string): readonly string[] => [
  ...['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', '--', 'sh', '-ec'],
  `root="$1"; mount --bind "$root" "$root"; mount -t proc proc "$root/proc"; mount --rbind /dev "$root/dev"; ${prepare} ${command}`,
  'sh',
  root,
];

/** What runs in a root as the image says. */
export class Container {
  readonly ended: Promise<number | null>;
  output = '';
  readonly #image: Image;
  readonly #variables: readonly string[];
  readonly #process: ChildProcess;

  constructor(root: string, image: Image, variables: Readonly<Record<string, string>>) {
    this.#image = image;
    this.#variables = Object.entries({ PATH: path, ...image.environment, ...variables }).map(
      ([name, value]) => `${name}=${value}`,
    );
    const writable = ['/tmp', image.volume]
      .map(folder => `mount -t tmpfs -o uid=${image.user},gid=${image.user} tmpfs "$root${folder}";`)
      .join(' ');
    const readOnly = 'mount -o remount,bind,ro "$root";';
    this.#process = spawn(
      'unshare',
      [
        ...enter(root, `${writable} ${readOnly}`, 'shift; exec chroot "$root" "$@"'),
        ...this.#asUser(image.entrypoint),
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.ended = once(this.#process, 'close').then(([code]) => code as number | null);
  }

  /** Process 1, as this machine numbers it. */
  async #first(): Promise<string> {
    const { pid } = this.#process;
    const first = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim();
    if (!/^\d+$/.test(first)) throw new Error(`the container has no process 1: ${first}`);
    return first;
  }

  /** A command in the container, as `docker exec`. */
  async execute(command: readonly string[]): Promise<Executed> {
    const target = await this.#first();
    const words = ['--target', target, '--mount', '--pid', '--root', '--', ...this.#asUser(command)];
    return run('nsenter', words, { timeout: commandMs }).then(
      ({ stdout }) => ({ code: 0, output: stdout }),
      (error: { readonly code?: number; readonly stdout?: string }) => ({
        code: error.code ?? 1,
        output: error.stdout ?? '',
      }),
    );
  }

  /** 0: it is healthy. As long as it has no process, it is not. */
  checkHealth(): Promise<number> {
    return this.execute(this.#image.healthCheck).then(
      ({ code }) => code,
      () => 1,
    );
  }

  /** Lines of `/proc/PID/status` of process 1. */
  async readStatus(): Promise<string> {
    return readFile(`/proc/${await this.#first()}/status`, 'utf8');
  }

  async stop(): Promise<number | null> {
    process.kill(Number(await this.#first()), 'SIGTERM');
    const late = new AbortController();
    const inTime = await Promise.race([this.ended, pause(stopMs, 'late' as const, { signal: late.signal })]);
    late.abort();
    if (inTime === 'late') throw new Error(`it did not stop within ${stopMs} ms:\n${this.output}`);
    return inTime;
  }

  /** Ends what is left of it. The kernel forgets `--kill-child` where a process changes its user. */
  async kill(): Promise<void> {
    const first = await this.#first().catch(() => undefined);
    if (first !== undefined) process.kill(Number(first), 'SIGKILL');
    this.#process.kill('SIGKILL');
    await this.ended;
  }

  #asUser(command: readonly string[]): readonly string[] {
    const { user } = this.#image;
    const ids = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
    const bounds = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'];
    return ['setpriv', ...ids, ...bounds, '--', 'env', '-i', '-C', '/app', ...this.#variables, ...command];
  }
}
