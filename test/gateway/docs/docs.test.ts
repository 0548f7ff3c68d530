/** The documentation pages. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { toHtml } from '../../../gateway/docs/runbook-page.ts';
import { systemFaultNames } from '../../../protocol/resources/system.ts';
import { errorBody } from '../../../gateway/http/message.ts';
import { serveDocs, showToPeople } from '../../../gateway/docs/index.ts';
import { errors, ServiceError, type ErrorCode } from '../../../protocol/errors.ts';
import { startServer } from '../http/http-fixture.ts';

const docsUrl = 'https://api.acme.test/docs';
const { url } = await startServer(t, serveDocs);
const codes = Object.keys(errors) as ErrorCode[];
const areas = [...new Set(codes.map(code => code.split('/')[1]))];
const errorPages = ['/docs/errors', ...areas.map(area => `/docs/errors/${area}`)];

t.test('the reference draws the contract with the packaged Redoc', async t => {
  const answer = await fetch(`${url}/docs`);
  const page = await answer.text();
  t.match(answer.headers.get('content-type'), 'text/html; charset=utf-8');
  t.match(page, '<redoc spec-url="/v1/openapi.json">');

  const [, src = ''] = /<script src="([^"]+)">/.exec(page) ?? [];
  const script = await fetch(url + src);
  t.equal(script.status, 200);
  t.match(script.headers.get('content-type'), 'text/javascript');
  t.match(script.headers.get('cache-control'), 'immutable');
  const packaged = fileURLToPath(import.meta.resolve('redoc/bundles/redoc.standalone.js'));
  t.equal(
    await script.text(),
    await readFile(packaged, 'utf8'),
    'the bytes of the package, decompressed by fetch',
  );
  t.equal(script.headers.get('content-encoding'), 'gzip');

  const plain = await fetch(url + src, { headers: { 'accept-encoding': 'identity' } });
  t.equal(plain.headers.get('content-encoding'), null);
  t.equal(await plain.text(), await readFile(packaged, 'utf8'));

  t.equal(await (await fetch(`${url}/docs/`)).text(), page, 'with and without a slash');
});

t.test('every docsUrl that an error can carry is a page with a section for its code', async t => {
  for (const code of codes) {
    const { docsUrl: link } = errorBody(new ServiceError(code), 'req_1', docsUrl);
    const anchor = code.replaceAll('/', '-');
    for (const path of new Set([
      new URL(link).pathname,
      '/docs/errors',
      `/docs/errors/${code.split('/')[1]}`,
    ])) {
      const page = await (await fetch(url + path)).text();
      const section = new RegExp(`<section id="${anchor}">[^]*?</section>`).exec(page)?.[0] ?? '';
      const { message, http, grpc } = errors[code];
      for (const told of [code, message, String(http), grpc, 'What to do']) {
        if (!section.includes(told.replaceAll("'", '&#39;'))) t.fail(`${code} on ${path}: ${told}`);
      }
    }
  }
});

t.test('the links of the error pages lead to pages and anchors that exist', async t => {
  for (const path of errorPages) {
    const page = await (await fetch(url + path)).text();
    for (const [, link = ''] of page.matchAll(/href="([^"]+)"/g)) {
      const [target = '', anchor] = link.split('#');
      if (anchor !== undefined) t.match(page, `id="${anchor}"`, `${path}#${anchor}`);
      else t.equal((await fetch(url + target)).status, 200, `${path} links to ${target}`);
    }
  }
});

t.test('no resource is loaded from another server, and pages cannot be framed', async t => {
  for (const path of ['/docs', ...errorPages]) {
    const { headers, ...answer } = await fetch(url + path).then(async each => ({
      headers: each.headers,
      text: await each.text(),
    }));
    const policy = headers.get('content-security-policy') ?? '';
    t.match(policy, /^default-src 'none'; /, path);
    t.notMatch(policy, /https?:|\*/, 'no other server is allowed');
    t.match(policy, "frame-ancestors 'none'");
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.equal(headers.get('x-frame-options'), 'DENY');
    t.ok(headers.get('x-request-id'));
    t.notMatch(answer.text, /(?:src|href)="(?:https?:)?\/\//, path);
    if (path !== '/docs') t.notMatch(answer.text, /<script/, 'the error pages run nothing');
  }
  const css = await fetch(`${url}/docs/style.css`);
  t.equal(css.headers.get('content-type'), 'text/css; charset=utf-8');
  t.notMatch(await css.text(), /url\(|@import/);
});

