/** Who may do what: every row of the operation table against the table of docs/contract-decisions.md ("Who may do what"), repeated here. */
import t from 'tap';
import type { Access, Operation } from '../../../protocol/operation.ts';
import { operations } from '../../../protocol/operations/table.ts';

/** Workspace owner and admin imply developer; `viewer` reads whatever Studio roles read. */
const viewer = ['owner', 'admin', 'developer', 'viewer'] as const;
const developer = ['owner', 'admin', 'developer'] as const;
const admin = ['owner', 'admin'] as const;
const nobody = [] as const;
const all = ['project_owner', 'agent', 'viewer'] as const;
const operators = ['project_owner', 'agent'] as const;

interface Row {
  /** API-key scopes; null: keys never reach it, with `*` neither. */
  readonly scopes: Access['scopes'];
  readonly studio: Access['studio'];
  readonly console: Access['console'];
  readonly operations: string;
}

const row = (scopes: Row['scopes'], studio: Row['studio'], console: Row['console'], names: string): Row => ({
  scopes,
  studio,
  console,
  operations: names,
});

const table: readonly Row[] = [
  row(
    ['threads:read'],
    viewer,
    all,
    'listThreads getThread listNotes getQueues listMentions readMentions listThreadEvents listCannedReplies getCannedReply',
  ),
  row(
    ['threads:write'],
    developer,
    operators,
    'createThread updateThread archiveThread changeThreads createNote updateNote deleteNote assignThread setTyping',
  ),
  row(['threads:write'], viewer, all, 'moveReadCursor'),
  row(null, developer, ['project_owner'], 'createCannedReply updateCannedReply deleteCannedReply'),
  row(
    ['messages:read'],
    viewer,
    all,
    'listMessages findMessages getMessage getMessageTimeline getAttachmentUrl',
  ),
  row(['messages:write'], developer, operators, 'createMessage createAttachment sendChatappTemplate'),
  row(['messages:write'], developer, nobody, 'createInboundMessage recordReceipt'),
  row(
    ['channels:read'],
    viewer,
    all,
    'listChannels getChannel listChannelChanges listChannelCommands getChatappStatus checkChatappReadiness listChatappTemplates',
  ),
  row(
    ['channels:write'],
    developer,
    nobody,
    'createChannel updateChannel acknowledgeChannelCommand simulateSandbox',
  ),
  row(['channels:connect'], developer, nobody, 'connectChatapp disconnectChatapp'),
  row(
    ['webhooks:read'],
    viewer,
    nobody,
    'listStitches getStitch getStitchStats listDeliveries getDelivery listDeliveryAttempts listEvents getEvent',
  ),
  row(
    ['webhooks:write'],
    developer,
    nobody,
    'createStitch updateStitch archiveStitch rotateStitchSecret testStitch replayDelivery replayStitch replayFailedDeliveries',
  ),
  // It cannot be undone: stricter than writing.
  row(['threads:write'], developer, ['project_owner'], 'erasePersonalData'),
  row(['threads:read', 'messages:read', 'agents:read'], developer, ['project_owner'], 'listPersonalData'),
  row(
    ['agents:read'],
    viewer,
    all,
    'listLooms getLoom listLoomActivations listLoomVersions getLoomVersion listAgents getAgent getAgentSuggestions listAgentRuns getAgentRun listModelPrices',
  ),
  row(['agents:run'], developer, operators, 'createAgentRun cancelAgentRun'),
  row(['agents:run', 'agents:read'], developer, operators, 'tryLoom'),
  row(['agents:run', 'messages:write'], developer, operators, 'resolveSuggestion'),
  row(['agents:run', 'tools:execute'], developer, operators, 'resolveToolCall'),
  row(
    ['agents:write'],
    developer,
    nobody,
    'createLoom updateLoom activateLoomVersion createLoomVersion updateLoomVersion createAgent updateAgent archiveAgent archiveLoom archiveLoomVersion',
  ),
  row(['tools:read'], viewer, nobody, 'listTools getTool'),
  row(['tools:write'], developer, nobody, 'createTool updateTool rotateToolSecret'),
  row(['tools:execute'], developer, nobody, 'testTool'),
  row(['usage:read'], admin, ['project_owner'], 'listUsage getBudgets'),
  row(null, admin, ['project_owner'], 'setBudgets'),
  row(['audit:read'], admin, nobody, 'listAuditLogs exportAuditLogs'),
  // Whoever is a member may leave; to remove another takes an admin (test/gateway/handlers/members.test.ts).
  row(null, viewer, nobody, 'removeMember'),
  row(
    null,
    viewer,
    nobody,
    'listApiKeys getApiKey getWorkspace listByokCredentials listPartnerApps listInvitations listMembers getMember',
  ),
  row(
    null,
    developer,
    nobody,
    'createApiKey updateApiKey rotateApiKey revokeApiKey updateEnvironment createByokCredential updateByokCredential rotateByokCredential revokeByokCredential createEnvironment',
  ),
  row(
    null,
    admin,
    nobody,
    'createInvitation revokeInvitation updateMember upsertProjectMember removeProjectMember updateWorkspace transferWorkspace createProject updateProject archiveProject createPartnerApp rotatePartnerAppSecret revokePartnerApp getSingleSignOn setSingleSignOn removeSingleSignOn addSsoDomain proveSsoDomain updateSsoDomain removeSsoDomain',
  ),
  row(null, ['owner'], nobody, 'archiveWorkspace'),
  row(null, viewer, all, 'listConsoleMembers listProjectMembers getProject getEnvironment'),
  row(null, admin, ['project_owner'], 'upsertConsoleMember removeConsoleMember'),
  row(['threads:read', 'messages:read'], nobody, all, 'openStream listStreamEvents'),
  // A key sets the header itself: tickets are for browsers.
  row(null, nobody, all, 'createStreamTicket'),
];

/** For every user who is signed in, or for everybody: no role in a project or workspace is asked for. */
const open = new Set(
  `signUp login refresh logout me getProfile updateProfile getCaller verifyEmail resendVerification forgotPassword resetPassword rejectAccount acceptInvitation
  loginWithSecondFactor listSessions endSession endOtherSessions changePassword changeEmail confirmEmail deleteAccount
  getSecondFactor enrolSecondFactor confirmSecondFactor renewRecoveryCodes disableSecondFactor
    listPasskeys beginPasskey createPasskey updatePasskey removePasskey beginPasskeyLogin loginWithPasskey beginSingleSignOn finishSingleSignOn
  getSystem listWorkspaces createWorkspace listProjects listEnvironments listEventTypes getOpenApi getEnvelopeExample
  verifyChatappWebhook receiveChatappWebhook`.split(/\s+/),
);

const wanted = new Map(table.flatMap(each => each.operations.split(' ').map(id => [id, each] as const)));

for (const [id, operation] of Object.entries<Operation>(operations)) {
  t.test(id, async t => {
    const { access } = operation;
    if (open.has(id)) return void t.equal(access, undefined);
    const { scopes, studio, console } = wanted.get(id) ?? {};
    t.strictSame(access, { scopes, studio, console });
  });
}

t.test('the table names operations that there are', async t => {
  t.strictSame(
    [...wanted.keys(), ...open].filter(id => !(id in operations)),
    [],
  );
});
