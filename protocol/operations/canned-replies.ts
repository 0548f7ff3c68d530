/** Canned replies: read by all who read threads, written by those who look after the project. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  CannedReply,
  CreateCannedReplyBody,
  createList,
  id,
  ListCannedRepliesQuery,
  MaybeProjectQuery,
  UpdateCannedReplyBody,
} from '../resources/index.ts';
import {
  absent,
  access,
  always,
  checked,
  conditional,
  credential,
  forbidden,
  paged,
  repeatable,
  signedIn,
} from './rules.ts';

const tag = 'Canned replies';
const oneReply = Type.Object({ cannedReplyId: id('cannedReply') });

/** They belong to the project, and to none of its environments: so nobody has to be verified. */
const reading = [...always, ...checked, ...credential, ...forbidden, ...absent] as const;
const writing = [...always, ...checked, ...signedIn, ...forbidden, ...absent] as const;

export const cannedReplyOperations = {
  listCannedReplies: {
    method: 'GET',
    path: '/canned-replies',
    tag,
    summary: "List a project's canned replies by their shortcuts",
    auth: 'project',
    access: access.readThreads,
    query: ListCannedRepliesQuery,
    success: { status: 200, body: createList(CannedReply) },
    errors: [...always, ...paged, ...credential, ...forbidden, ...absent],
    rate: 'read',
    idempotency: 'none',
  },
  createCannedReply: {
    method: 'POST',
    path: '/canned-replies',
    tag,
    summary: 'Keep a reply ready',
    description:
      'The shortcut is a slash and 1 to 31 of a-z, 0-9, _ and -. One that the project has already is a conflict, with its `details.cannedReplyId`. `body` may have the placeholders `{{participant.name}}`, `{{participant.ref}}`, `{{operator.name}}` and `{{thread.customFields.<name>}}`, which clients fill in; any other `{{` is refused.',
    auth: 'project',
    access: access.writeCannedReplies,
    body: CreateCannedReplyBody,
    success: { status: 201, body: CannedReply },
    errors: [...writing, ...repeatable, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'accepted',
  },
  getCannedReply: {
    method: 'GET',
    path: '/canned-replies/{cannedReplyId}',
    tag,
    summary: 'Read a canned reply',
    auth: 'project',
    access: access.readThreads,
    params: oneReply,
    query: MaybeProjectQuery,
    success: { status: 200, body: CannedReply },
    tagged: true,
    errors: reading,
    rate: 'read',
    idempotency: 'none',
  },
  updateCannedReply: {
    method: 'PATCH',
    path: '/canned-replies/{cannedReplyId}',
    tag,
    summary: 'Change a canned reply',
    auth: 'project',
    access: access.writeCannedReplies,
    params: oneReply,
    body: UpdateCannedReplyBody,
    success: { status: 200, body: CannedReply },
    tagged: true,
    errors: [...writing, ...conditional, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'none',
  },
  deleteCannedReply: {
    method: 'DELETE',
    path: '/canned-replies/{cannedReplyId}',
    tag,
    summary: 'Delete a canned reply',
    auth: 'project',
    access: access.writeCannedReplies,
    params: oneReply,
    query: MaybeProjectQuery,
    success: { status: 204, body: null },
    tagged: true,
    errors: [...writing, ...conditional],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
