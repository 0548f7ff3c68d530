/** The documentation as pages by their paths: made of the OpenAPI document, without scripts, fonts or anything from elsewhere. */
import { areas, areaPage, errorsPage } from './errors.ts';
import { Html, html, prose } from './html.ts';
import { operationSection, operationsOf, slugOf, type Document } from './operations.ts';
import { exampleBlock, fieldsOf, typeOf } from './schema.ts';

interface Page {
  readonly path: string;
  readonly title: string;
  readonly content: () => Html;
}

function overview(document: Document): Html {
  const { info, servers, tags, components } = document;
  return html`<h1>${info.title}</h1>
    <p>
      Version ${info.version}, at <code>${servers[0]?.url}</code>. For machines:
      <a href="/v1/openapi.json">openapi.json</a>.
    </p>
    ${prose(info.description)}
    <h2>Who you are</h2>
    <dl>
      ${Object.entries(components.securitySchemes).map(
        ([name, { description = '' }]) =>
          html`<dt><code>${name}</code></dt>
            <dd>${description}</dd>`,
      )}
    </dl>
    <h2>What holds everywhere</h2>
    ${prose(
      `Bodies are JSON. Times are ISO 8601 with an offset. Ids are a prefix and 26 characters, and sort by creation.

Lists answer \`data\`, \`nextCursor\` and \`hasMore\`; send \`nextCursor\` as \`cursor\` for the next page, of \`limit\` items at most (1 to 100, 50 if you do not say).

POST takes the header \`Idempotency-Key\`: repeat a request with its key and you get the answer of the first time, with \`Idempotent-Replayed: true\`. Creating threads and messages requires it.

Quotas are in \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`; beyond them the answer is 429 with \`Retry-After\`.

Errors carry a stable code; each is explained under Errors. A TypeScript client: \`npx openapi-typescript openapi.json --default-non-nullable false\`.`,
    )}
    ${tags.map(
      ({ name, description }) =>
        html`<h2><a href="/docs/${slugOf(name)}">${name}</a></h2>
          <p>${description}</p>
          <ul>
            ${operationsOf(document, name).map(
              ({ method, path, operation }) =>
                html`<li class="route">
                  <b class="${method.toLowerCase()}">${method}</b>
                  <a href="/docs/${slugOf(name)}#${operation.operationId}"><code>${path}</code></a>
                  ${operation.summary}
                </li>`,
            )}
          </ul>`,
    )}`;
}

function webhooksPage({ webhooks, components }: Document): Html {
  const [first] = Object.values(webhooks);
  const headers = (first?.post.parameters ?? []).map(
    ({ $ref = '' }) => components.parameters[$ref.slice($ref.lastIndexOf('/') + 1)],
  );
  return html`<h1>Webhooks</h1>
    ${prose(
      'A stitch posts events to your address, signed with its secret. Answer 2xx within 15 seconds; anything else is tried again, up to twelve times over 24 hours. The signature is HMAC-SHA256 over the timestamp, a dot and the raw body. Deduplicate by the event id.',
    )}
    <h2>Headers</h2>
    <dl>
      ${headers.map(
        header =>
          html`<dt><code>${header?.name}</code></dt>
            <dd>${header?.description}</dd>`,
      )}
    </dl>
    ${Object.entries(webhooks).map(([name, { post }]) => {
      const media = post.requestBody?.content['application/json'];
      return html`<section id="${name}">
        <h2>
          <a href="#${name}"><code>${name}</code></a>
        </h2>
        <p>${post.summary}</p>
        ${media !== undefined && html`${fieldsOf(media.schema.allOf?.[1]?.properties?.['data'] ?? {})}${exampleBlock(media.example)}`}
      </section>`;
    })}`;
}

function schemasPage({ components }: Document): Html {
  return html`<h1>Schemas</h1>
    ${Object.entries(components.schemas).map(
      ([name, schema]) =>
        html`<section id="${name}">
          <h2><a href="#${name}">${name}</a></h2>
          ${schema.properties === undefined ? html`<p>${typeOf(schema)}</p>` : fieldsOf(schema)}
        </section>`,
    )}`;
}

function layout({ title, content, path }: Page, pages: readonly Page[]): string {
  const items = pages.filter(each => !each.path.startsWith('/docs/errors/'));
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} - Skein</title>
        <link rel="stylesheet" href="/docs/style.css" />
      </head>
      <body>
        <nav aria-label="Pages">
          <ul>
            ${items.map(
              each =>
                html`<li>
                  <a href="${each.path}" ${each.path === path && new Html(' aria-current="page"')}
                    >${each.title}</a
                  >
                </li>`,
            )}
          </ul>
        </nav>
        <main>${content()}</main>
      </body>
    </html>`.text;
}

/** Every page by its path, to be made when it is asked for. */
export function docsSite(document: Document): ReadonlyMap<string, () => string> {
  const pages: Page[] = [
    { path: '/docs', title: 'Overview', content: () => overview(document) },
    ...document.tags.map(({ name, description = '' }) => ({
      path: `/docs/${slugOf(name)}`,
      title: name,
      content: () =>
        html`<h1>${name}</h1>
          <p>${description}</p>
          ${operationsOf(document, name).map(placed => operationSection(document, placed))}`,
    })),
    { path: '/docs/webhooks', title: 'Webhooks', content: () => webhooksPage(document) },
    { path: '/docs/schemas', title: 'Schemas', content: () => schemasPage(document) },
    { path: '/docs/errors', title: 'Errors', content: errorsPage },
    ...areas.map(area => ({
      path: `/docs/errors/${area}`,
      title: `Errors: ${area}`,
      content: () => areaPage(area),
    })),
  ];
  return new Map(pages.map(page => [page.path, () => layout(page, pages)]));
}
