/**
 * `npm run check:image`: the image of `deploy/Dockerfile` without Docker. Its steps run in roots of Debian made by debootstrap; then what a
 * container of it would be (namespaces, a root that cannot be written, its user without capabilities, tini as process 1) runs beside a
 * PostgreSQL, is asked for its health by the image's own check, and is told to stop. Prints what it does; exit code 1 when a step fails.
 *
 * Not part of `npm test`: it needs root, a mirror of Debian and npm's registry, and some minutes. The node of the base image is the project's own.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freshKey } from '../support/accounts.ts';
import { startTestServer } from '../support/database.ts';
import { pickPort } from '../support/free-port.ts';
import { Container, enter, path } from './container.ts';
import { readDockerfile, type Image, type Stage } from './dockerfile.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));
/** Authorities that this machine trusts: packages may come through a proxy of its own. */
const authorities = '/etc/ssl/certs/ca-certificates.crt';
/** For one step on a slow machine. */
const stepMs = 15 * 60_000;
const readyMs = 180_000;
/** As docs/operate/deploy.md has it for Kubernetes. */
const doctor = ['deploy/node', '.config/launch.js', 'gateway/doctor.ts'];

const write = (text: string): void => void process.stdout.write(`${text}\n`);

async function measured<T>(what: string, work: () => Promise<T>): Promise<T> {
  const from = performance.now();
  const result = await work();
  write(`${what}: ${((performance.now() - from) / 1_000).toFixed(0)} s`);
  return result;
}

function check(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(`not so: ${what}`);
  write(`- ${what}`);
}

async function requireProgram(name: string): Promise<void> {
  await run('which', [name]).catch(async () => {
    await run('apt-get', ['update']);
    await run('apt-get', ['install', '--yes', '--no-install-recommends', name]);
  });
}

/** The release that a base image names: `debian:bookworm-slim`, `node:22-bookworm-slim`. */
function getRelease({ base }: Stage): string {
  const release = /[:-](\w+)-slim$/.exec(base)?.[1];
  if (release === undefined) throw new Error(`no release of Debian is named by ${base}`);
  return release;
}

/** A root of Debian as the base images have it: as small as debootstrap makes one. */
async function makeDebian(folder: string, release: string): Promise<void> {
  await run('debootstrap', ['--variant=minbase', release, folder], { timeout: stepMs, maxBuffer: 2 ** 26 });
  await cp('/etc/resolv.conf', join(folder, 'etc/resolv.conf'), { dereference: true });
}

/** What `node:22` has beside that. */
async function addNode(folder: string): Promise<void> {
  const npm = process.env['npm_execpath'];
  if (npm === undefined) throw new Error('run it by npm: npm run check:image');
  await cp(process.execPath, join(folder, 'usr/local/bin/node'), { dereference: true });
  await cp(resolve(dirname(npm), '..'), join(folder, 'usr/local/lib/npm'), {
    recursive: true,
    dereference: true,
  });
  await writeFile(
    join(folder, 'usr/local/bin/npm'),
    '#!/bin/sh\nexec node /usr/local/lib/npm/bin/npm-cli.js "$@"\n',
    { mode: 0o755 },
  );
  await mkdir(join(folder, dirname(authorities)), { recursive: true });
  await cp(authorities, join(folder, authorities));
}

async function runStage(roots: ReadonlyMap<string, string>, stage: Stage): Promise<void> {
  const root = roots.get(stage.name);
  if (root === undefined) throw new Error(`no root of stage ${stage.name}`);
  const ignored = (await readFile(join(repository, 'deploy/Dockerfile.dockerignore'), 'utf8'))
    .trim()
    .split('\n');
  let folder = '/';
  for (const step of stage.steps) {
    switch (step.do) {
      case 'workdir':
        folder = step.folder;
        await mkdir(join(root, folder), { recursive: true });
        break;
      case 'copy': {
        const from = step.from === undefined ? repository : join(roots.get(step.from) ?? '', step.source);
        const isIn = (file: string): boolean =>
          step.from !== undefined || !ignored.some(pattern => matchesGlob(relative(from, file), pattern));
        await cp(from, resolve(root, join('.', folder), join(root, resolve(folder, step.target))), {
          recursive: true,
          verbatimSymlinks: true,
          filter: isIn,
        });
        break;
      }
      case 'run':
        await measured(`RUN ${step.command.replaceAll(/\s+/g, ' ').slice(0, 60)} ...`, () =>
          run(
            'unshare',
            [...enter(root, '', 'exec chroot "$root" sh -c "$2"'), `cd ${folder} && ${step.command}`],
            {
              timeout: stepMs,
              maxBuffer: 2 ** 26,
              env: {
                PATH: path,
                HOME: '/root',
                DEBIAN_FRONTEND: 'noninteractive',
                NODE_EXTRA_CA_CERTS: authorities,
              },
            },
          ),
        );
        break;
      default:
        step satisfies never;
    }
  }
}

