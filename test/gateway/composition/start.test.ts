/** Starts that fail: they name the variable to change, show no secret, and leave everything as it was. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import t, { type Test } from 'tap';
import { serverOptions } from '../../../.config/node-options.js';
import { StartRefused, startSkein } from '../../../gateway/composition/index.ts';
import { readConfig } from '../../../gateway/config/index.ts';
import { moduleCacheEnvironment, moduleCacheOptions } from '../../support/module-cache-options.ts';
import { dataFolder } from '../../support/node-process.ts';
import { TestLog } from '../../support/test-log.ts';

const main = fileURLToPath(new URL('../../../gateway/main.ts', import.meta.url));
const secret = 'hunter2-hunter2-hunter2';

/** The error of a start in this process. */
async function getRefusal(t: Test, variables: Readonly<Record<string, string>>): Promise<Error> {
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    GRPC_PORT: 'off',
    DATA_DIR: await dataFolder(t),
    ...variables,
  });
  const log = new TestLog();
  const error = await startSkein(config, log).then(
    async ({ stop }) => stop(),
    (reason: unknown) => reason,
  );
  t.notMatch(inspect(error), secret);
  if (!(error instanceof Error)) throw new Error('it has started');
  return error;
}

t.test('an unreachable or foreign database is named without its password', async t => {
  const deaf = createServer(socket => socket.destroy()).listen(0, '127.0.0.1');
  await once(deaf, 'listening');
  t.teardown(() => void deaf.close());
  const { port } = deaf.address() as AddressInfo;
  for (const [address, reason] of [
    [`127.0.0.1:${port}`, /Connection terminated|ECONNRESET/],
    ['127.0.0.1:1', /ECONNREFUSED 127.0.0.1:1/],
    ['nowhere.invalid', /nowhere.invalid/],
  ] as const) {
    const error = await getRefusal(t, { DATABASE_URL: `postgres://skein:${secret}@${address}/skein` });
    t.match(error, { message: /DATABASE_URL/, cause: { message: reason } });
  }
});

t.test('a taken port, or a folder that cannot be written, is refused by its variable', async t => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => void other.close());
  const port = String((other.address() as AddressInfo).port);
  const refusals: [Readonly<Record<string, string>>, string][] = [
    [{ PORT: port }, `PORT: cannot listen on 127.0.0.1:${port}: the port is taken`],
    [
      { GRPC_PORT: port, SERVICE_TOKENS: `ops:${'s'.repeat(32)}` },
      `GRPC_PORT: cannot listen on 127.0.0.1:${port}: the port is taken`,
    ],
  ];
  for (const folder of ['/proc/x', '/proc/x/y', '/dev/null/x']) {
    refusals.push([{ DATA_DIR: folder }, `DATA_DIR: cannot write to ${folder} `]);
    refusals.push([{ MEDIA_URL: `file://${folder}` }, `MEDIA_URL: cannot write to ${folder} `]);
  }
  for (const [variables, message] of refusals) {
    const error = await getRefusal(t, variables);
    t.type(error, StartRefused);
    t.ok(error.message.startsWith(message), error.message);
  }
});

t.test('a damaged key file stops the start and is not overwritten', async t => {
  const folder = await dataFolder(t);
  const file = join(folder, 'keys.json');
  for (const damage of [
    '',
    `{"secretKeys":"a:${secret}`,
    '{}',
    `{"secretKeys":"a:${secret}","tokenKeys":"b"}`,
  ]) {
    await writeFile(file, damage);
    t.match(await getRefusal(t, { DATA_DIR: folder }), { message: /keys\.json/ }, damage);
    t.equal(await readFile(file, 'utf8'), damage);
  }
  t.same(await readdir(folder), ['keys.json'], 'nothing else was made');
});

t.test('the program refuses an unknown argument and a wrong configuration as a whole', async t => {
  const run = (given: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
    spawnSync(process.execPath, [...serverOptions, ...moduleCacheOptions, main, ...given], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...moduleCacheEnvironment, ...variables },
    });
  t.match(run(['--prot']), { status: 64, stderr: /^unknown argument: --prot\n/ });
  t.match(run(['--version']), { status: 0, stdout: /^\d+\.\d+\.\d+\n$/ });
  const { status, stderr } = run([], {
    PORT: '80x',
    DATABASE_URL: `mysql://user:${secret}@db/skein`,
    SECRET_KEYS: `one:${secret}`,
  });
  t.equal(status, 78, 'EX_CONFIG');
  for (const name of ['PORT', 'DATABASE_URL', 'SECRET_KEYS']) t.match(stderr, new RegExp(`${name} wants `));
  t.notMatch(stderr, secret);
  t.notMatch(stderr, 'at file:', 'without a stack');
});
