import t from 'tap';
import type { TSchema } from 'typebox';
import { errors, type ErrorCode } from '../../../protocol/errors.ts';
import { scopes, type Operation } from '../../../protocol/operation.ts';
import { operations, type OperationId } from '../../../protocol/operations/table.ts';

const rows = Object.entries<Operation>(operations);
const statuses = (operation: Operation): Set<number> =>
  new Set(operation.errors.map(code => errors[code].http));
const properties = (schema: TSchema | undefined): string[] =>
  Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});

const takesKeys = ({ auth, access }: Operation): boolean => auth === 'any' || Boolean(access?.scopes);

/** What an error list has to hold because of how the operation is called. */
function implied(operation: Operation): ErrorCode[] {
  const codes: ErrorCode[] = ['svc/runtime/internal_error', 'svc/runtime/unavailable'];
  if (operation.rate !== 'none') codes.push('svc/rate_limit/exceeded');
  if (operation.auth !== 'none') {
    codes.push('svc/auth/missing_credentials', 'svc/auth/expired_token', 'svc/auth/invalid_token');
  }
  if (takesKeys(operation)) codes.push('svc/auth/invalid_api_key');
  // At the least an unknown parameter of the query.
  codes.push('svc/validation/invalid_request');
  if (properties(operation.query).includes('cursor')) codes.push('svc/runtime/invalid_request');
  if (operation.idempotency !== 'none') codes.push('svc/runtime/idempotency_conflict');
  if (operation.idempotency === 'required') codes.push('svc/runtime/missing_idempotency_key');
  if (operation.auth === 'project' || operation.auth === 'stream') {
    codes.push(operation.path.startsWith('/console/') ? 'svc/console/not_found' : 'svc/runtime/not_found');
  }
  // Canned replies are in no environment.
  const isInEnvironment = !/^\/(console|canned-replies)/.test(operation.path);
  if (operation.auth === 'project' && operation.access?.scopes && isInEnvironment) {
    codes.push('svc/auth/email_not_verified');
  }
  return codes;
}

t.test('the operations are those that were agreed', async t => {
  const ids =
    `signUp login refresh logout me getProfile updateProfile getCaller verifyEmail resendVerification forgotPassword resetPassword rejectAccount acceptInvitation
    loginWithSecondFactor listSessions endSession endOtherSessions changePassword changeEmail confirmEmail deleteAccount
    getSecondFactor enrolSecondFactor confirmSecondFactor renewRecoveryCodes disableSecondFactor
    listPasskeys beginPasskey createPasskey updatePasskey removePasskey beginPasskeyLogin loginWithPasskey
    getSingleSignOn setSingleSignOn removeSingleSignOn addSsoDomain proveSsoDomain updateSsoDomain removeSsoDomain
    beginSingleSignOn finishSingleSignOn
    createInvitation listInvitations revokeInvitation listMembers getMember updateMember removeMember
    listProjectMembers upsertProjectMember removeProjectMember
    listWorkspaces createWorkspace listProjects archiveWorkspace transferWorkspace archiveProject
    createProject listEnvironments createEnvironment listApiKeys createApiKey rotateApiKey revokeApiKey
    listPartnerApps createPartnerApp rotatePartnerAppSecret revokePartnerApp listAuditLogs exportAuditLogs listUsage listModelPrices listPersonalData erasePersonalData listChannels createChannel
    getChannel updateChannel listChannelChanges listChannelCommands acknowledgeChannelCommand createInboundMessage recordReceipt
    simulateSandbox createThread listThreads getThread updateThread assignThread changeThreads
    getSystem listCannedReplies createCannedReply getCannedReply updateCannedReply deleteCannedReply
    listNotes createNote updateNote deleteNote setTyping moveReadCursor getMessageTimeline createAttachment getAttachmentUrl listMessages findMessages getMessage createMessage listStitches
    createStitch getStitch getStitchStats updateStitch archiveStitch rotateStitchSecret testStitch listDeliveries getDelivery
    listDeliveryAttempts replayDelivery replayStitch replayFailedDeliveries listEvents getEvent listEventTypes listConsoleMembers
    upsertConsoleMember removeConsoleMember createStreamTicket openStream listStreamEvents getOpenApi
    listByokCredentials createByokCredential updateByokCredential rotateByokCredential revokeByokCredential listTools createTool getTool updateTool
    rotateToolSecret testTool listLooms createLoom getLoom updateLoom activateLoomVersion listLoomActivations tryLoom listLoomVersions createLoomVersion getLoomVersion
    updateLoomVersion listAgents createAgent getAgent getAgentSuggestions updateAgent createAgentRun listAgentRuns
    getAgentRun cancelAgentRun resolveSuggestion resolveToolCall getBudgets setBudgets getEnvelopeExample
    connectChatapp disconnectChatapp getChatappStatus verifyChatappWebhook receiveChatappWebhook checkChatappReadiness
    listChatappTemplates sendChatappTemplate getWorkspace updateWorkspace getProject updateProject getEnvironment updateEnvironment
    getApiKey updateApiKey getQueues listMentions readMentions listThreadEvents archiveThread archiveAgent archiveLoom archiveLoomVersion`.split(
      /\s+/,
    );
  t.strictSame(Object.keys(operations).sort(), ids.sort());
});

