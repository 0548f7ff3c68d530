/** What the two processes of `ask.ts` send each other. */
export const shard = 7;
export const bareSubject = 'bare.request';

/** As a message of 300 bytes has it. */
export const payload = { projectId: 'prj_bench', environmentId: 'env_bench', body: 'x'.repeat(300) };
export const reply = { messageId: 'msg_bench', threadId: 'thread_bench', sequence: 1, body: payload.body };
