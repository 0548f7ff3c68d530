/** Which Node the launcher takes, how it passes signals on, and how it ends. With the real server: launch-server.full.test.ts. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import t, { type Test } from 'tap';
import { nodeOptions, serverOptions } from '../../.config/node-options.js';
import { createProject, installNode, Launched, Reporter, repository, untilGone } from './launched.ts';

const launcher = '.config/launch.js';

async function createInstalled(t: Test): Promise<string> {
  const root = await createProject(t);
  await installNode(root, process.execPath);
  return root;
}

/** Runs the launcher to its end. */
async function run(t: Test, root: string, ...args: readonly string[]) {
  const launched = Launched.spawn(t, root, [process.execPath, ...args]);
  const { code } = await launched.exited;
  await launched.closed;
  return { code, output: launched.output };
}

t.test('it runs a file on the Node of the platform package, which is first on PATH', async t => {
  const root = await createInstalled(t);
  const [launched, reporter] = await Reporter.start(t, root, port => [
    process.execPath,
    launcher,
    '--no-warnings',
    'other.ts',
    port,
    '--one',
    'two words',
  ]);
  t.match(reporter.run, {
    file: join(root, 'other.ts'),
    args: ['--one', 'two words'],
    options: [...nodeOptions, '--no-warnings'],
  });
  const [first = '', second] = reporter.run.path.split(delimiter);
  t.match(first.slice(root.length), /^\/node_modules\/node-[a-z0-9-]+\/bin$/);
  t.equal(second, join(root, 'node_modules/.bin'));
  t.equal(reporter.ppid, launched.pid);
  reporter.end({ code: 0 });
  t.same(await launched.exited, { code: 0, signal: null });
});

t.test('the server gets its own options, from whatever folder it is started', async t => {
  const root = await createInstalled(t);
  const [, reporter] = await Reporter.start(t, join(root, 'gateway'), port => [
    process.execPath,
    join(root, launcher),
    'main.ts',
    port,
  ]);
  t.same(reporter.run.options, serverOptions);
});

t.test('without the package, a Node 22 serves itself', async t => {
  const root = await createProject(t);
  const [, reporter] = await Reporter.start(t, root, port => [process.execPath, launcher, 'other.ts', port]);
  t.equal(reporter.run.path.split(delimiter)[0], join(process.execPath, '..'));
});

t.test('without the package, another Node says in one line what to do', async t => {
  const root = await createProject(t);
  for (const version of ['20.19.0', '22.17.1', '24.1.0']) {
    const pretend = `Object.defineProperty(process,'versions',{value:{node:'${version}'}})`;
    const { code, output } = await run(
      t,
      root,
      `--import=data:text/javascript,${pretend}`,
      launcher,
      'other.ts',
    );
    t.equal(code, 1);
    t.match(
      output,
      /^\.config\/launch\.js: the package node-\S+ with Node 22 is not installed: run "npm ci".*\n$/,
    );
  }
});

t.test('a binary that cannot be run, no file and an unknown command are one line as well', async t => {
  const root = await createProject(t);
  const noProgram = join(root, 'package.json');
  await installNode(root, noProgram);
  for (const [args, expected] of [
    [['other.ts'], /^\.config\/launch\.js: \S+\/bin\/node cannot be run: .*EACCES\n$/],
    [[], /^\.config\/launch\.js: say what to run: .*\n$/],
    [['--no-warnings'], /^\.config\/launch\.js: say what to run: .*\n$/],
    [
      ['--bin', 'tsc'],
      /^\.config\/launch\.js: no installed package of package.json has a command tsc: .*\n$/,
    ],
  ] as const) {
    const { code, output } = await run(t, root, launcher, ...args);
    t.equal(code, 1);
    t.match(output, expected);
  }
});

t.test('it runs a command of a package by name', async t => {
  const root = await createInstalled(t);
  const tool = join(root, 'node_modules/@acme/tool');
  await mkdir(tool, { recursive: true });
  await writeFile(
    join(root, 'package.json'),
    JSON.stringify({ type: 'module', devDependencies: { '@acme/tool': '1.0.0' } }),
  );
  await writeFile(join(tool, 'run.cjs'), 'console.log(process.argv.slice(2).join("+")); process.exit(3);');
  for (const bin of ['run.cjs', { other: 'none.js', tool: './run.cjs' }]) {
    await writeFile(join(tool, 'package.json'), JSON.stringify({ bin }));
    t.same(await run(t, root, launcher, '--bin', 'tool', '--a', 'b'), { code: 3, output: '--a+b\n' });
  }
});

t.test(
  'it generates code before a program that needs it, and starts the program also when that fails',
  async t => {
    const root = await createInstalled(t);
    await writeFile(
      join(root, '.config/generate.js'),
      `import { existsSync } from 'node:fs';
export const isGenerated = () => existsSync('fresh');
if (process.argv[1] === import.meta.filename) { console.log('generating'); process.exit(1); }
`,
    );
    await writeFile(join(root, 'gateway/keys.ts'), "console.log('keys');");
    await writeFile(join(root, 'program.ts'), "console.log('program');");
    t.same(await run(t, root, launcher, 'gateway/keys.ts'), { code: 0, output: 'keys\n' });
    t.same(await run(t, root, launcher, 'program.ts'), { code: 0, output: 'generating\nprogram\n' });
    await writeFile(join(root, 'fresh'), '');
    t.same(await run(t, root, launcher, 'program.ts'), { code: 0, output: 'program\n' });
  },
);