t.test('no two operations share a route', async t => {
  const routes = rows.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
  t.equal(new Set(routes).size, routes.length);
});

for (const [id, operation] of rows) {
  t.test(id, async t => {
    const named = [...operation.path.matchAll(/\{(\w+)\}/g)].map(match => match[1]);
    t.strictSame(properties(operation.params), named, 'every path parameter has a schema, and no other');
    t.match(operation.path, /^(\/[a-z0-9_.-]+|\/\{\w+\})+$/, 'the path is normal');

    for (const code of operation.errors) t.ok(code in errors, `${code} is in the catalogue`);
    t.equal(new Set(operation.errors).size, operation.errors.length, 'no error is listed twice');
    const missing = implied(operation).filter(code => !operation.errors.includes(code));
    t.strictSame(missing, [], 'the error list holds what auth, idempotency and schemas imply');
    const keepsNothing = operation.method === 'POST' && operation.idempotency === 'none';
    t.equal(
      operation.repeatEffect !== undefined,
      keepsNothing,
      'a POST keeps its answers, or says what a second one does',
    );
    if (operation.idempotency === 'none') {
      t.notOk(
        operation.errors.includes('svc/runtime/idempotency_conflict'),
        'and nothing of idempotency else',
      );
    }
    if (!takesKeys(operation)) {
      t.notOk(
        operation.errors.includes('svc/auth/invalid_api_key'),
        'and nothing of API keys where none come',
      );
    }

    if (operation.auth === 'project' || operation.auth === 'stream') {
      t.ok(operation.access, 'an operation on a project says who may call it');
    }
    if (operation.access) {
      const { access } = operation;
      t.ok(access.scopes === null || access.scopes.length > 0, 'scopes are null or some');
      for (const scope of access.scopes ?? []) t.ok(scopes.includes(scope), scope);
      t.ok(access.studio.length + access.console.length > 0, 'somebody may');
      // But that everybody may leave, and has read what they have read.
      const isWrite = operation.method !== 'GET' && id !== 'removeMember' && id !== 'moveReadCursor';
      if (isWrite && !operation.path.startsWith('/console/')) {
        t.notOk(access.studio.includes('viewer'), 'viewers write nothing');
        t.notOk(access.console.includes('viewer'), 'neither in Studio nor in Console');
      }
    }

    const safe = operation.method === 'GET';
    t.notOk(safe && operation.body, 'a GET has no body');
    t.notOk(safe && operation.idempotency !== 'none', 'a GET needs no Idempotency-Key');
    if (operation.method === 'POST' && operation.auth === 'project' && id !== 'createStreamTicket') {
      t.not(operation.idempotency, 'none', 'a POST takes an Idempotency-Key');
    }
    if (operation.body)
      t.match(operation.body, { additionalProperties: false }, 'unknown fields are refused');
    t.equal(operation.success.body === null, [101, 204].includes(operation.success.status));
  });
}

t.test('the critical writes require an Idempotency-Key', async t => {
  const required = rows.filter(([, operation]) => operation.idempotency === 'required').map(([id]) => id);
  t.strictSame(required.sort(), ['createInboundMessage', 'createMessage', 'createThread']);
});