t.test('a page that a browser has is not sent again', async t => {
  for (const path of ['/docs', '/docs/style.css', ...errorPages]) {
    const first = await fetch(url + path);
    await first.text();
    const etag = first.headers.get('etag') ?? '';
    t.match(etag, /^"[^"]+"$/, path);
    t.equal(first.headers.get('content-encoding'), 'gzip', path);
    const again = await fetch(url + path, { headers: { 'if-none-match': etag } });
    t.strictSame([again.status, await again.text()], [304, ''], path);
  }
});

t.test(
  'a browser finds its way: from the root to the reference, and a page where there is nothing',
  async t => {
    const { url: site } = await startServer(t, server => {
      serveDocs(server);
      server.unrouted((request, answer) => showToPeople(request, answer()));
    });
    const browser = {
      headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
      redirect: 'manual',
    } as const;
    const root = await fetch(`${site}/`, browser);
    t.strictSame([root.status, root.headers.get('location')], [302, '/docs']);
    const missing = await fetch(`${site}/<script>alert(1)</script>`, browser);
    const page = await missing.text();
    t.strictSame([missing.status, missing.headers.get('content-type')], [404, 'text/html; charset=utf-8']);
    t.match(page, 'href="/docs"');
    t.notMatch(page, 'alert', 'nothing of the address is repeated');
    for (const path of ['/', '/nothing']) {
      const answer = await fetch(site + path);
      t.match(await answer.json(), { error: 'svc/runtime/not_found' }, 'a program gets JSON');
      t.equal(answer.status, 404);
    }
    for (const path of ['/docs/nothing', '/docs/errors/nothing', '/docs/errors/auth/x'])
      t.equal((await fetch(site + path)).status, 404, path);
    t.equal((await fetch(`${site}/favicon.ico`)).headers.get('content-type'), 'image/svg+xml');
  },
);

t.test('the runbook is at hand, with a section for each fault of the System page', async t => {
  const answer = await fetch(`${url}/docs/runbook`);
  t.equal(answer.status, 200);
  t.match(answer.headers.get('content-security-policy'), "default-src 'none'");
  const page = await answer.text();
  for (const name of systemFaultNames) {
    const section = new RegExp(`<section id="${name.toLowerCase()}">[^]*?</section>`).exec(page)?.[0] ?? '';
    t.match(section, `>${name}</a>`);
    t.match(section, '<b>Tell:</b>', name);
    t.match(section, '<b>Do:</b>', name);
  }
  t.match(page, /<pre>rule_files:[^]*\n {2}- job_name: skein\n/, 'with its example');
  t.notMatch(page, /\]\(|\*\*|```/, 'nothing of its Markdown is left');
});

t.test('Markdown as the runbook has it: what it quotes is no markup', async t => {
  const text =
    '# Title\n\nOne `a < b`\nline.\n\n## First\n\n- **Do:** see [it](#first)\n  now\n- [`x`](y.md#z)\n\n```sh\na\n\n- b\n```\n';
  t.equal(
    toHtml(text).text.replaceAll(/>\s+</g, '><'),
    '<p>One <code>a &lt; b</code>\nline.</p>' +
      '<section id="first"><h2><a href="#first">First</a></h2>' +
      '<ul><li><b>Do:</b> see <a href="#first">it</a>\n  now</li><li><code>x</code></li></ul>' +
      '<pre>a\n\n- b</pre></section>',
  );
});
