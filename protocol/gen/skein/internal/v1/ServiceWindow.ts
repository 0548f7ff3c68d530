// Original file: protocol/internal.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';

export interface ServiceWindow {
  'open'?: (boolean);
  'expiresAt'?: (_google_protobuf_Timestamp | null);
}

export interface ServiceWindow__Output {
  'open': (boolean);
  'expiresAt': (_google_protobuf_Timestamp__Output | null);
}