t.test('answers with a secret say so', async t => {
  const secret = rows.filter(([, operation]) => operation.secret).map(([id]) => id);
  const expected = `confirmSecondFactor createApiKey createAttachment createPartnerApp createPasskey createStitch createStreamTicket createTool enrolSecondFactor renewRecoveryCodes rotateApiKey rotateStitchSecret rotateToolSecret`;
  t.strictSame(secret.sort(), expected.split(' '));
});

t.test('lists have the parameters and the envelope of a page', async t => {
  for (const [id, operation] of rows) {
    if (!properties(operation.success.body ?? undefined).includes('hasMore')) continue;
    t.match(
      operation.query,
      { properties: { cursor: { type: 'string' }, limit: { minimum: 1, maximum: 100, default: 50 } } },
      id,
    );
    t.match(operation.success.body, { required: ['data', 'nextCursor', 'hasMore'] }, id);
  }
});

t.test('403, 404 and 409 are exactly the statuses of the contract', async t => {
  // Whether a status is listed decides what a caller without permission is told (docs/contract-decisions.md, "Permission or absence").
  const specified: Partial<Record<OperationId, readonly number[]>> = {
    signUp: [403, 409, 422],
    login: [401, 403, 422],
    refresh: [401, 403],
    logout: [],
    // Its table says 401 alone, its section on roles 403 for a user without a workspace.
    me: [401, 403],
    verifyEmail: [401],
    resendVerification: [401],
    forgotPassword: [],
    resetPassword: [401, 422],
    acceptInvitation: [401, 403, 404, 422],
    listWorkspaces: [401, 422],
    createWorkspace: [401, 409, 422],
    listProjects: [401, 422],
    listEnvironments: [401, 422],
    createInvitation: [401, 403, 404, 409, 422],
    listInvitations: [401, 404],
    revokeInvitation: [401, 404],
    listApiKeys: [401, 403, 404, 422],
    createApiKey: [401, 403, 404, 409, 422],
    rotateApiKey: [401, 404, 409, 422],
    revokeApiKey: [401, 404],
    listPartnerApps: [401, 403, 404, 422],
    createPartnerApp: [401, 403, 404, 422],
  };
  for (const [id, listed] of Object.entries(specified)) {
    const operation: Operation = operations[id as OperationId];
    const found = statuses(operation);
    for (const status of listed) t.ok(found.has(status), `${id} may answer ${status}`);
    for (const status of [401, 403, 404])
      t.equal(found.has(status), listed.includes(status), `${id}: ${status}`);
    const conflicts = operation.errors.filter(code => errors[code].http === 409);
    const general = operation.idempotency === 'none' ? [] : ['svc/runtime/idempotency_conflict'];
    if (!listed.includes(409)) t.strictSame(conflicts, general, `${id}: 409`);
  }
});

t.test('statuses of success are those of the contract', async t => {
  const expected: Partial<Record<OperationId, number>> = {
    createThread: 201,
    updateThread: 200,
    createInvitation: 201,
    revokeInvitation: 204,
    updateMember: 200,
    removeMember: 204,
    assignThread: 200,
    createAttachment: 201,
    getAttachmentUrl: 200,
    createNote: 201,
    updateNote: 200,
    deleteNote: 204,
    setTyping: 204,
    moveReadCursor: 200,
    createMessage: 201,
    createInboundMessage: 201,
    recordReceipt: 202,
    simulateSandbox: 202,
    acknowledgeChannelCommand: 204,
    archiveStitch: 204,
    erasePersonalData: 202,
    rotateStitchSecret: 200,
    rotateToolSecret: 200,
    rotatePartnerAppSecret: 200,
    revokePartnerApp: 204,
    testStitch: 202,
    replayDelivery: 202,
    replayStitch: 202,
    replayFailedDeliveries: 202,
    archiveWorkspace: 204,
    transferWorkspace: 200,
    archiveProject: 204,
    upsertProjectMember: 200,
    removeProjectMember: 204,
    upsertConsoleMember: 200,
    removeConsoleMember: 204,
    openStream: 101,
    getEnvelopeExample: 501,
  };
  for (const [id, status] of Object.entries(expected)) {
    t.equal(operations[id as OperationId].success.status, status, id);
  }
});

t.test('API keys never reach keys, environments and members', async t => {
  for (const [id, operation] of rows) {
    if (
      /^\/(api-keys|environments|projects|workspaces)/.test(operation.path) ||
      operation.path.includes('/members')
    ) {
      t.notOk(operation.access?.scopes, id);
    }
  }
});
