/** The limits of fields, at the edge and one beyond, counted in code points. */
import t from 'tap';
import { createExample } from '../../../protocol/openapi/examples.ts';
import type { Operation } from '../../../protocol/operation.ts';
import { operations, type OperationId } from '../../../protocol/operations/table.ts';
import { compile } from '../../../protocol/validate.ts';

/** The issues of a valid body of the operation with other values in it. */
function issues(id: OperationId, change: Record<string, unknown> = {}) {
  const { body }: Operation = operations[id];
  if (body === undefined) throw new Error(`${id} has no body`);
  return compile(body)({ ...(createExample(body) as object), ...change }, '/body');
}

/** Minimum and maximum number of characters, and the fields of that length. */
const texts: readonly (readonly [number, number, string])[] = [
  [0, 320, 'login.email'],
  [1, 128, 'createEnvironment.name createApiKey.name createByokCredential.displayName'],
  [
    1,
    256,
    `signUp.workspaceName login.password createWorkspace.name createProject.name createThread.externalRef createAttachment.filename
     createInboundMessage.externalThreadRef createInboundMessage.externalParticipantRef createChannel.name recordReceipt.externalMessageId
     createStitch.name updateStitch.name createTool.name updateTool.name createLoom.name createLoom.model updateLoom.name createAgent.name
     updateAgent.name`,
  ],
  [1, 512, 'verifyEmail.token'],
  [1, 4_000, 'createNote.body updateNote.body'],
  [1, 4_096, 'createTool.description'],
  [1, 16_000, 'createMessage.body createInboundMessage.body simulateSandbox.body'],
  [1, 64_000, 'createLoom.systemPrompt createLoomVersion.systemPrompt'],
  [8, 256, 'signUp.password'],
  [8, 4_096, 'createByokCredential.secret rotateByokCredential.secret'],
];

for (const [min, max, fields] of texts) {
  for (const each of fields.split(/\s+/)) {
    t.test(`${each} has ${min} to ${max} characters`, async t => {
      const [id, field = ''] = each.split('.') as [OperationId, string];
      // One UTF-16 unit, two units, and marks that join the character before them: each is one code point.
      for (const character of ['x', '\u{1F600}', '\u0301', '\u200d']) {
        const check = (count: number) => issues(id, { [field]: character.repeat(count) });
        t.equal(check(min), undefined, `${min} of it`);
        t.equal(check(max), undefined, `${max} of it`);
        const path = `/body/${field}`;
        t.match(check(max + 1), [{ path, code: 'maxLength' }]);
        if (min > 0) t.match(check(min - 1), [{ path, code: 'minLength' }]);
      }
    });
  }
}

const numbers: readonly (readonly [OperationId, string, number, number])[] = [
  ['rotateStitchSecret', 'gracePeriodSeconds', 0, 604_800],
  ['createAttachment', 'sizeBytes', 1, 104_857_600],
  ['rotateByokCredential', 'gracePeriodSeconds', 0, 86_400],
  ...(['createTool', 'updateTool'] as const).flatMap(id => [
    [id, 'timeoutMs', 100, 30_000] as const,
    [id, 'retryMaxAttempts', 1, 5] as const,
    [id, 'retryBackoffMs', 0, 30_000] as const,
  ]),
];

for (const [id, field, min, max] of numbers) {
  t.test(`${id}.${field} is ${min} to ${max}`, async t => {
    for (const value of [min, max]) t.equal(issues(id, { [field]: value }), undefined);
    t.match(issues(id, { [field]: min - 1 }), [{ code: 'minimum' }]);
    t.match(issues(id, { [field]: max + 1 }), [{ code: 'maximum' }]);
    for (const value of [min + 0.5, String(min)]) t.match(issues(id, { [field]: value }), [{ code: 'type' }]);
  });
}

