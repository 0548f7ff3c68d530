// Made by generate.ts from the contract. Do not edit.
/** By resource, the calls of the client; `parseOperation` in operation.ts says how they are read. */
export const operationTable = {
  auth: `POST signUp signUp /studio/auth/signup N
POST login login /studio/auth/login N
POST refresh refresh /studio/auth/refresh 0R
POST logout logout /studio/auth/logout 0R
GET me me /studio/me
POST verifyEmail verifyEmail /studio/auth/verify-email
POST rejectAccount rejectAccount /studio/auth/reject-account
POST resendVerification resendVerification /studio/auth/resend-verification 0
POST forgotPassword forgotPassword /studio/auth/forgot-password
POST resetPassword resetPassword /studio/auth/reset-password
POST acceptInvitation acceptInvitation /studio/auth/accept-invitation N`,
  caller: `GET get getCaller /caller`,
  workspaces: `GET list listWorkspaces /workspaces L
POST create createWorkspace /workspaces
GET get getWorkspace /workspaces/{workspaceId}
PATCH update updateWorkspace /workspaces/{workspaceId}`,
  projects: `GET list listProjects /projects L
POST create createProject /projects
GET get getProject /projects/{projectId}
PATCH update updateProject /projects/{projectId}`,
  environments: `GET list listEnvironments /environments Lp
POST create createEnvironment /environments P
GET get getEnvironment /environments/{environmentId}
PATCH update updateEnvironment /environments/{environmentId}`,
  invitations: `POST create createInvitation /workspaces/{workspaceId}/invitations
GET list listInvitations /workspaces/{workspaceId}/invitations L
DELETE revoke revokeInvitation /workspaces/{workspaceId}/invitations/{invitationId}`,
  members: `GET list listMembers /workspaces/{workspaceId}/members L
GET get getMember /workspaces/{workspaceId}/members/{userId}
PATCH update updateMember /workspaces/{workspaceId}/members/{userId}
DELETE remove removeMember /workspaces/{workspaceId}/members/{userId}`,
  apiKeys: `GET list listApiKeys /api-keys LP
POST create createApiKey /api-keys P
GET get getApiKey /api-keys/{apiKeyId}
PATCH update updateApiKey /api-keys/{apiKeyId}
DELETE revoke revokeApiKey /api-keys/{apiKeyId}
POST rotate rotateApiKey /api-keys/{apiKeyId}/rotate`,
  partnerApps: `GET list listPartnerApps /meta-apps L
POST create createPartnerApp /meta-apps
POST rotateSecret rotatePartnerAppSecret /meta-apps/{metaAppCredentialId}/rotate-secret
DELETE revoke revokePartnerApp /meta-apps/{metaAppCredentialId}`,
  auditLogs: `GET list listAuditLogs /audit-logs L`,
  usage: `GET list listUsage /usage Lpe`,
  budgets: `GET get getBudgets /usage/budgets pe
PUT set setBudgets /usage/budgets Pe`,
  channels: `GET list listChannels /channels Lpe
POST create createChannel /channels pe
GET get getChannel /channels/{channelId} p
PATCH update updateChannel /channels/{channelId} p
GET listCommands listChannelCommands /channels/{channelId}/commands Lp
POST acknowledgeCommand acknowledgeChannelCommand /channels/{channelId}/commands/{eventId}/ack 0p
POST receive createInboundMessage /channels/{channelId}/inbound-messages p
POST recordReceipt recordReceipt /channels/{channelId}/receipts p
POST simulate simulateSandbox /channels/{channelId}/sandbox/simulate p`,
  chatapp: `POST connect connectChatapp /channels/{channelId}/chatapp/connect p
POST disconnect disconnectChatapp /channels/{channelId}/chatapp/disconnect p
GET getStatus getChatappStatus /channels/{channelId}/chatapp/status p
GET checkReadiness checkChatappReadiness /channels/{channelId}/chatapp/readiness p
GET listTemplates listChatappTemplates /channels/{channelId}/chatapp/templates Lp
POST sendTemplate sendChatappTemplate /channels/{channelId}/chatapp/templates/send p
GET verifyWebhook verifyChatappWebhook /channels/{channelId}/chatapp/webhook Q
POST receiveWebhook receiveChatappWebhook /channels/{channelId}/chatapp/webhook R`,
  threads: `POST create createThread /threads pe
GET list listThreads /threads Lpe
GET get getThread /threads/{threadId} p
PATCH update updateThread /threads/{threadId} p
DELETE archive archiveThread /threads/{threadId} p
PUT assign assignThread /threads/{threadId}/assignment p
POST setTyping setTyping /threads/{threadId}/typing p
PUT moveReadCursor moveReadCursor /threads/{threadId}/read-cursor p
DELETE erasePersonalData erasePersonalData /threads/{threadId}/personal-data p`,
  notes: `GET list listNotes /threads/{threadId}/notes Lp
POST create createNote /threads/{threadId}/notes p
PATCH update updateNote /threads/{threadId}/notes/{threadNoteId} p
DELETE delete deleteNote /threads/{threadId}/notes/{threadNoteId} p`,
  messages: `GET list listMessages /threads/{threadId}/messages Lp
POST create createMessage /threads/{threadId}/messages p
GET get getMessage /threads/{threadId}/messages/{messageId} p
GET timeline getMessageTimeline /threads/{threadId}/messages/{messageId}/timeline p`,
  attachments: `POST create createAttachment /attachments pe
GET getUrl getAttachmentUrl /attachments/{attachmentId}/url p`,
  byokCredentials: `GET list listByokCredentials /byok-credentials LPe
POST create createByokCredential /byok-credentials Pe
POST rotate rotateByokCredential /byok-credentials/{byokCredentialId}/rotate
DELETE revoke revokeByokCredential /byok-credentials/{byokCredentialId} p`,
  tools: `GET list listTools /tools Lpe
POST create createTool /tools pe
GET get getTool /tools/{toolId} p
PATCH update updateTool /tools/{toolId} p
POST test testTool /tools/{toolId}/test p`,
  looms: `GET list listLooms /looms Lpe
POST create createLoom /looms pe
GET get getLoom /looms/{loomId} p
PATCH update updateLoom /looms/{loomId} p
DELETE archive archiveLoom /looms/{loomId} p
POST activateVersion activateLoomVersion /looms/{loomId}/activate p
GET listVersions listLoomVersions /looms/{loomId}/versions Lp
POST createVersion createLoomVersion /looms/{loomId}/versions p
GET getVersion getLoomVersion /looms/{loomId}/versions/{loomVersionId} p
PATCH updateVersion updateLoomVersion /looms/{loomId}/versions/{loomVersionId} p
DELETE archiveVersion archiveLoomVersion /looms/{loomId}/versions/{loomVersionId} p`,
  agents: `GET list listAgents /agents Lpe
POST create createAgent /agents pe
GET get getAgent /agents/{agentId} p
PATCH update updateAgent /agents/{agentId} p
DELETE archive archiveAgent /agents/{agentId} p`,
  agentRuns: `POST create createAgentRun /agents/{agentId}/runs p
GET list listAgentRuns /agent-runs Lpe
GET get getAgentRun /agent-runs/{agentRunId} p
POST cancel cancelAgentRun /agent-runs/{agentRunId}/cancel p
POST resolveSuggestion resolveSuggestion /agent-runs/{agentRunId}/resolve-suggestion p
POST resolveToolCall resolveToolCall /agent-runs/{agentRunId}/resolve-tool-call p`,
  stitches: `GET list listStitches /stitches Lpe
POST create createStitch /stitches pe
GET get getStitch /stitches/{stitchId} p
PATCH update updateStitch /stitches/{stitchId} p
DELETE archive archiveStitch /stitches/{stitchId} p
POST rotateSecret rotateStitchSecret /stitches/{stitchId}/rotate-secret p
POST test testStitch /stitches/{stitchId}/test p
POST replay replayStitch /stitches/{stitchId}/replay p`,
  deliveries: `GET list listDeliveries /webhook-deliveries Lpe
GET get getDelivery /webhook-deliveries/{deliveryId} p
GET listAttempts listDeliveryAttempts /webhook-deliveries/{deliveryId}/attempts Lp
POST replay replayDelivery /webhook-deliveries/{deliveryId}/replay p`,
  events: `GET list listEvents /events Lpe
GET get getEvent /events/{eventId} p
GET listTypes listEventTypes /event-types L`,
  console: `GET listMembers listConsoleMembers /console/projects/{projectId}/members L
PUT upsertMember upsertConsoleMember /console/projects/{projectId}/members
DELETE removeMember removeConsoleMember /console/projects/{projectId}/members/{userId}
GET queues getQueues /console/projects/{projectId}/queues e
POST createTicket createStreamTicket /console/projects/{projectId}/events/tickets 0
GET listEvents listStreamEvents /console/projects/{projectId}/events L`,
  contract: `GET get getOpenApi /openapi.json`,
};

