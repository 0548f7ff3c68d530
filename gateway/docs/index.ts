/**
 * The documentation that a node serves: the API reference, drawn by Redoc from `/v1/openapi.json`, and beside it one page for each
 * area of errors, to which the `docsUrl` of an error leads, and the runbook, which the System page of Studio leads to.
 */
export { html, type Html } from './html.ts';
export { serveDocs, showToPeople, textPageHeaders } from './serve.ts';