t.test('tags', async t => {
  const tags = (...value: unknown[]) => issues('updateThread', { tags: value });
  t.equal(tags(), undefined);
  t.equal(tags('a', '0', 'A-_z', 'x'.repeat(64)), undefined);
  t.equal(tags(...Array.from({ length: 20 }, (_, i) => `t${i}`)), undefined, '20');
  t.match(tags(...Array.from({ length: 21 }, (_, i) => `t${i}`)), [{ path: '/body/tags', code: 'maxItems' }]);
  for (const tag of ['', '-a', '_a', 'a b', 'a.b', '\u00e9', 'a\n', 'x'.repeat(65)]) {
    t.match(tags('ok', tag), [{ path: '/body/tags/1', code: 'pattern' }], JSON.stringify(tag));
  }
});

t.test('custom fields hold text, numbers, booleans and null, under any name', async t => {
  const fields = (customFields: unknown) => issues('updateThread', { customFields });
  t.equal(fields({ a: 'x', b: 1.5, c: true, d: null, 'e\n': '', '': 0 }), undefined);
  t.strictSame(
    fields({ a: {}, 'b/c': [], 'd\n': {} })?.map(issue => issue.path),
    ['/body/customFields/a', '/body/customFields/b~1c', '/body/customFields/d\n'],
  );
  t.match(fields([]), [{ path: '/body/customFields', code: 'type' }]);
});

t.test('a message has at most ten attachments, each of a known kind and closed', async t => {
  const image = { kind: 'image', url: 'https://a.example/1.png', sizeBytes: 0, metadata: { any: [{}] } };
  for (const id of ['createMessage', 'createInboundMessage', 'simulateSandbox'] as const) {
    t.equal(issues(id, { attachments: Array.from({ length: 10 }, () => image) }), undefined);
    t.match(issues(id, { attachments: Array.from({ length: 11 }, () => image) }), [
      { path: '/body/attachments', code: 'maxItems' },
    ]);
  }
  const path = '/body/attachments/0';
  const one = (change: object) => issues('createMessage', { attachments: [{ ...image, ...change }] });
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
  const type = (mimeType: unknown) => issues('createAttachment', { mimeType });
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
  t.match(issues('createApiKey', { scopes: [] }), [{ path: '/body/scopes', code: 'minItems' }]);
  t.match(issues('createApiKey', { scopes: ['threads:read', 'threads:delete'] }), [
    { path: '/body/scopes/1' },
  ]);
  t.equal(issues('createApiKey', { expiresAt: null }), undefined);
  t.match(issues('createApiKey', { expiresAt: 'tomorrow' }), [{ path: '/body/expiresAt', code: 'format' }]);
});

t.test(
  'a model is asked at a temperature of 0 to 2, for at least one token, by rules of 1 to 2000 characters',
  async t => {
    for (const id of ['createLoom', 'createLoomVersion'] as const) {
      for (const temperature of [0, 0.7, 2, null]) t.equal(issues(id, { temperature }), undefined);
      for (const temperature of [-0.1, 2.1, '1']) t.ok(issues(id, { temperature }));
      for (const maxTokens of [1, 2_147_483_647, null]) t.equal(issues(id, { maxTokens }), undefined);
      for (const maxTokens of [0, 1.5, 2_147_483_648]) t.ok(issues(id, { maxTokens }));
      t.equal(issues(id, { rules: ['\u{1F600}'.repeat(2000), 'x'], toolIds: ['tool_1'] }), undefined);
      t.match(issues(id, { rules: ['x', ''] }), [{ path: '/body/rules/1', code: 'minLength' }]);
      t.match(issues(id, { rules: ['x'.repeat(2001)] }), [{ path: '/body/rules/0', code: 'maxLength' }]);
      t.match(issues(id, { toolIds: ['x'] }), [{ path: '/body/toolIds/0', code: 'pattern' }]);
    }
  },
);

t.test('a budget is a whole number of millionths from 0 on, or none', async t => {
  for (const field of ['perRunMicros', 'perThreadMicros', 'perProjectDayMicros']) {
    for (const value of [0, 2 ** 53 - 1, null]) t.equal(issues('setBudgets', { [field]: value }), undefined);
    for (const value of [-1, 0.5, 2 ** 53, '1']) t.ok(issues('setBudgets', { [field]: value }));
  }
  t.ok(issues('setBudgets', { onExceeded: 'auto' }));
});
