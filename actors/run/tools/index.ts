/**
 * Calls tools over HTTP. `HttpTools` implements `Tools` (run/services.ts): it checks the arguments (input.ts), makes the request
 * (request.ts), sends it through the node's pool with the tool's own retry rule, and assesses the answer (answer.ts).
 */
export { HttpTools } from './http-tools.ts';
