/** The limits of fields, at the edge and one beyond, counted in code points. */
import t from 'tap';
import type { TSchema } from 'typebox';
import { CreateAgentBody, UpdateAgentBody } from '../../../protocol/resources/agent.ts';
import { CreateApiKeyBody } from '../../../protocol/resources/api-key.ts';
import { CreateAttachmentBody } from '../../../protocol/resources/attachment.ts';
import { SetBudgetsBody } from '../../../protocol/resources/budget.ts';
import {
  CreateByokCredentialBody,
  RotateByokCredentialBody,
  UpdateByokCredentialBody,
} from '../../../protocol/resources/byok.ts';
import { CreateChannelBody, ReceiptBody, SimulateBody } from '../../../protocol/resources/channel.ts';
import { ReplayStitchBody } from '../../../protocol/resources/delivery.ts';
import { CreateEnvironmentBody, CreateProjectBody } from '../../../protocol/resources/project.ts';
import { CreateLoomBody, CreateLoomVersionBody, UpdateLoomBody } from '../../../protocol/resources/loom.ts';
import { CreateMessageBody, InboundMessageBody } from '../../../protocol/resources/message.ts';
import { CreateNoteBody, UpdateNoteBody } from '../../../protocol/resources/note.ts';
import { ReadCursorBody, TypingBody } from '../../../protocol/resources/presence.ts';
import {
  CreateStitchBody,
  RotateStitchSecretBody,
  UpdateStitchBody,
} from '../../../protocol/resources/stitch.ts';
import { LoginBody, SignUpBody, VerifyEmailBody } from '../../../protocol/resources/studio.ts';
import {
  AssignThreadBody,
  CreateThreadBody,
  ListThreadsQuery,
  UpdateThreadBody,
} from '../../../protocol/resources/thread.ts';
import { CreateToolBody, UpdateToolBody } from '../../../protocol/resources/tool.ts';
import { CreateWorkspaceBody } from '../../../protocol/resources/workspace.ts';
import { compile } from '../../../protocol/validate.ts';

const projectId = 'prj_1';
const environmentId = 'env_1';
const instant = '2026-11-03T12:00:00Z';

const definition = { systemPrompt: 's', provider: 'llm_provider_1', model: 'm' };
const byok = { provider: 'llm_provider_3', displayName: 'n', secret: '12345678' };

/** A valid example of every body that is written, to vary one field of. */
const examples = {
  signUp: [SignUpBody, { email: 'a@b.example', password: 'p'.repeat(8) }],
  login: [LoginBody, { email: 'a@b.example', password: 'p' }],
  verifyEmail: [VerifyEmailBody, { token: 't' }],
  workspace: [CreateWorkspaceBody, { name: 'n' }],
  project: [CreateProjectBody, { workspaceId: 'ws_1', name: 'n' }],
  environment: [CreateEnvironmentBody, { projectId, name: 'n' }],
  apiKey: [CreateApiKeyBody, { projectId, name: 'n', environment: 'test', scopes: ['*'] }],
  thread: [CreateThreadBody, { projectId, environmentId }],
  threadUpdate: [UpdateThreadBody, { projectId }],
  assignment: [AssignThreadBody, { projectId, userId: null }],
  note: [CreateNoteBody, { projectId, body: 'b' }],
  noteUpdate: [UpdateNoteBody, { projectId, body: 'b' }],
  typing: [TypingBody, { projectId, state: 'started' }],
  readCursor: [ReadCursorBody, { projectId, sequence: 0 }],
  attachment: [CreateAttachmentBody, { projectId, filename: 'f', mimeType: 'a/b', sizeBytes: 1 }],
  message: [CreateMessageBody, { projectId, body: 'b' }],
  inbound: [InboundMessageBody, { projectId, body: 'b' }],
  channel: [CreateChannelBody, { projectId, environmentId, name: 'n', kind: 'custom' }],
  receipt: [ReceiptBody, { projectId, status: 'sent', occurredAt: instant }],
  simulation: [SimulateBody, { projectId, event: 'inbound' }],
  stitch: [CreateStitchBody, { projectId, name: 'n', webhookUrl: 'https://a.example/' }],
  stitchUpdate: [UpdateStitchBody, { projectId }],
  rotation: [RotateStitchSecretBody, { projectId }],
  replay: [ReplayStitchBody, { projectId, since: instant }],
  byok: [CreateByokCredentialBody, { projectId, ...byok }],
  byokUpdate: [UpdateByokCredentialBody, {}],
  byokRotation: [RotateByokCredentialBody, { secret: '12345678' }],
  tool: [CreateToolBody, { projectId, name: 'n', url: 'https://a.example/' }],
  toolUpdate: [UpdateToolBody, { projectId }],
  loom: [CreateLoomBody, { projectId, name: 'n', ...definition }],
  loomUpdate: [UpdateLoomBody, { projectId }],
  loomVersion: [CreateLoomVersionBody, { projectId, ...definition }],
  agent: [CreateAgentBody, { projectId, name: 'n' }],
  agentUpdate: [UpdateAgentBody, { projectId }],
  budgets: [SetBudgetsBody, { projectId, onExceeded: 'paused' }],
} as const satisfies Record<string, readonly [TSchema, object]>;
type Example = keyof typeof examples;

