/** The documentation's routes: /docs, its script, and /docs/errors. Open to all; nothing is loaded from another server. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { HttpAnswer, HttpServer } from '../http/index.ts';
import { areaPath, areas, errorAreaPage, errorsPage } from './error-pages.ts';
import { referencePage } from './reference-page.ts';
import { stylesheet } from './stylesheet.ts';

const { version } = createRequire(import.meta.url)('redoc/package.json') as { readonly version: string };

/** The address names the version, so that a browser may keep the script for ever. */
const scriptPath = `/docs/redoc-${version}.js`;
const scriptFile = fileURLToPath(import.meta.resolve('redoc/bundles/redoc.standalone.js'));

const headers = {
  'Cache-Control': 'public, max-age=300',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
};
const shared = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** The error pages: one stylesheet and nothing else. */
const staticPolicy = `default-src 'none'; style-src 'self'; ${shared}`;
/** The reference: our copy of Redoc, which sets styles on elements and searches in a worker; nothing from another server. */
const referencePolicy = `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; worker-src blob:; ${shared}`;

function page(body: string, policy: string): HttpAnswer {
  return {
    status: 200,
    contentType: 'text/html; charset=utf-8',
    body,
    headers: { ...headers, 'Content-Security-Policy': policy },
  };
}

/** Reads and compresses the script when it is first asked for: on most nodes it never is. */
function scriptHandler(): (acceptsGzip: boolean) => Promise<HttpAnswer> {
  let plain: Promise<Buffer> | undefined;
  let compressed: Promise<Buffer> | undefined;
  return async acceptsGzip => {
    plain ??= readFile(scriptFile);
    if (acceptsGzip) compressed ??= plain.then(script => promisify(gzip)(script));
    return {
      status: 200,
      contentType: 'text/javascript; charset=utf-8',
      body: await ((acceptsGzip ? compressed : undefined) ?? plain),
      headers: {
        'Cache-Control': 'public, max-age=31536000, immutable',
        Vary: 'Accept-Encoding',
        ...(acceptsGzip && { 'Content-Encoding': 'gzip' }),
      },
    };
  };
}

/** Registers the routes of the documentation. */
export function serveDocs(server: Pick<HttpServer, 'route'>): void {
  const reference = page(referencePage(scriptPath), referencePolicy);
  server.route('GET', '/docs', () => reference);
  server.route('GET', '/docs/', () => reference);

  const script = scriptHandler();
  server.route('GET', scriptPath, request => script(/\bgzip\b/.test(request.header('accept-encoding'))));

  const errors = page(errorsPage(), staticPolicy);
  server.route('GET', '/docs/errors', () => errors);
  for (const area of areas) {
    const answer = page(errorAreaPage(area), staticPolicy);
    server.route('GET', areaPath(area), () => answer);
  }
  server.route('GET', '/docs/style.css', () => ({
    status: 200,
    contentType: 'text/css; charset=utf-8',
    body: stylesheet,
    headers,
  }));
}
