import type { cannedReplyOperations } from '../../../protocol/operations/canned-replies.ts';
import type { CannedReply } from '../../../protocol/resources/canned-reply.ts';
import type { TenantEnvironment } from '../contract-fixture.ts';
import { atLimit } from '../limits.ts';
import { unique } from '../resources.ts';
import type { ScenariosOf } from '../scenario.ts';

const newReply = ({ projectId }: TenantEnvironment) => ({
  body: {
    projectId,
    shortcut: `/${unique().toLowerCase()}`,
    title: 'Thanks',
    body: 'Thank you, {{participant.name}}!',
  },
});

async function newReplyId(env: TenantEnvironment): Promise<{ cannedReplyId: string }> {
  const { cannedReplyId } = await env.person.get<CannedReply>('createCannedReply', newReply(env));
  return { cannedReplyId };
}

export const cannedReplyScenarios: ScenariosOf<typeof cannedReplyOperations> = {
  listCannedReplies: {
    request: async env => {
      await newReplyId(env);
      return { query: { projectId: env.projectId, q: 'tha' } };
    },
    refusals: {},
  },
  createCannedReply: {
    request: newReply,
    refusals: {
      'svc/runtime/conflict': atLimit('cannedReplies', 'createCannedReply', newReply, {
        table: 'canned_replies',
        id: 'canned_reply_id',
        columns: { shortcut: `t.shortcut || '_' || n` },
      }),
    },
  },
  getCannedReply: { request: async env => ({ params: await newReplyId(env) }), refusals: {} },
  updateCannedReply: {
    request: async env => ({
      params: await newReplyId(env),
      body: { projectId: env.projectId, title: unique(), body: 'Until soon' },
    }),
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => {
        const taken = newReply(sandbox);

        await sandbox.person.get('createCannedReply', taken);
        const { shortcut } = taken.body;
        return { by: sandbox.person, asked: { params: await newReplyId(sandbox), body: { shortcut } } };
      },
    },
  },
  deleteCannedReply: { request: async env => ({ params: await newReplyId(env) }), refusals: {} },
};