/** The issues of an example with other values in it. */
function issues(example: Example, change: Record<string, unknown> = {}) {
  const [schema, valid] = examples[example];
  return compile(schema)({ ...valid, ...change }, '/body');
}

t.test('the examples are valid, and a field that nobody knows is not', async t => {
  for (const example of Object.keys(examples) as Example[]) {
    t.equal(issues(example), undefined, example);
    t.match(issues(example, { unknown: 1 }), [
      { path: '/body/unknown', message: /^is not a known field: there are \w/, code: 'additionalProperties' },
    ]);
  }
});

/** Field, minimum and maximum of characters; a minimum of 0 has nothing below it. */
const texts: readonly (readonly [Example, string, number, number])[] = [
  ['signUp', 'password', 8, 256],
  ['signUp', 'workspaceName', 1, 256],
  ['login', 'password', 1, 256],
  ['login', 'email', 0, 320],
  ['verifyEmail', 'token', 1, 512],
  ['workspace', 'name', 1, 256],
  ['project', 'name', 1, 256],
  ['environment', 'name', 1, 128],
  ['apiKey', 'name', 1, 128],
  ['thread', 'externalRef', 1, 256],
  ['note', 'body', 1, 4_000],
  ['noteUpdate', 'body', 1, 4_000],
  ['attachment', 'filename', 1, 256],
  ['message', 'body', 1, 16_000],
  ['inbound', 'body', 1, 16_000],
  ['inbound', 'externalThreadRef', 1, 256],
  ['inbound', 'externalParticipantRef', 1, 256],
  ['channel', 'name', 1, 256],
  ['receipt', 'externalMessageId', 1, 256],
  ['simulation', 'body', 1, 16_000],
  ['stitch', 'name', 1, 256],
  ['stitchUpdate', 'name', 1, 256],
  ['byok', 'displayName', 1, 128],
  ['byok', 'secret', 8, 4_096],
  ['byokRotation', 'secret', 8, 4_096],
  ['tool', 'name', 1, 256],
  ['toolUpdate', 'name', 1, 256],
  ['tool', 'description', 1, 4_096],
  ['loom', 'name', 1, 256],
  ['loom', 'systemPrompt', 1, 64_000],
  ['loom', 'model', 1, 256],
  ['loomVersion', 'systemPrompt', 1, 64_000],
  ['loomUpdate', 'name', 1, 256],
  ['agent', 'name', 1, 256],
  ['agentUpdate', 'name', 1, 256],
];

for (const [example, field, min, max] of texts) {
  t.test(`${example}.${field} has ${min} to ${max} characters`, async t => {
    // One UTF-16 unit, two units, and marks that join the character before them: each is one code point.
    for (const character of ['x', '\u{1F600}', '\u0301', '\u200d']) {
      t.equal(issues(example, { [field]: character.repeat(min) }), undefined, `${min} of it`);
      t.equal(issues(example, { [field]: character.repeat(max) }), undefined, `${max} of it`);
      const path = `/body/${field}`;
      t.match(issues(example, { [field]: character.repeat(max + 1) }), [{ path, code: 'maxLength' }]);
      if (min > 0) {
        t.match(issues(example, { [field]: character.repeat(min - 1) }), [{ path, code: 'minLength' }]);
      }
    }
  });
}

