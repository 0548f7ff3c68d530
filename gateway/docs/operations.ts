/** The pages of operations: one for each tag of the document. */
import { html, prose, type Html } from './html.ts';
import { exampleBlock, fieldsOf, typeOf, type Schema } from './schema.ts';

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
type Content = Readonly<Record<string, Media>>;

export interface Response {
  readonly $ref?: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Described }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly securitySchemes: Readonly<Record<string, { readonly description?: string }>>;
  };
}

/** An operation and where it is. */
export interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: Described;
}

export function operationsOf({ paths }: Document, tag: string): Placed[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** `webhook-deliveries` of the tag "Webhook deliveries". */
export function slugOf(tag: string): string {
  return tag.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

const lastOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

function parametersOf(document: Document, parameters: readonly Parameter[]): Html {
  const known = parameters.map(each =>
    each.$ref === undefined ? each : (document.components.parameters[lastOf(each.$ref)] ?? each),
  );
  return html`<h3>Parameters</h3>
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th>In</th>
            <th>Type</th>
            <th>Meaning</th>
          </tr>
        </thead>
        <tbody>
          ${known.map(
            each =>
              html`<tr>
                <td><code>${each.name}</code>${!each.required && html` <small>optional</small>`}</td>
                <td>${each.in}</td>
                <td>${typeOf(each.schema)}</td>
                <td>
                  ${each.description}${each.example !== undefined && html` <small>For example <code>${String(each.example)}</code></small>`}
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

function bodyOf(content: Content | undefined): Html {
  const media = content?.['application/json'];
  if (media === undefined) return html``;
  return html`<p>${typeOf(media.schema)}</p>
    ${media.schema.$ref === undefined && fieldsOf(media.schema)}${
      media.example !== undefined && exampleBlock(media.example)
    }`;
}

/** `svc/auth/expired_token` of the short name `auth.expired_token`. */
function errorLink(short: string): Html {
  const code = `svc/${short.replace('.', '/')}`;
  return html`<a href="/docs/errors/${short.split('.')[0]}#${code.replaceAll('/', '-')}"
    ><code>${code}</code></a
  > `;
}

function responsesOf(document: Document, responses: Readonly<Record<string, Response>>): Html {
  const rows = Object.entries(responses).map(([status, given]) => {
    const response =
      given.$ref === undefined ? given : (document.components.responses[lastOf(given.$ref)] ?? given);
    const examples = response.content?.['application/json']?.examples;
    const told =
      given.$ref === undefined
        ? html`${prose(response.description)}${bodyOf(response.content)}`
        : html`${Object.keys(examples ?? {}).map(errorLink)}`;
    return html`<tr>
      <td>${status}</td>
      <td>${told}</td>
      <td><small>${Object.keys(response.headers ?? {}).join(', ')}</small></td>
    </tr>`;
  });
  return html`<h3>Answers</h3>
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th>Status</th>
            <th>What</th>
            <th>Headers</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>`;
}

export function operationSection(document: Document, { method, path, operation }: Placed): Html {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  return html`<section id="${operationId}">
    <h2><a href="#${operationId}">${summary}</a></h2>
    <p class="route">
      <b class="${method.toLowerCase()}">${method}</b> <code>${path}</code> <small>${operationId}</small>
    </p>
    ${description !== undefined && prose(description)}
    ${parameters !== undefined && parametersOf(document, parameters)}
    ${
      requestBody !== undefined &&
      html`<h3>Body</h3>
        ${bodyOf(requestBody.content)}`
    }
    ${responsesOf(document, responses)}
  </section>`;
}