/** The operations of the contract, by their ids. */
export type OperationId =
  | 'signUp'
  | 'login'
  | 'refresh'
  | 'logout'
  | 'me'
  | 'verifyEmail'
  | 'rejectAccount'
  | 'resendVerification'
  | 'forgotPassword'
  | 'resetPassword'
  | 'acceptInvitation'
  | 'getCaller'
  | 'listWorkspaces'
  | 'createWorkspace'
  | 'getWorkspace'
  | 'updateWorkspace'
  | 'listProjects'
  | 'createProject'
  | 'getProject'
  | 'updateProject'
  | 'listEnvironments'
  | 'createEnvironment'
  | 'getEnvironment'
  | 'updateEnvironment'
  | 'createInvitation'
  | 'listInvitations'
  | 'revokeInvitation'
  | 'listMembers'
  | 'getMember'
  | 'updateMember'
  | 'removeMember'
  | 'listApiKeys'
  | 'createApiKey'
  | 'getApiKey'
  | 'updateApiKey'
  | 'revokeApiKey'
  | 'rotateApiKey'
  | 'listPartnerApps'
  | 'createPartnerApp'
  | 'rotatePartnerAppSecret'
  | 'revokePartnerApp'
  | 'listAuditLogs'
  | 'listUsage'
  | 'getBudgets'
  | 'setBudgets'
  | 'listChannels'
  | 'createChannel'
  | 'getChannel'
  | 'updateChannel'
  | 'listChannelCommands'
  | 'acknowledgeChannelCommand'
  | 'createInboundMessage'
  | 'recordReceipt'
  | 'simulateSandbox'
  | 'connectChatapp'
  | 'disconnectChatapp'
  | 'getChatappStatus'
  | 'checkChatappReadiness'
  | 'listChatappTemplates'
  | 'sendChatappTemplate'
  | 'verifyChatappWebhook'
  | 'receiveChatappWebhook'
  | 'createThread'
  | 'listThreads'
  | 'getThread'
  | 'updateThread'
  | 'archiveThread'
  | 'assignThread'
  | 'listNotes'
  | 'createNote'
  | 'updateNote'
  | 'deleteNote'
  | 'setTyping'
  | 'moveReadCursor'
  | 'erasePersonalData'
  | 'listMessages'
  | 'createMessage'
  | 'getMessage'
  | 'getMessageTimeline'
  | 'createAttachment'
  | 'getAttachmentUrl'
  | 'listByokCredentials'
  | 'createByokCredential'
  | 'rotateByokCredential'
  | 'revokeByokCredential'
  | 'listTools'
  | 'createTool'
  | 'getTool'
  | 'updateTool'
  | 'testTool'
  | 'listLooms'
  | 'createLoom'
  | 'getLoom'
  | 'updateLoom'
  | 'archiveLoom'
  | 'activateLoomVersion'
  | 'listLoomVersions'
  | 'createLoomVersion'
  | 'getLoomVersion'
  | 'updateLoomVersion'
  | 'archiveLoomVersion'
  | 'listAgents'
  | 'createAgent'
  | 'getAgent'
  | 'updateAgent'
  | 'archiveAgent'
  | 'createAgentRun'
  | 'listAgentRuns'
  | 'getAgentRun'
  | 'cancelAgentRun'
  | 'resolveSuggestion'
  | 'resolveToolCall'
  | 'listStitches'
  | 'createStitch'
  | 'getStitch'
  | 'updateStitch'
  | 'archiveStitch'
  | 'rotateStitchSecret'
  | 'testStitch'
  | 'listDeliveries'
  | 'getDelivery'
  | 'listDeliveryAttempts'
  | 'replayDelivery'
  | 'replayStitch'
  | 'listEvents'
  | 'getEvent'
  | 'listEventTypes'
  | 'listConsoleMembers'
  | 'upsertConsoleMember'
  | 'removeConsoleMember'
  | 'getQueues'
  | 'createStreamTicket'
  | 'listStreamEvents'
  | 'getOpenApi';

/** The version of the contract that this client is of. */
export const apiVersion = '2026-11-01';
