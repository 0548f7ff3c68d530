/**
 * The contract as a document. `openApiDocument` describes every row of the operation table and of the event catalogue, with examples made
 * from the schemas, and descriptions of fields kept in field-descriptions.ts.
 */
export { openApiDocument } from './document.ts';
export { createEventData } from './event-examples.ts';
export { exampleId } from './examples.ts';
