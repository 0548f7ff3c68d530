/** Who may do what: every row of the operation table against the table of docs/contract-decisions.md ("Who may do what"), repeated here. */
import t from 'tap';
import type { Operation } from '../../../protocol/operation.ts';
import { operations } from '../../../protocol/operations/table.ts';

/** Roles from the strongest to the weakest: a role may do everything that a weaker one may. */
const studioRoles = ['owner', 'admin', 'developer', 'viewer'];
const consoleRoles = ['project_owner', 'agent', 'viewer'];

/**
 * The scopes that an API key needs, the weakest role in Studio and the weakest in Console: then the operations. `no keys`: not even a key
 * with the scope `*` reaches them. Everyone may leave a workspace; to remove another member takes an admin. Erasure cannot be undone, so it is
 * stricter than writing. A key sets the header of a stream itself, so tickets are for browsers.
 */
const table = `
  threads:read | viewer | viewer: listThreads getThread listNotes getQueues listMentions readMentions listThreadEvents listCannedReplies getCannedReply
  threads:write | developer | agent: createThread updateThread archiveThread changeThreads createNote updateNote deleteNote assignThread setTyping
  threads:write | viewer | viewer: moveReadCursor
  no keys | developer | project_owner: createCannedReply updateCannedReply deleteCannedReply
  messages:read | viewer | viewer: listMessages findMessages getMessage getMessageTimeline getAttachmentUrl
  messages:write | developer | agent: createMessage createAttachment sendChatappTemplate
  messages:write | developer | -: createInboundMessage recordReceipt
  channels:read | viewer | viewer: listChannels getChannel listChannelChanges listChannelCommands getChatappStatus checkChatappReadiness
    listChatappTemplates
  channels:write | developer | -: createChannel updateChannel acknowledgeChannelCommand simulateSandbox
  channels:connect | developer | -: connectChatapp disconnectChatapp
  webhooks:read | viewer | -: listStitches getStitch getStitchStats listDeliveries getDelivery listDeliveryAttempts listEvents getEvent
  webhooks:write | developer | -: createStitch updateStitch archiveStitch rotateStitchSecret testStitch replayDelivery replayStitch replayFailedDeliveries
  threads:write | developer | project_owner: erasePersonalData
  threads:read messages:read agents:read | developer | project_owner: listPersonalData
  agents:read | viewer | viewer: listLooms getLoom listLoomActivations listLoomVersions getLoomVersion listAgents getAgent getAgentSuggestions
    listAgentRuns getAgentRun listModelPrices
  agents:run | developer | agent: createAgentRun cancelAgentRun
  agents:run agents:read | developer | agent: tryLoom
  agents:run messages:write | developer | agent: resolveSuggestion
  agents:run tools:execute | developer | agent: resolveToolCall
  agents:write | developer | -: createLoom updateLoom activateLoomVersion createLoomVersion updateLoomVersion createAgent updateAgent archiveAgent
    archiveLoom archiveLoomVersion
  tools:read | viewer | -: listTools getTool
  tools:write | developer | -: createTool updateTool rotateToolSecret
  tools:execute | developer | -: testTool
  usage:read | admin | project_owner: listUsage getBudgets
  no keys | admin | project_owner: setBudgets
  audit:read | admin | -: listAuditLogs exportAuditLogs
  no keys | viewer | -: removeMember
  no keys | viewer | -: listApiKeys getApiKey getWorkspace listByokCredentials listPartnerApps listInvitations listMembers getMember
  no keys | developer | -: createApiKey updateApiKey rotateApiKey revokeApiKey updateEnvironment createByokCredential updateByokCredential
    rotateByokCredential revokeByokCredential createEnvironment
  no keys | admin | -: createInvitation revokeInvitation updateMember upsertProjectMember removeProjectMember updateWorkspace transferWorkspace
    createProject updateProject archiveProject createPartnerApp rotatePartnerAppSecret revokePartnerApp getSingleSignOn
    setSingleSignOn removeSingleSignOn addSsoDomain proveSsoDomain updateSsoDomain removeSsoDomain
  no keys | owner | -: archiveWorkspace
  no keys | viewer | viewer: listConsoleMembers listProjectMembers getProject getEnvironment
  no keys | admin | project_owner: upsertConsoleMember removeConsoleMember
  threads:read messages:read | - | viewer: openStream listStreamEvents
  no keys | - | viewer: createStreamTicket
`;

/** Operations of every user who is signed in, or of everyone: they ask for no role in a project or workspace. */
const open = new Set(
  `signUp login refresh logout me getProfile updateProfile getCaller verifyEmail resendVerification forgotPassword resetPassword rejectAccount
    acceptInvitation loginWithSecondFactor listSessions endSession endOtherSessions changePassword changeEmail confirmEmail deleteAccount
    getSecondFactor enrolSecondFactor confirmSecondFactor renewRecoveryCodes disableSecondFactor listPasskeys beginPasskey createPasskey
    updatePasskey removePasskey beginPasskeyLogin loginWithPasskey beginSingleSignOn finishSingleSignOn getSystem listDeadLetters runDeadLetter
    deleteDeadLetter listWorkspaces createWorkspace
    listProjects listEnvironments listEventTypes getOpenApi getEnvelopeExample verifyChatappWebhook receiveChatappWebhook`.split(
    /\s+/,
  ),
);

const upTo = (roles: readonly string[], weakest = '-'): readonly string[] =>
  roles.slice(0, roles.indexOf(weakest) + 1);

const wanted = new Map(
  [...table.matchAll(/^ {2}(\S[^|]*) \| (\S+) \| ([^\s:]+): ([^|]*?)$(?=\n {2}\S|\n$)/gm)].flatMap(
    ([, scopes, studio, console, ids = '']) => {
      const access = {
        scopes: scopes === 'no keys' ? null : scopes?.split(' '),
        studio: upTo(studioRoles, studio),
        console: upTo(consoleRoles, console),
      };
      return ids.split(/\s+/).map(id => [id, access] as const);
    },
  ),
);

for (const [id, { access }] of Object.entries<Operation>(operations)) {
  t.test(id, async t => {
    t.strictSame(access, open.has(id) ? undefined : (wanted.get(id) ?? 'not in the table'));
  });
}

t.test('the table names operations that there are', async t => {
  const unknown = [...wanted.keys(), ...open].filter(id => !(id in operations));
  t.strictSame(unknown, []);
});
