/** The server, started as people start it, by `npm start`. However it is told to stop, it drains and leaves nothing behind. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { pickPort } from '../support/free-port.ts';
import { processGuard } from '../support/process-guard.ts';
import { dataFolder } from '../support/node-process.ts';
import { Launched, repository, untilGone } from './launched.ts';

interface Started {
  readonly launched: Launched;
  /** The node's process. */
  readonly pid: number;
  /** The launcher's process. */
  readonly parent: number;
}

// One folder and one port for all starts: each shows that the one before has let them go.
const folder = await dataFolder(t);
const port = await pickPort();

/** Starts the server and waits until it is ready. */
async function start(t: Test, ...command: readonly string[]): Promise<Started> {
  const launched = Launched.spawn(t, repository, command, {
    DATA_DIR: folder,
    HOST: '127.0.0.1',
    PORT: String(port),
    GRPC_PORT: 'off',
    LOG_FORMAT: 'json',
    LOG_LEVEL: 'info',
  });
  // Its launcher notices that it is gone.
  const release = processGuard(launched.pid, 'KILL');
  void launched.exited.then(release);
  const pid = Number((await launched.wrote(/"pid":(\d+).*"msg":"ready"/))[1]);
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return { launched, pid, parent: Number(/^PPid:\s*(\d+)$/m.exec(status)?.[1]) };
}

/** A terminal of its own, as people have: what is written to its standard input is typed. */
const inTerminal = (command: string): readonly string[] => ['script', '-qec', command, '/dev/null'];

/** Waits until all are gone, and looks that nothing was cut off. */
async function drained(t: Test, { launched, pid, parent }: Started): Promise<void> {
  await untilGone(pid, parent, launched.pid);
  const database = join(folder, 'postgres');
  const owners = (await readdir(database)).filter(name => name.startsWith('owner-'));
  const texts = await Promise.all(owners.map(name => readFile(join(database, name), 'utf8')));
  t.match(
    texts.map(text => JSON.parse(text)),
    [{ pid, released: true }],
    'the data folder was released',
  );
  t.notOk(existsSync(join(database, 'data/postmaster.pid')), 'the database was shut down');
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
}

t.test('npm start, and SIGTERM to npm', async t => {
  const started = await start(t, 'npm', 'start');
  const { launched } = started;
  launched.child.kill('SIGTERM');
  await launched.closed;
  t.match(launched.output, /"signal":"SIGTERM","msg":"draining"/);
  await drained(t, started);
});

t.test('npm start in a terminal, and Ctrl-C twice', async t => {
  const started = await start(t, ...inTerminal('npm start'));
  const { launched } = started;
  launched.child.stdin?.write('\x03');
  await launched.wrote(/"signal":"SIGINT","msg":"draining"/);
  launched.child.stdin?.write('\x03');
  await launched.exited;
  await drained(t, started);
});

t.test('in a terminal the log is for people', async t => {
  const launched = Launched.spawn(t, repository, inTerminal('node .config/launch.js gateway/main.ts'), {
    DATA_DIR: folder,
    PORT: String(port),
    GRPC_PORT: 'off',
    NO_COLOR: '1',
  });
  await launched.wrote(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: ready \{"url":"http:\/\/127\.0\.0\.1:\d+"\}/m);
  launched.child.stdin?.write('\x03');
  await launched.closed;
  t.match(launched.output, /INFO: stopped/);
  t.notMatch(launched.output, /^\{|"level"/m);
});

t.test('npm start in a terminal that is closed', async t => {
  const started = await start(t, ...inTerminal('npm start'));
  started.launched.child.kill('SIGKILL');
  await drained(t, started);
});
