/** From messages of the gRPC contract to bodies of REST: an empty string is an absent field, free-form JSON is parsed. */
import { invalid, type Issue } from '../../protocol/errors.ts';
import type { Attachment__Output } from '../../protocol/gen/skein/internal/v1/Attachment.ts';
import type { IngestMessageRequest__Output } from '../../protocol/gen/skein/internal/v1/IngestMessageRequest.ts';
import type { SendMessageRequest__Output } from '../../protocol/gen/skein/internal/v1/SendMessageRequest.ts';
import { refusePrototypes } from '../rest/json-body.ts';

/** How the paths of a request's issues begin. */
export const root = '/request';

type Fields = Record<string, unknown>;

/** What `InboundMessageBody` is to be of; throws 422 for what is no JSON. */
export function inboundBody(request: IngestMessageRequest__Output): Fields {
  const { projectId, threadId, externalThreadRef, externalParticipantRef } = request;
  return {
    projectId,
    ...given({ threadId, externalThreadRef, externalParticipantRef }),
    ...contentOf(request),
  };
}

/** What `CreateMessageBody` is to be of; throws 422 for what is no JSON. */
export function outboundBody(request: SendMessageRequest__Output): Fields {
  return { projectId: request.projectId, ...contentOf(request) };
}

function contentOf(request: {
  readonly body: string;
  readonly attachments: readonly Attachment__Output[];
  readonly metadataJson: string;
}): Fields {
  const { body, attachments, metadataJson } = request;
  return {
    body,
    ...(attachments.length === 0 ? {} : { attachments: attachments.map(attachmentOf) }),
    ...jsonField('metadata', metadataJson, `${root}/metadataJson`),
  };
}

function attachmentOf(attachment: Attachment__Output, index: number): Fields {
  const {
    kind,
    attachmentId,
    mimeType,
    filename,
    sizeBytes,
    storageKey,
    url,
    providerMediaId,
    metadataJson,
  } = attachment;
  return {
    ...given({ attachmentId, mimeType, filename, storageKey, url, providerMediaId }),
    ...(kind === 'ATTACHMENT_KIND_UNSPECIFIED' ? {} : { kind: wordOf('ATTACHMENT_KIND', kind) }),
    ...(sizeBytes === undefined ? {} : { sizeBytes: Number(sizeBytes) }),
    ...jsonField('metadata', metadataJson, `${root}/attachments/${index}/metadataJson`),
  };
}

/** `image` of `ATTACHMENT_KIND_IMAGE`. A value that the contract does not know arrives as a number, and stays one. */
function wordOf(prefix: string, value: unknown): unknown {
  return typeof value === 'string' ? value.slice(prefix.length + 1).toLowerCase() : value;
}

function given(fields: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}

function jsonField(name: string, text: string, path: string): Fields {
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const issue: Issue = { path, message: 'must be JSON text', code: 'json' };
    throw invalid([issue]);
  }
  if (text.includes('__proto__') || text.includes('\\u00')) refusePrototypes(value, path);
  return { [name]: value };
}
