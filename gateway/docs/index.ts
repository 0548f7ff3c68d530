/**
 * The documentation that a node serves: the API reference, drawn by Redoc from `/v1/openapi.json`, and beside it one page for each
 * area of errors, to which the `docsUrl` of an error leads.
 */
export { html, type Html } from './html.ts';
export { serveDocs, showToPeople, textPageHeaders } from './serve.ts';