const numbers: readonly (readonly [Example, string, number, number])[] = [
  ['rotation', 'gracePeriodSeconds', 0, 604_800],
  ['attachment', 'sizeBytes', 1, 104_857_600],
  ['byokRotation', 'gracePeriodSeconds', 0, 86_400],
  ['tool', 'timeoutMs', 100, 30_000],
  ['tool', 'retryMaxAttempts', 1, 5],
  ['tool', 'retryBackoffMs', 0, 30_000],
  ['toolUpdate', 'timeoutMs', 100, 30_000],
  ['toolUpdate', 'retryMaxAttempts', 1, 5],
  ['toolUpdate', 'retryBackoffMs', 0, 30_000],
];

for (const [example, field, min, max] of numbers) {
  t.test(`${example}.${field} is ${min} to ${max}`, async t => {
    t.equal(issues(example, { [field]: min }), undefined);
    t.equal(issues(example, { [field]: max }), undefined);
    t.match(issues(example, { [field]: min - 1 }), [{ code: 'minimum' }]);
    t.match(issues(example, { [field]: max + 1 }), [{ code: 'maximum' }]);
    t.match(issues(example, { [field]: min + 0.5 }), [{ code: 'type' }]);
    t.match(issues(example, { [field]: String(min) }), [{ code: 'type' }]);
  });
}

t.test('a page has 1 to 100 items', async t => {
  const check = (limit: unknown) => compile(ListThreadsQuery)({ projectId, limit }, '/query');
  t.equal(check(1), undefined);
  t.equal(check(100), undefined);
  t.match(check(0), [{ path: '/query/limit', code: 'minimum' }]);
  t.match(check(101), [{ path: '/query/limit', code: 'maximum' }]);
});

t.test('tags', async t => {
  const tags = (...value: unknown[]) => issues('threadUpdate', { tags: value });
  t.equal(tags(), undefined);
  t.equal(tags('a', '0', 'A-_z', 'x'.repeat(64)), undefined);
  t.equal(tags(...Array.from({ length: 20 }, (_, i) => `t${i}`)), undefined, '20');
  t.match(tags(...Array.from({ length: 21 }, (_, i) => `t${i}`)), [{ path: '/body/tags', code: 'maxItems' }]);
  for (const tag of ['', '-a', '_a', 'a b', 'a.b', '\u00e9', 'a\n', 'x'.repeat(65)]) {
    t.match(tags('ok', tag), [{ path: '/body/tags/1', code: 'pattern' }], JSON.stringify(tag));
  }
});

t.test('custom fields hold text, numbers, booleans and null, under any name', async t => {
  const fields = (customFields: unknown) => issues('threadUpdate', { customFields });
  t.equal(fields({ a: 'x', b: 1.5, c: true, d: null, 'e\n': '', '': 0 }), undefined);
  t.strictSame(
    fields({ a: {}, 'b/c': [], 'd\n': {} })?.map(issue => issue.path),
    ['/body/customFields/a', '/body/customFields/b~1c', '/body/customFields/d\n'],
  );
  t.match(fields([]), [{ path: '/body/customFields', code: 'type' }]);
});

t.test('a nullable field takes null, another one does not', async t => {
  t.equal(issues('threadUpdate', { agentMode: null, agentId: null }), undefined);
  t.match(issues('threadUpdate', { status: null }), [{ path: '/body/status' }]);
  t.match(issues('threadUpdate', { agentMode: 'other' }), [{ path: '/body/agentMode', code: 'enum' }]);
});

t.test('a message has at most ten attachments, each of a known kind and closed', async t => {
  const image = { kind: 'image', url: 'https://a.example/1.png', sizeBytes: 0, metadata: { any: [{}] } };
  for (const example of ['message', 'inbound', 'simulation'] as const) {
    t.equal(issues(example, { attachments: Array.from({ length: 10 }, () => image) }), undefined);
    t.match(issues(example, { attachments: Array.from({ length: 11 }, () => image) }), [
      { path: '/body/attachments', code: 'maxItems' },
    ]);
  }
  const path = '/body/attachments/0';
  const one = (change: object) => issues('message', { attachments: [{ ...image, ...change }] });
  t.match(one({ kind: 'file' }), [{ path: `${path}/kind`, code: 'enum' }]);
  t.match(one({ kind: undefined }), [{ path: `${path}/kind` }]);
  t.match(one({ more: 1 }), [{ path: `${path}/more`, code: 'additionalProperties' }]);
  t.match(one({ sizeBytes: -1 }), [{ path: `${path}/sizeBytes`, code: 'minimum' }]);
  for (const [field, max] of [
    ['attachmentId', 128],
    ['mimeType', 128],
    ['filename', 256],
    ['storageKey', 1024],
    ['providerMediaId', 256],
  ] as const) {
    t.equal(one({ [field]: 'x'.repeat(max) }), undefined);
    t.match(one({ [field]: 'x'.repeat(max + 1) }), [{ path: `${path}/${field}`, code: 'maxLength' }]);
    t.match(one({ [field]: '' }), [{ path: `${path}/${field}`, code: 'minLength' }]);
  }
});

