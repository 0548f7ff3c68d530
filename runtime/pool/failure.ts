/** Why a request got no answer, in the words of decisions section 6. */
import { BlockedAddress } from './address-guard.ts';

/** `http_status` (an answer outside 2xx) is the caller's to judge and never comes from here. */
export type FailureClass = 'timeout' | 'dns' | 'connect' | 'tls' | 'blocked_address';

export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
  readonly failure: FailureClass;

  constructor(failure: FailureClass, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }

  /** Names any error by the phase in which it came. */
  static of(error: unknown, phase: 'dns' | 'connect' | 'tls'): OutboundFailure {
    if (error instanceof OutboundFailure) return error;
    const cause = error instanceof Error ? error : new Error(String(error));
    if (cause instanceof BlockedAddress) {
      return new OutboundFailure('blocked_address', cause.message, { cause });
    }
    const code = (cause as NodeJS.ErrnoException).code;
    return new OutboundFailure(phase, plain[code ?? ''] ?? code ?? cause.message, { cause });
  }
}

// What the owner of a stitch reads: never an address of ours, which node's own messages contain.
const plain: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not resolve',
  ENODATA: 'the host name has no address',
  ESERVFAIL: 'the name server failed',
  ETIMEOUT: 'the name server did not answer',
  EAI_AGAIN: 'the name server did not answer',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed while sending',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_SOCKET: 'connection closed before the answer was complete',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate chain is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate chain is incomplete',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is from an unknown issuer',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
};
