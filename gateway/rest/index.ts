/**
 * REST. `serveRest` makes everything that a node offers by HTTP; operations.ts serves the rows of the operation table, each request
 * going through the pipeline (gateway/pipeline).
 */
export { serveRest, type Rest, type RestOptions, type SharedServices } from './serve.ts';
