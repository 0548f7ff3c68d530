// Original file: protocol/google/rpc/error_details.proto


export interface _google_rpc_BadRequest_FieldViolation {
  'field'?: (string);
  'description'?: (string);
  'reason'?: (string);
}

export interface _google_rpc_BadRequest_FieldViolation__Output {
  'field': (string);
  'description': (string);
  'reason': (string);
}

/**
 * Which fields of the request were not as they should be.
 */
export interface BadRequest {
  'fieldViolations'?: (_google_rpc_BadRequest_FieldViolation)[];
}

/**
 * Which fields of the request were not as they should be.
 */
export interface BadRequest__Output {
  'fieldViolations': (_google_rpc_BadRequest_FieldViolation__Output)[];
}
