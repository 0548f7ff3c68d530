/** The pages of errors, to which every `docsUrl` leads: one with all, and one for each area. */
import { errors, grpcStatus, type ErrorCode } from '../../protocol/errors.ts';
import { advice } from './error-advice.ts';
import { Html, html, prose } from './html.ts';

const codes = Object.keys(errors) as ErrorCode[];

/** `auth` of `svc/auth/expired_token`. */
const getArea = (code: ErrorCode): string => code.split('/')[1] ?? '';

export const areas: readonly string[] = [...new Set(codes.map(getArea))];

export const areaPath = (area: string): string => `/docs/errors/${area}`;

/** The name of a code's section on its pages: `svc-auth-expired_token`. */
const toAnchor = (code: ErrorCode): string => code.replaceAll('/', '-');

/** Statuses that a code is answered with beside its own. */
const furtherStatuses: Partial<Record<ErrorCode, string>> = {
  'svc/validation/invalid_request': ', also 400 and 413',
  'svc/runtime/invalid_request': ', also 405 and 426',
};

function errorSection(code: ErrorCode): Html {
  const { http, grpc, message } = errors[code];
  return html`<section id="${toAnchor(code)}">
    <h2>
      <a href="#${toAnchor(code)}"><code>${code}</code></a>
    </h2>
    <p>${message}</p>
    <dl>
      <dt>HTTP</dt>
      <dd>${http}${furtherStatuses[code]}</dd>
      <dt>gRPC</dt>
      <dd>${grpc} (${grpcStatus[grpc]})</dd>
      <dt>What to do</dt>
      <dd>${prose(advice[code])}</dd>
    </dl>
  </section>`;
}

const pages = [
  { path: '/docs', name: 'API reference' },
  { path: '/docs/runbook', name: 'Runbook' },
  { path: '/docs/errors', name: 'All errors' },
  ...areas.map(area => ({ path: areaPath(area), name: area })),
];

export function layout(path: string, title: string, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} - Skein</title>
        <link rel="icon" href="/favicon.svg" />
        <link rel="stylesheet" href="/docs/style.css" />
      </head>
      <body>
        <nav aria-label="Pages">
          <ul>
            ${pages.map(
              page =>
                html`<li>
                  <a href="${page.path}" ${page.path === path && new Html('aria-current="page"')}
                    >${page.name}</a
                  >
                </li>`,
            )}
          </ul>
        </nav>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`.text;
}

export function errorsPage(): string {
  const content = html`${prose(
    'Every error is a JSON object. `error` is one of the codes below, and stable. `message` is for people. `requestId` names the request, and is in the header X-Request-Id too. `details` says what to correct, where there is something.',
  )}
  ${codes.map(errorSection)}`;
  return layout('/docs/errors', 'Errors', content);
}

export function notFoundPage(): string {
  const content = html`<p>
    This server has no page at that address. The <a href="/docs">API reference</a> lists what it has.
  </p>`;
  return layout('', 'Not found', content);
}

export function errorAreaPage(area: string): string {
  const content = html`${codes.filter(code => getArea(code) === area).map(errorSection)}`;
  return layout(areaPath(area), `Errors: ${area}`, content);
}
