/** Notes that mention whoever asks. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  createList,
  id,
  ListMentionsQuery,
  Mention,
  ReadMentionsBody,
  UnreadMentions,
} from '../resources/index.ts';
import { access, always, checked, credential, paged, verified } from './rules.ts';

const tag = 'Console';
const oneProject = Type.Object({ projectId: id('project') });

export const mentionOperations = {
  listMentions: {
    method: 'GET',
    path: '/console/projects/{projectId}/mentions',
    tag,
    summary: 'List the notes that mention you, newest first',
    description:
      'A note mentions users by its `mentions`. With an API key it is the user on whose behalf the key acts, or else who created it.',
    auth: 'project',
    access: access.readThreads,
    params: oneProject,
    query: ListMentionsQuery,
    success: { status: 200, body: createList(Mention) },
    errors: [...always, ...paged, ...credential, ...verified, 'svc/console/not_found'],
    rate: 'read',
    idempotency: 'none',
  },
  readMentions: {
    method: 'PUT',
    path: '/console/projects/{projectId}/mentions/read',
    tag,
    summary: 'Mark the notes that mention you as read: those of a thread, or all',
    description: 'Marks at most 1,000 at a time, the oldest first; the answer counts what is left.',
    auth: 'project',
    access: access.readThreads,
    params: oneProject,
    body: ReadMentionsBody,
    success: { status: 200, body: UnreadMentions },
    errors: [...always, ...checked, ...credential, ...verified, 'svc/console/not_found'],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