t.test('a file has a type', async t => {
  const type = (mimeType: unknown) => issues('attachment', { mimeType });
  for (const good of [
    'image/png',
    'audio/ogg; codecs=opus',
    'application/vnd.a.b+json;charset=utf-8',
    `a/${'b'.repeat(63)}`,
  ]) {
    t.equal(type(good), undefined, good);
  }
  for (const bad of [
    '',
    'png',
    '/',
    'a/',
    '/b',
    'a b/c',
    'a/b;',
    'a/b; c',
    'a/b\n',
    'a/b\r\nX: y',
    'a/\u00e9',
    `a/${'b'.repeat(64)}`,
  ]) {
    t.match(type(bad), [{ path: '/body/mimeType', code: 'pattern' }], JSON.stringify(bad));
  }
});

t.test('an API key has at least one scope, all of them known', async t => {
  t.match(issues('apiKey', { scopes: [] }), [{ path: '/body/scopes', code: 'minItems' }]);
  t.match(issues('apiKey', { scopes: ['threads:read', 'threads:delete'] }), [{ path: '/body/scopes/1' }]);
  t.equal(issues('apiKey', { expiresAt: null }), undefined);
  t.match(issues('apiKey', { expiresAt: 'tomorrow' }), [{ path: '/body/expiresAt', code: 'format' }]);
});

t.test('ids of any form with the right prefix are let through, to be not found', async t => {
  for (const threadId of ['thread_x', 'thread_A-b_9', `thread_${'z'.repeat(128)}`]) {
    t.equal(issues('inbound', { threadId }), undefined);
  }
  for (const threadId of ['', 'thread_', 'msg_x', 'thread_a b', `thread_${'z'.repeat(129)}`, 'thread_x\n']) {
    t.match(issues('inbound', { threadId }), [{ path: '/body/threadId', code: 'pattern' }]);
  }
});

t.test('an e-mail address has at most 320 characters', async t => {
  const email = (length: number) => `${'a'.repeat(length - '@b.example'.length)}@b.example`;
  t.equal(issues('signUp', { email: email(320) }), undefined);
  t.match(issues('signUp', { email: email(321) }), [{ path: '/body/email', code: 'maxLength' }]);
});

t.test(
  'a model is asked at a temperature of 0 to 2, for at least one token, by rules of 1 to 2000 characters',
  async t => {
    for (const example of ['loom', 'loomVersion'] as const) {
      for (const temperature of [0, 0.7, 2, null]) t.equal(issues(example, { temperature }), undefined);
      for (const temperature of [-0.1, 2.1, '1']) t.ok(issues(example, { temperature }));
      for (const maxTokens of [1, 2_147_483_647, null]) t.equal(issues(example, { maxTokens }), undefined);
      for (const maxTokens of [0, 1.5, 2_147_483_648]) t.ok(issues(example, { maxTokens }));
      t.equal(issues(example, { rules: ['\u{1F600}'.repeat(2000), 'x'], toolIds: ['tool_1'] }), undefined);
      t.match(issues(example, { rules: ['x', ''] }), [{ path: '/body/rules/1', code: 'minLength' }]);
      t.match(issues(example, { rules: ['x'.repeat(2001)] }), [{ path: '/body/rules/0', code: 'maxLength' }]);
      t.match(issues(example, { toolIds: ['x'] }), [{ path: '/body/toolIds/0', code: 'pattern' }]);
    }
  },
);

t.test('a budget is a whole number of millionths from 0 on, or none', async t => {
  for (const field of ['perRunMicros', 'perThreadMicros', 'perProjectDayMicros']) {
    for (const value of [0, 2 ** 53 - 1, null]) t.equal(issues('budgets', { [field]: value }), undefined);
    for (const value of [-1, 0.5, 2 ** 53, '1']) t.ok(issues('budgets', { [field]: value }));
  }
  t.ok(issues('budgets', { onExceeded: 'auto' }));
});
