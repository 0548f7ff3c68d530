/**
 * The HTTP and websocket server of a node, on uWebSockets.js. `HttpServer` takes routes (`HttpRequest` to `HttpAnswer`) and websocket
 * endpoints (`SocketEndpoint`); an exchange (exchange.ts) carries each request from its headers to the last byte of its answer,
 * within the limits of traffic.ts. `errorAnswer` turns an error into an answer.
 */
export { BodyCut } from './bodies.ts';
export { Cors } from './cors.ts';
export { errorAnswer, errorBody, type ErrorBody } from './message.ts';
export type { HttpAnswer, HttpHandler, HttpRequest } from './message.ts';
export { toNetwork, toWideNetwork } from './network.ts';
export { HttpServer } from './server.ts';
export { acceptsEncoding, StaticContent } from './static-content.ts';
export { showTraffic } from './traffic.ts';
export type { SendOutcome, Socket, SocketEndpoint, SocketSession } from './websocket.ts';
