/**
 * The documentation that a node serves: the API reference, drawn by Redoc from `/v1/openapi.json`, and beside it one page for each
 * area of errors, to which the `docsUrl` of an error leads; and the other pages that a browser gets, such as those of mailed links.
 */
export { serveDocs, showToPeople } from './serve.ts';
