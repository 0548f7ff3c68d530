// Original file: protocol/internal.proto

import type { ActorType as _skein_internal_v1_ActorType, ActorType__Output as _skein_internal_v1_ActorType__Output } from '../../../skein/internal/v1/ActorType.ts';

export interface Actor {
  'type'?: (_skein_internal_v1_ActorType);
  'id'?: (string);
}

export interface Actor__Output {
  'type': (_skein_internal_v1_ActorType__Output);
  'id': (string);
}
