// Original file: protocol/internal.proto

import type { AttachmentKind as _skein_internal_v1_AttachmentKind, AttachmentKind__Output as _skein_internal_v1_AttachmentKind__Output } from '../../../skein/internal/v1/AttachmentKind.ts';
import type { AttachmentStatus as _skein_internal_v1_AttachmentStatus, AttachmentStatus__Output as _skein_internal_v1_AttachmentStatus__Output } from '../../../skein/internal/v1/AttachmentStatus.ts';
import type { Long } from '@grpc/proto-loader';

export interface Attachment {
  'kind'?: (_skein_internal_v1_AttachmentKind);
  'attachmentId'?: (string);
  'mimeType'?: (string);
  'filename'?: (string);
  'sizeBytes'?: (number | string | Long);
  'storageKey'?: (string);
  'url'?: (string);
  'providerMediaId'?: (string);
  'metadataJson'?: (string);
  'status'?: (_skein_internal_v1_AttachmentStatus);
  /**
   * Why it failed.
   */
  'reason'?: (string);
  '_sizeBytes'?: "sizeBytes";
}

export interface Attachment__Output {
  'kind': (_skein_internal_v1_AttachmentKind__Output);
  'attachmentId': (string);
  'mimeType': (string);
  'filename': (string);
  'sizeBytes'?: (string);
  'storageKey': (string);
  'url': (string);
  'providerMediaId': (string);
  'metadataJson': (string);
  'status': (_skein_internal_v1_AttachmentStatus__Output);
  /**
   * Why it failed.
   */
  'reason': (string);
  '_sizeBytes'?: "sizeBytes";
}
