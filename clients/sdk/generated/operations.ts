// Made by generate.ts from the contract. Do not edit.
/** By resource, the calls of the client; `parseOperation` in operation.ts says how they are read. */
export const operationTable = {
  auth: `NPOST signUp/studio/auth/signup
NPOST login/studio/auth/login
0RPOST refresh/studio/auth/refresh
0RPOST logout/studio/auth/logout
GET me/studio/me
POST verifyEmail/studio/auth/verify-email
POST rejectAccount/studio/auth/reject-account
0POST resendVerification/studio/auth/resend-verification
POST forgotPassword/studio/auth/forgot-password
POST resetPassword/studio/auth/reset-password
NPOST acceptInvitation/studio/auth/accept-invitation`,
  caller: `GET get.Caller/caller`,
  workspaces: `LGET list.Workspaces/workspaces
POST create.Workspace/workspaces
GET get.Workspace/workspaces/{workspaceId}
PATCH update.Workspace/workspaces/{workspaceId}`,
  projects: `LGET list.Projects/projects
POST create.Project/projects
GET get.Project/projects/{projectId}
PATCH update.Project/projects/{projectId}`,
  environments: `LpGET list.Environments/environments
PPOST create.Environment/environments
GET get.Environment/environments/{environmentId}
PATCH update.Environment/environments/{environmentId}`,
  invitations: `POST create.Invitation/workspaces/{workspaceId}/invitations
LGET list.Invitations/workspaces/{workspaceId}/invitations
DELETE revoke.Invitation/workspaces/{workspaceId}/invitations/{invitationId}`,
  members: `LGET list.Members/workspaces/{workspaceId}/members
GET get.Member/workspaces/{workspaceId}/members/{userId}
PATCH update.Member/workspaces/{workspaceId}/members/{userId}
DELETE remove.Member/workspaces/{workspaceId}/members/{userId}`,
  apiKeys: `LPGET list.ApiKeys/api-keys
PPOST create.ApiKey/api-keys
GET get.ApiKey/api-keys/{apiKeyId}
PATCH update.ApiKey/api-keys/{apiKeyId}
DELETE revoke.ApiKey/api-keys/{apiKeyId}
POST rotate.ApiKey/api-keys/{apiKeyId}/rotate`,
  partnerApps: `LGET list.PartnerApps/meta-apps
POST create.PartnerApp/meta-apps
POST rotate.PartnerApp.Secret/meta-apps/{metaAppCredentialId}/rotate-secret
DELETE revoke.PartnerApp/meta-apps/{metaAppCredentialId}`,
  auditLogs: `LGET list.AuditLogs/audit-logs`,
  usage: `LpeGET list.Usage/usage`,
  budgets: `peGET get.Budgets/usage/budgets
PePUT set.Budgets/usage/budgets`,
  channels: `LpeGET list.Channels/channels
pePOST create.Channel/channels
pGET get.Channel/channels/{channelId}
pPATCH update.Channel/channels/{channelId}
LpGET listC.hannelC.ommands/channels/{channelId}/commands
0pPOST acknowledgeC.hannelC.ommand/channels/{channelId}/commands/{eventId}/ack
pPOST createInboundMessage/channels/{channelId}/inbound-messages receive
pPOST recordReceipt/channels/{channelId}/receipts
pPOST simulate.Sandbox/channels/{channelId}/sandbox/simulate`,
  chatapp: `pPOST connect.Chatapp/channels/{channelId}/chatapp/connect
pPOST disconnect.Chatapp/channels/{channelId}/chatapp/disconnect
pGET get.Chatapp.Status/channels/{channelId}/chatapp/status
pGET check.Chatapp.Readiness/channels/{channelId}/chatapp/readiness
LpGET list.Chatapp.Templates/channels/{channelId}/chatapp/templates
pPOST send.Chatapp.Template/channels/{channelId}/chatapp/templates/send
QGET verify.Chatapp.Webhook/channels/{channelId}/chatapp/webhook
RPOST receive.Chatapp.Webhook/channels/{channelId}/chatapp/webhook`,
  threads: `pePOST create.Thread/threads
LpeGET list.Threads/threads
pGET get.Thread/threads/{threadId}
pPATCH update.Thread/threads/{threadId}
pDELETE archive.Thread/threads/{threadId}
pPUT assign.Thread/threads/{threadId}/assignment
pPOST setTyping/threads/{threadId}/typing
pPUT moveReadCursor/threads/{threadId}/read-cursor
pDELETE erasePersonalData/threads/{threadId}/personal-data`,
  notes: `LpGET list.Notes/threads/{threadId}/notes
pPOST create.Note/threads/{threadId}/notes
pPATCH update.Note/threads/{threadId}/notes/{threadNoteId}
pDELETE delete.Note/threads/{threadId}/notes/{threadNoteId}`,
  messages: `LpGET list.Messages/threads/{threadId}/messages
pPOST create.Message/threads/{threadId}/messages
pGET get.Message/threads/{threadId}/messages/{messageId}
pGET getMessageTimeline/threads/{threadId}/messages/{messageId}/timeline timeline`,
  attachments: `pePOST create.Attachment/attachments
pGET get.Attachment.Url/attachments/{attachmentId}/url`,
  byokCredentials: `LPeGET list.ByokCredentials/byok-credentials
PePOST create.ByokCredential/byok-credentials
POST rotate.ByokCredential/byok-credentials/{byokCredentialId}/rotate
pDELETE revoke.ByokCredential/byok-credentials/{byokCredentialId}`,
  tools: `LpeGET list.Tools/tools
pePOST create.Tool/tools
pGET get.Tool/tools/{toolId}
pPATCH update.Tool/tools/{toolId}
pPOST test.Tool/tools/{toolId}/test`,
  looms: `LpeGET list.Looms/looms
pePOST create.Loom/looms
pGET get.Loom/looms/{loomId}
pPATCH update.Loom/looms/{loomId}
pDELETE archive.Loom/looms/{loomId}
pPOST activate.Loom.Version/looms/{loomId}/activate
LpGET list.Loom.Versions/looms/{loomId}/versions
pPOST create.Loom.Version/looms/{loomId}/versions
pGET get.Loom.Version/looms/{loomId}/versions/{loomVersionId}
pPATCH update.Loom.Version/looms/{loomId}/versions/{loomVersionId}
pDELETE archive.Loom.Version/looms/{loomId}/versions/{loomVersionId}`,
  agents: `LpeGET list.Agents/agents
pePOST create.Agent/agents
pGET get.Agent/agents/{agentId}
pPATCH update.Agent/agents/{agentId}
pDELETE archive.Agent/agents/{agentId}`,
  agentRuns: `pPOST create.AgentRun/agents/{agentId}/runs
LpeGET list.AgentRuns/agent-runs
pGET get.AgentRun/agent-runs/{agentRunId}
pPOST cancel.AgentRun/agent-runs/{agentRunId}/cancel
pPOST resolveSuggestion/agent-runs/{agentRunId}/resolve-suggestion
pPOST resolveToolCall/agent-runs/{agentRunId}/resolve-tool-call`,
  stitches: `LpeGET list.Stitches/stitches
pePOST create.Stitch/stitches
pGET get.Stitch/stitches/{stitchId}
pPATCH update.Stitch/stitches/{stitchId}
pDELETE archive.Stitch/stitches/{stitchId}
pPOST rotateS.titchS.ecret/stitches/{stitchId}/rotate-secret
pPOST test.Stitch/stitches/{stitchId}/test
pPOST replay.Stitch/stitches/{stitchId}/replay`,
  deliveries: `LpeGET list.Deliveries/webhook-deliveries
pGET get.Delivery/webhook-deliveries/{deliveryId}
LpGET list.Delivery.Attempts/webhook-deliveries/{deliveryId}/attempts
pPOST replay.Delivery/webhook-deliveries/{deliveryId}/replay`,
  events: `LpeGET list.Events/events
pGET get.Event/events/{eventId}
LGET list.Event.Types/event-types`,
  console: `LGET list.Console.Members/console/projects/{projectId}/members
PUT upsert.Console.Member/console/projects/{projectId}/members
DELETE remove.Console.Member/console/projects/{projectId}/members/{userId}
eGET getQueues/console/projects/{projectId}/queues queues
0POST create.Stream.Ticket/console/projects/{projectId}/events/tickets
LGET list.Stream.Events/console/projects/{projectId}/events`,
  contract: `GET get.OpenApi/openapi.json`,
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
