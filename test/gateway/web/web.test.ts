/** The web apps as a node serves them: pages with a policy, files that are kept for ever, and nothing else of the folder. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { serveWebApps } from '../../../gateway/web/index.ts';
import { startServer } from '../http/http-fixture.ts';

const clients = fileURLToPath(new URL('../../../clients', import.meta.url));
const assets = join(clients, 'dist', 'assets');
await promisify(execFile)(process.execPath, [join(clients, 'build.js')]);

const startApps = (t: Test, folder?: string) =>
  startServer(t, server =>
    serveWebApps(server, {
      baseUrl: 'https://skein.example.com/',
      signup: 'disabled',
      passkeyOrigin: 'https://skein.example.com',
      chatapp: { url: 'https://provider.example/dialog?a="&b=2', appId: '1001', configId: undefined },
      ...(folder && { folder }),
    }),
  );

t.test('every address of an app is its page, with a nonce of its own', async t => {
  const { url } = await startApps(t);
  const nonces = new Set<string>();
  const inConsole = ['/console', '/console/', '/console/sign-in', '/console/prj_1/env_1/mine/thread_1'];
  const inStudio = ['/studio', '/studio/', '/studio/prj_1/env_1/webhooks/stitch_1?status=failed'];
  for (const path of [...inConsole, ...inStudio]) {
    const answer = await fetch(url + path);
    const page = await answer.text();
    t.match([answer.status, answer.headers.get('content-type')], [200, 'text/html; charset=utf-8'], path);
    t.equal(answer.headers.get('cache-control'), 'no-store');
    const policy = answer.headers.get('content-security-policy') ?? '';
    const nonce = /script-src 'self' 'nonce-([\w-]{22})';/.exec(policy)?.[1] ?? '';
    nonces.add(nonce);
    t.notMatch(page, /__CSP_NONCE__|__SIGNUP__/);
    t.match(page, '<meta name="skein-signup" content="disabled"', 'it says whether strangers may come');
    t.match(
      page,
      '<meta name="skein-passkeys" content="https://skein.example.com"',
      'and where passkeys work',
    );
    t.match(
      page,
      '<meta name="skein-chatapp" content="https://provider.example/dialog?a=&quot;&amp;b=2" data-app-id="1001" data-config-id="" />',
      'and where one signs up at the chat provider',
    );
    for (const [tag] of page.matchAll(/<(?:script|style|link rel="(?:stylesheet|modulepreload)")[^>]*>/g)) {
      t.match(tag, `nonce="${nonce}"`, tag);
    }
    t.match(policy, /^default-src 'none'; /);
    t.match(policy, "img-src 'self' https://skein.example.com blob: data:;", 'files have the public address');
    t.match(policy, "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types default");
    t.notMatch(policy, /unsafe|\*/);
    // No page of another is to show it in a frame, or to hold on to its window.
    const others = ['x-frame-options', 'cross-origin-opener-policy', 'permissions-policy'];
    t.strictSame(
      others.map(name => answer.headers.get(name)),
      ['DENY', 'same-origin', 'camera=(), microphone=(), geolocation=()'],
    );
  }
  t.equal(nonces.size, inConsole.length + inStudio.length);
});

t.test('files are kept for ever, and sent as the browser takes them', async t => {
  const { url } = await startApps(t);
  const names = (await readdir(assets)).filter(name => !/\.(?:br|gz)$/.test(name));
  t.ok(names.some(name => /^console-.*\.js$/.test(name)));
  for (const name of names) {
    const answer = await fetch(`${url}/assets/${name}`, { headers: { 'accept-encoding': 'identity' } });
    t.equal(answer.status, 200, name);
    t.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    t.equal(answer.headers.get('content-encoding'), null);
    t.ok(Buffer.from(await answer.arrayBuffer()).equals(await readFile(join(assets, name))));
  }
  const script = names.find(name => /^console-.*\.js$/.test(name)) ?? '';
  const plain = await readFile(join(assets, script), 'utf8');
  for (const [accepted, encoding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=0.8, br;q=0', 'gzip'],
    ['gzip;q=0', null],
    ['brotli, gzipped', null],
  ] as const) {
    // fetch would undo the encoding, and not say so.
    const { rawHeaders, body } = await getRaw(`${url}/assets/${script}`, accepted);
    t.equal(rawHeaders['content-encoding'] ?? null, encoding, accepted);
    t.equal(rawHeaders['vary'], 'Accept-Encoding');
    const text =
      encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body;
    t.ok(text.toString() === plain, `${accepted}: the same script`);
  }
});

/** An answer as it came. */
async function getRaw(url: string, acceptEncoding: string) {
  const { request } = await import('undici');
  const answer = await request(url, { headers: { 'accept-encoding': acceptEncoding } });
  return { rawHeaders: answer.headers, body: Buffer.from(await answer.body.arrayBuffer()) };
}

t.test('nothing but the files that were built', async t => {
  const { url } = await startApps(t);
  const [compressed = ''] = (await readdir(assets)).filter(name => name.endsWith('.br'));
  for (const name of [
    'none.js',
    compressed,
    '..%2fstamp',
    '%2e%2e%2fstamp',
    '..',
    'stamp',
    '__proto__',
    'constructor',
  ]) {
    t.equal((await fetch(`${url}/assets/${name}`)).status, 404, name);
  }
  t.equal((await fetch(`${url}/consoles`)).status, 404);
});

t.test('a node without built apps says what to run', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'skein-web-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'assets', 'left-over.js'), '');
  const { url } = await startApps(t, folder);
  const answer = await fetch(`${url}/console/sign-in`);
  t.match([answer.status, await answer.text()], [404, /npm run build/]);
  t.equal((await fetch(`${url}/assets/left-over.js`)).status, 404);
});

t.test('the apps are built with one React', async t => {
  const { version } = JSON.parse(
    await readFile(join(clients, 'node_modules', 'react', 'package.json'), 'utf8'),
  ) as { version: string };
  const scripts = (await readdir(assets)).filter(name => name.endsWith('.js'));
  const versions = new Set<string>();
  for (const name of scripts) {
    // What react-dom says to developer tools.
    const text = await readFile(join(assets, name), 'utf8');
    for (const [, found = ''] of text.matchAll(/reconcilerVersion:[`"'](\d+\.\d+\.\d+)/g))
      versions.add(found);
  }
  t.strictSame([...versions], [version]);
});