/** The files of the image, by the steps of the file. */
async function build(folder: string, image: Image): Promise<string> {
  const roots = new Map(image.stages.map(({ name }) => [name, join(folder, name === '' ? 'image' : name)]));
  const debian = join(folder, 'debian');
  const [release = ''] = new Set(image.stages.map(getRelease));
  await measured(`debootstrap ${release}`, () => makeDebian(debian, release));
  for (const stage of image.stages) {
    const root = roots.get(stage.name) ?? '';
    await run('cp', ['-a', debian, root]);
    if (stage.base.includes('/node:')) await addNode(root);
    await runStage(roots, stage);
  }
  return roots.get('') ?? '';
}

async function tryImage(root: string, image: Image): Promise<void> {
  const { stdout: size } = await run('du', ['-sm', root]);
  write(`The image has ${size.split('\t')[0]} MB before compression. A container of it:`);
  const database = await startTestServer(undefined, { durable: true });
  const port = String(await pickPort());
  const keys = { SECRET_KEYS: freshKey(), TOKEN_KEYS: freshKey() };
  const others = { PORT: port, GRPC_PORT: 'off', BASE_URL: 'https://localhost', TRUSTED_PROXIES: '1' };
  const mail = { SMTP_URL: 'smtp://127.0.0.1:1?requireTLS=false', MAIL_FROM: 'Skein <skein@localhost>' };
  const lonely = new Container(root, image, { ...keys, ...others, ...mail });
  const code = await lonely.ended;
  const [, why = lonely.output] = /"message":"([^"]+)"/.exec(lonely.output) ?? [];
  check(code === 1 && why.includes('set DATABASE_URL'), `without DATABASE_URL it ends with ${code}: ${why}`);

  const container = new Container(root, image, { DATABASE_URL: database.url, ...keys, ...others, ...mail });
  try {
    let health = 1;
    for (const end = performance.now() + readyMs; health !== 0 && performance.now() < end; await pause(500))
      health = await container.checkHealth();
    check(health === 0, `its health check succeeds as user ${image.user}`);
    let ready = 0;
    for (const end = performance.now() + readyMs; ready !== 200 && performance.now() < end; await pause(500))
      ready = (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
    check(ready === 200, `/readyz answers ${ready}`);
    const page = await (await fetch(`http://127.0.0.1:${port}/studio`)).text();
    check(page.includes('<script'), 'Studio was built into it');
    const status = await container.readStatus();
    check(
      new RegExp(`^Uid:\\s${image.user}\\s${image.user}\\s`, 'm').test(status),
      `process 1 is of user ${image.user}`,
    );
    check(
      /^CapEff:\s0+$/m.test(status) && /^NoNewPrivs:\s1$/m.test(status),
      'it has no capabilities, and gets none',
    );
    check((await container.execute(['touch', '/app/x'])).code !== 0, 'its root cannot be written');
    check((await container.execute(['touch', `${image.volume}/x`])).code === 0, `${image.volume} can`);
    const { output } = await container.execute([...doctor, '--json']);
    const findings = output
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line) as { readonly check: string; readonly result: string });
    const failed = findings.filter(({ result }) => result === 'failed').map(each => each.check);
    check(
      findings.length > 10 && failed.join() === 'mail',
      `the doctor runs in it, and misses the mail server alone: ${findings.length} checks, failed: ${failed.join()}`,
    );
    const from = performance.now();
    check((await container.stop()) === 0, 'SIGTERM ends it with exit code 0');
    write(`- ${Math.round(performance.now() - from)} ms after it`);
    check(/"msg":"stopped"/.test(container.output), 'it had drained');
  } catch (error) {
    write(container.output);
    throw error;
  } finally {
    await container.kill();
    await database.stop();
  }
}

if (process.getuid?.() !== 0)
  throw new Error('roots can be made and entered by root alone: sudo npm run check:image');
await requireProgram('debootstrap');
const image = readDockerfile(await readFile(join(repository, 'deploy/Dockerfile'), 'utf8'));
const folder = await mkdtemp(join(tmpdir(), `skein-image-${process.pid}-`));
try {
  await tryImage(await build(folder, image), image);
} finally {
  await rm(folder, { recursive: true, force: true });
}
