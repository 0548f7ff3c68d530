// Original file: protocol/google/rpc/error_details.proto


/**
 * Why the call failed, in the words of the service.
 */
export interface ErrorInfo {
  'reason'?: (string);
  'domain'?: (string);
  'metadata'?: ({[key: string]: string});
}

/**
 * Why the call failed, in the words of the service.
 */
export interface ErrorInfo__Output {
  'reason': (string);
  'domain': (string);
  'metadata': ({[key: string]: string});
}