t.test('every script of package.json goes through it', async t => {
  const text = await readFile(join(repository, 'package.json'), 'utf8');
  const { scripts } = JSON.parse(text) as { scripts: Record<string, string> };
  const steps = Object.values(scripts).flatMap(script => script.split(' && '));
  const others = steps.filter(
    step => !/^(npm run [a-z:]+(?: -- .+)?|node \.config\/launch\.js .*)$/.test(step),
  );
  t.same(others, []);
});

t.test('every signal is passed on, and the launcher stays until the program has ended', async t => {
  const root = await createInstalled(t);
  const [launched, reporter] = await Reporter.start(t, root, port => [
    process.execPath,
    launcher,
    'other.ts',
    port,
  ]);
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGTERM'] as const) {
    launched.child.kill(signal);
    t.equal(await reporter.signal(), signal);
  }
  t.equal(launched.child.exitCode, null);
  t.equal(launched.child.signalCode, null);
  reporter.end({ code: 7 });
  t.same(await launched.exited, { code: 7, signal: null });
});

t.test(
  'a program that dies by a signal takes the launcher with it, by the same or as a shell would say it',
  async t => {
    const root = await createInstalled(t);
    for (const [signal, expected] of [
      ['SIGTERM', { code: null, signal: 'SIGTERM' }],
      ['SIGKILL', { code: null, signal: 'SIGKILL' }],
      ['SIGQUIT', { code: 131, signal: null }],
    ] as const) {
      const [launched, reporter] = await Reporter.start(t, root, port => [
        process.execPath,
        launcher,
        'other.ts',
        port,
      ]);
      reporter.end({ signal });
      t.same(await launched.exited, expected);
    }
  },
);

t.test('whatever ends npm, the program is told to stop and may take its time', async t => {
  const root = await createInstalled(t);
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGKILL'] as const) {
    const [npm, reporter] = await Reporter.start(t, root, port => ['npm', 'start', '--', port]);
    npm.child.kill(signal);
    t.equal(await reporter.signal(), 'SIGTERM', `SIGTERM after ${signal} to npm`);
    reporter.end({ code: 0 });
    await npm.closed;
    await untilGone(reporter.pid, reporter.ppid);
  }
});

t.test('the exit code comes back through npm', async t => {
  const root = await createInstalled(t);
  const [npm, reporter] = await Reporter.start(t, root, port => ['npm', 'start', '--', port]);
  reporter.end({ code: 5 });
  t.same(await npm.exited, { code: 5, signal: null });
});

t.test('a program that was started by hand outlives its shell, one that npm started does not', async t => {
  const root = await createInstalled(t);
  // The shell waits for input, and ends before its child.
  const command = (port: string) => [
    'sh',
    '-c',
    `"${process.execPath}" ${launcher} other.ts ${port} & read -r line`,
  ];
  const [shell, byHand] = await Reporter.start(t, root, command);
  shell.child.kill('SIGKILL');
  await shell.exited;
  // One that watches looks for the first time a while after its start: by then the other would have looked too.
  const [npmShell, byNpm] = await Reporter.start(t, root, command, { npm_lifecycle_script: 'a script' });
  npmShell.child.kill('SIGKILL');
  t.equal(await byNpm.signal(), 'SIGTERM');
  process.kill(byHand.ppid, 'SIGUSR2');
  t.equal(await byHand.signal(), 'SIGUSR2', 'nothing before');
  for (const reporter of [byHand, byNpm]) {
    reporter.end({ code: 0 });
    await untilGone(reporter.pid, reporter.ppid);
  }
});

if (process.platform === 'linux') {
  /** As process 1: in a namespace of its own, as in a container. Needs root, or the right to make user namespaces. */
  const asFirstProcess = (...command: readonly string[]): readonly string[] => [
    'unshare',
    '--pid',
    '--fork',
    '--mount-proc',
    '--kill-child',
    ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
    '--',
    ...command,
  ];

  async function getChildren(pid: number): Promise<number[]> {
    const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  }

  /** The pid, as it is seen from here, of process 1 in there. */
  async function getFirstProcess(unshare: Launched): Promise<number> {
    return (await getChildren(unshare.pid))[0] ?? 0;
  }

  t.test('as process 1 it passes signals on and ends as the program does', async t => {
    const root = await createInstalled(t);
    for (const [order, code] of [
      [{ code: 5 }, 5],
      [{ signal: 'SIGKILL' }, 137],
      [{ signal: 'SIGTERM' }, 143],
    ] as const) {
      const [unshare, reporter] = await Reporter.start(t, root, port =>
        asFirstProcess(process.execPath, launcher, 'other.ts', port),
      );
      t.equal(reporter.ppid, 1);
      const first = await getFirstProcess(unshare);
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
        process.kill(first, signal);
        t.equal(await reporter.signal(), signal);
      }
      reporter.end(order);
      t.same(await unshare.exited, { code, signal: null });
      await untilGone(first);
    }
  });

  t.test('npm that is gone before the launcher looks for it is noticed', async t => {
    const root = await createInstalled(t);
    await writeFile(join(root, 'forever.js'), 'setInterval(() => undefined, 1_000);');
    // The inner shell starts the launcher, as npm would, and is gone at once: the outer, process 1, has its child.
    const inner = `"${process.execPath}" ${launcher} forever.js &`;
    const outer = 'sh -c "$0"; echo started; read -r line';
    const unshare = Launched.spawn(t, root, asFirstProcess('sh', '-c', outer, inner), {
      npm_lifecycle_script: 'a script',
    });
    await unshare.wrote(/started/);
    await untilGone(...(await getChildren(await getFirstProcess(unshare))));
    t.equal(unshare.child.exitCode, null);
  });
}
