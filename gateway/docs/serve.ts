/** The documentation's routes: /docs, /docs/{page}, /docs/errors/{area}. Open to all. */
import { openApiDocument, type OpenApiOptions } from '../../protocol/openapi.ts';
import type { HttpAnswer } from '../http/message.ts';
import type { HttpServer } from '../http/server.ts';
import type { Document } from './operations.ts';
import { docsSite } from './site.ts';
import { style } from './style.ts';

const headers = {
  'Cache-Control': 'public, max-age=300',
  // Our own stylesheet and nothing else: no scripts, no frames, no forms.
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
};

function file(contentType: string, body: string): HttpAnswer {
  return { status: 200, contentType, body, headers };
}

/** Registers a route for each page. A page is made when it is first asked for: on most nodes none ever is. */
export function serveDocs(server: Pick<HttpServer, 'route'>, options: OpenApiOptions): void {
  const document = openApiDocument(options) as unknown as Document;
  for (const [path, make] of docsSite(document)) {
    let answer: HttpAnswer | undefined;
    const page = (): HttpAnswer => (answer ??= file('text/html; charset=utf-8', make()));
    server.route('GET', path, page);
    if (path === '/docs') server.route('GET', '/docs/', page);
  }
  server.route('GET', '/docs/style.css', () => file('text/css; charset=utf-8', style));
}
