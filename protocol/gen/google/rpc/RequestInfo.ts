// Original file: protocol/google/rpc/error_details.proto


/**
 * What to quote when asking for help.
 */
export interface RequestInfo {
  'requestId'?: (string);
  'servingData'?: (string);
}

/**
 * What to quote when asking for help.
 */
export interface RequestInfo__Output {
  'requestId': (string);
  'servingData': (string);
}
