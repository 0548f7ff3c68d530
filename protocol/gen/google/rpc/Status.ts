// Original file: protocol/google/rpc/status.proto

import type { Any as _google_protobuf_Any, Any__Output as _google_protobuf_Any__Output } from '../../google/protobuf/Any.ts';

export interface Status {
  /**
   * A code of google.rpc.Code: the status codes of gRPC.
   */
  'code'?: (number);
  'message'?: (string);
  'details'?: (_google_protobuf_Any)[];
}

export interface Status__Output {
  /**
   * A code of google.rpc.Code: the status codes of gRPC.
   */
  'code': (number);
  'message': (string);
  'details': (_google_protobuf_Any__Output)[];
}
