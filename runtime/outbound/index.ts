/**
 * HTTP requests to addresses that customers name: stitches, tools, media. `OutboundClient` sends an `OutboundRequest` through
 * connections that only reach what the address guard allows, and gives an `OutboundResult`, which is a failure class where there was
 * no answer. The client runs in the threads of runtime/pool, which import it directly; everybody else needs the types and the guard.
 */
export { classifyAddress, getPublicHost, getUrlRefusal, type Reach } from './address-guard.ts';
export {
  maxConnectionsPerOrigin,
  OutboundFailure,
  type OutboundOptions,
  type OutboundRequest,
  type OutboundResult,
} from './request.ts';
