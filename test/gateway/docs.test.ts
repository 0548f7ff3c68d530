/** The documentation as a browser gets it. */
import t from 'tap';
import { errorBody } from '../../gateway/http/error-answer.ts';
import { serveDocs } from '../../gateway/docs/serve.ts';
import { errors, ServiceError, type ErrorCode } from '../../protocol/errors.ts';
import { eventTypes, type EventType } from '../../protocol/events.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations } from '../../protocol/operations/table.ts';
import { startServer } from './http-raw.ts';

const base = 'https://api.acme.test';
const { url } = await startServer(t, server => serveDocs(server, { baseUrl: base, docsUrl: `${base}/docs` }));
const codes = Object.keys(errors) as ErrorCode[];

interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

const pages = new Map<string, Promise<Page>>();

function page(path: string): Promise<Page> {
  let found = pages.get(path);
  if (found === undefined) {
    const get = async (): Promise<Page> => {
      const { status, headers, ...answer } = await fetch(url + path).then(async response => ({
        status: response.status,
        headers: response.headers,
        text: await response.text(),
      }));
      return { status, headers, text: answer.text };
    };
    pages.set(path, (found = get()));
  }
  return found;
}

/** Every page that links lead to from the first one. */
async function crawl(): Promise<Map<string, Page>> {
  const found = new Map<string, Page>();
  const queue = ['/docs'];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (found.has(path)) continue;
    const got = await page(path);
    found.set(path, got);
    for (const [, link = ''] of got.text.matchAll(/href="([^"]+)"/g)) {
      const [target = ''] = link.split('#');
      if (target.startsWith('/docs') && target !== '/docs/style.css') queue.push(target);
    }
  }
  return found;
}

t.test('every link leads to a page, and every anchor to a place on it', async t => {
  const site = await crawl();
  t.ok(site.size > 20, `${site.size} pages`);
  for (const [path, { status, text }] of site) {
    t.equal(status, 200, path);
    for (const [, link = ''] of text.matchAll(/href="([^"]+)"/g)) {
      if (link === '/v1/openapi.json' || link === '/docs/style.css') continue;
      const [target = '', anchor] = link.split('#');
      const there = target === '' ? text : (site.get(target)?.text ?? '');
      if (anchor !== undefined && !there.includes(`id="${anchor}"`)) t.fail(`${path} links to ${link}`);
      if (anchor === undefined && !site.has(target)) t.fail(`${path} links to ${link}`);
    }
  }
});

t.test('every docsUrl that an error can carry is a page with a section for its code', async t => {
  for (const code of codes) {
    const { docsUrl } = errorBody(new ServiceError(code), 'req_1', `${base}/docs`);
    const { status, text } = await page(new URL(docsUrl).pathname);
    t.equal(status, 200, docsUrl);
    const anchor = code.replaceAll('/', '-');
    const section = new RegExp(`<section id="${anchor}">[^]*?</section>`).exec(text)?.[0] ?? '';
    for (const told of [
      code,
      errors[code].message,
      String(errors[code].http),
      errors[code].grpc,
      'What to do',
    ]) {
      if (!section.includes(told.replaceAll("'", '&#39;'))) t.fail(`${code} on ${docsUrl}: ${told}`);
    }
    const area = await page(`/docs/errors/${code.split('/')[1]}`);
    t.equal(area.status, 200);
    t.ok(area.text.includes(`id="${anchor}"`), `${code} on the page of its area`);
  }
});

t.test(
  'every operation is there with its parameters, errors and examples, every event and every schema',
  async t => {
    const site = [...(await crawl()).values()].map(({ text }) => text).join('\n');
    for (const [id, operation] of Object.entries<Operation>(operations)) {
      const section = new RegExp(`<section id="${id}">[^]*?</section>`).exec(site)?.[0];
      if (operation.hidden) {
        t.equal(section, undefined, `${id} is private`);
        continue;
      }
      t.ok(section, id);
      const { properties = {} } = (operation.query ?? {}) as { readonly properties?: object };
      for (const told of [
        operation.method,
        operation.path,
        ...Object.keys(properties),
        ...operation.errors,
      ]) {
        if (!section?.includes(told)) t.fail(`${id}: ${told}`);
      }
      if (operation.body && !/<summary>Example/.test(section ?? '')) t.fail(`${id}: no example`);
      if (operation.idempotency !== 'none' && !section?.includes('Idempotency-Key'))
        t.fail(`${id}: Idempotency-Key`);
    }
    for (const [name, type] of Object.entries<EventType>(eventTypes)) {
      t.equal(site.includes(`id="${name}"`), !type.ephemeral, name);
    }
    t.match(site, 'id="Thread"');
  },
);

t.test('nothing comes from elsewhere, nothing runs, and nobody may frame it', async t => {
  for (const [path, { headers, text }] of await crawl()) {
    t.match(headers.get('content-security-policy'), /^default-src 'none'; style-src 'self';/, path);
    t.match(headers.get('content-type'), /^text\/html; charset=utf-8$/);
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.equal(headers.get('x-frame-options'), 'DENY');
    t.ok(headers.get('x-request-id'));
    t.notMatch(
      text,
      /<script|<iframe|<img|\sstyle=|\son[a-z]+=|javascript:|(?:src|href)="(?:https?:)?\/\//,
      path,
    );
  }
  const css = await page('/docs/style.css');
  t.equal(css.headers.get('content-type'), 'text/css; charset=utf-8');
  t.match(css.text, 'prefers-color-scheme:dark');
  t.notMatch(css.text, /url\(|@import/);
});

t.test('what has no page is 404', async t => {
  for (const path of ['/docs/nothing', '/docs/errors/nothing', '/docs/errors/auth/x']) {
    t.equal((await page(path)).status, 404, path);
  }
});
