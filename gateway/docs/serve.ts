/**
 * What a browser gets that was given the address of a node: /docs, its script, /docs/errors, a page for what does not exist, and the icon. Open to all; nothing is loaded from another server.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../../protocol/errors.ts';
import { type HttpAnswer, type HttpRequest, type HttpServer, StaticContent } from '../http/index.ts';
import { areaPath, areas, errorAreaPage, errorsPage, notFoundPage } from './error-pages.ts';
import { referencePage } from './reference-page.ts';
import { readRunbook } from './runbook-page.ts';
import { stylesheet } from './stylesheet.ts';

const { version } = createRequire(import.meta.url)('redoc/package.json') as { readonly version: string };

/** The address names the version, so that a browser may keep the script for ever. */
const scriptPath = `/docs/redoc-${version}.js`;
const scriptFile = fileURLToPath(import.meta.resolve('redoc/bundles/redoc.standalone.js'));
const scriptType = 'text/javascript; charset=utf-8';

const headers = {
  'Cache-Control': 'public, max-age=300',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
};
const shared = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** The error pages: one stylesheet, the icon, and nothing else. */
const staticPolicy = `default-src 'none'; style-src 'self'; img-src 'self'; ${shared}`;
/** Of a page that is made for each request, and kept by nobody. */
export const textPageHeaders = {
  ...headers,
  'Content-Security-Policy': staticPolicy,
  'Cache-Control': 'no-store',
} as const;
/** The reference: our copy of Redoc, which sets styles on elements and searches in a worker; nothing from another server. */
const referencePolicy = `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; worker-src blob:; ${shared}`;

type Handler = (request: HttpRequest) => Promise<HttpAnswer>;

function serve(
  contentType: string,
  load: () => Buffer | Promise<Buffer>,
  more: Record<string, string>,
): Handler {
  const content = new StaticContent(load, { ...headers, ...more });
  return async request => ({ ...(await content.answer(request)), contentType });
}

function page(body: string | (() => Promise<string>), policy: string): Handler {
  const more = { 'Content-Security-Policy': policy };
  const load = async (): Promise<Buffer> => Buffer.from(typeof body === 'string' ? body : await body());
  return serve('text/html; charset=utf-8', load, more);
}

/** A thread, and a message on it. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1d4ed8"/><path d="M8 10h16M8 16h16M8 22h9" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>`;

/** Whether a person at a browser asks, and not a program. */
function wantsPage(request: HttpRequest): boolean {
  return request.method === 'GET' && /\btext\/html\b/.test(request.header('accept'));
}

/** The answer, or, where a person at a browser asked for what does not exist, a page that says so. */
export function showToPeople(request: HttpRequest, answer: HttpAnswer): HttpAnswer {
  if (answer.status !== 404 || !wantsPage(request)) return answer;
  return {
    status: 404,
    contentType: 'text/html; charset=utf-8',
    body: notFoundPage(),
    headers: textPageHeaders,
  };
}

/** Registers the routes of the documentation, and of what else a browser gets. */
export function serveDocs(server: Pick<HttpServer, 'route'>): void {
  const reference = page(referencePage(scriptPath), referencePolicy);
  for (const path of ['/docs', '/docs/']) server.route('GET', path, reference);

  server.route('GET', '/', request => {
    if (!wantsPage(request)) throw new ServiceError('svc/runtime/not_found');
    return { status: 302, headers: { Location: '/docs', Vary: 'Accept' } };
  });
  const iconAnswer: HttpAnswer = { status: 200, contentType: 'image/svg+xml', body: icon, headers };
  for (const path of ['/favicon.svg', '/favicon.ico']) server.route('GET', path, () => iconAnswer);

  const script = serve(scriptType, () => readFile(scriptFile), {
    'Cache-Control': 'public, max-age=31536000, immutable',
  });
  server.route('GET', scriptPath, script);

  server.route('GET', '/docs/errors', page(errorsPage(), staticPolicy));
  for (const area of areas) server.route('GET', areaPath(area), page(errorAreaPage(area), staticPolicy));
  server.route('GET', '/docs/runbook', page(readRunbook, staticPolicy));
  const style = serve('text/css; charset=utf-8', () => Buffer.from(stylesheet), {});
  server.route('GET', '/docs/style.css', style);
}
