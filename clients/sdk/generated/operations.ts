// Made by generate.ts from the contract. Do not edit.
/** By resource, the calls of the client; `parseOperation` in operation.ts says how they are read. */
export const operationTable = {
  auth: `NPOST signUp/studio=/signup
NPOST login/studio=/login
0RPOST refresh/studio=/refresh
0RPOST logout/studio=/logout
GET me/studio/me
POST verifyEmail/studio=/verify-email
POST rejectAccount/studio=/reject-account
0QPOST resendVerification/studio=/resend-verification
POST forgotPassword/studio=/forgot-password
POST resetPassword/studio=/reset-password
NPOST acceptInvitation/studio=/accept-invitation
NPOST loginWithSecondFactor/studio=/login/second-factor
NPOST beginPasskeyLogin/studio=/login/passkey/options
NPOST loginWithPasskey/studio=/login/passkey
NPOST beginSingleSignOn/studio=/sso
NPOST finishSingleSignOn/studio=/sso/finish`,
  sessions: `LGET list.@s/studio=
DELETE end.@/studio=/~
0NPOST endOther@s/studio=/end-others endOthers`,
  account: `NPOST changePassword/studio/auth/change-password
POST changeEmail/studio/auth/change-email
POST confirmEmail/studio/auth/confirm-email
NPOST delete.@/studio/auth/delete-account`,
  secondFactor: `GET get|NPOST enrol.@/studio=
NPOST confirm.@/studio=/confirm
NPOST renewRecoveryCodes/studio=/recovery-codes
NPOST disable.@/studio=/disable`,
  passkeys: `LGET list.@s/studio=
NPOST create.@/studio=
NPOST begin.@/studio=/options
PATCH update.@/studio=/~
NPOST remove.@/studio=/~/remove`,
  singleSignOn: `GET get|PUT set|DELETE remove.@/workspaces/~=
NPOST add.Sso.Domain/workspaces/~=/domains
0NPOST prove.Sso.Domain/workspaces/~=/domains/{domain}/prove
PATCH update|DELETE remove.Sso.Domain/workspaces/~=/domains/{domain}`,
  profile: `GET get|PATCH update.@/studio=`,
  caller: `GET get.@=`,
  workspaces: `LGET list.@s=
POST create.@=
GET get|PATCH update|DELETE archive.@=/~
POST transfer@=/~/transfer-ownership transferOwnership`,
  projects: `LGET list.@s=
POST create.@=
GET get|PATCH update|DELETE archive.@=/~
LGET list.@.Members=/~/members
PUT upsert.@.Member=/~/members
DELETE remove.@.Member=/~/members/{userId}`,
  environments: `LpGET list.@s=
PPOST create.@=
GET get|PATCH update.@=/~`,
  invitations: `POST create.@/workspaces/~=
LGET list.@s/workspaces/~=
DELETE revoke.@/workspaces/~=/~`,
  members: `LGET list.@s/workspaces/~=
GET get|PATCH update|DELETE remove.@/workspaces/~=/{userId}`,
  apiKeys: `LPGET list.@s=
PPOST create.@=
GET get|PATCH update|DELETE revoke.@=/{apiKeyId}
POST rotate.@=/{apiKeyId}/rotate`,
  partnerApps: `LGET list.@s/meta-apps
POST create.@/meta-apps
POST rotate.@.Secret/meta-apps/{metaAppCredentialId}/rotate-secret
DELETE revoke.@/meta-apps/{metaAppCredentialId}`,
  auditLogs: `LGET list.@s=
QGET export.@s=/export`,
  usage: `LpeGET list.@=
LpeGET list.Model.Prices=/prices`,
  budgets: `peGET get|PePUT set.@s/usage=`,
  channels: `LpeGET list.@s=
pePOST create.@=
pGET get|pPATCH update.@=/~
LpGET list.@.Changes=/~/changes
LpGET list.@.Commands=/~/commands
0pPOST acknowledge.@.Command=/~/commands/{eventId}/ack
pPOST createInboundMessage=/~/inbound-messages receive
pPOST recordReceipt=/~/receipts
pPOST simulate.Sandbox=/~/sandbox/simulate`,
  chatapp: `pPOST connect.@/channels/~=/connect
pPOST disconnect.@/channels/~=/disconnect
pGET get.@.Status/channels/~=/status
pGET check.@.Readiness/channels/~=/readiness
LpGET list.@.Templates/channels/~=/templates
pPOST send.@.Template/channels/~=/templates/send
QGET verify|RPOST receive.@.Webhook/channels/~=/webhook`,
  threads: `pePOST create.@=
LpeGET list.@s=
pGET get|pPATCH update|pDELETE archive.@=/~
pPUT assign.@=/~/assignment
pePOST change@s=/bulk bulk
pPOST setTyping=/~/typing
pPUT moveReadCursor=/~/read-cursor
LpGET listPersonalData=/~/personal-data
pDELETE erasePersonalData=/~/personal-data
LpGET list.@.Events=/~/events`,
  notes: `LpGET list.@s/threads/~=
pPOST create.@/threads/~=
pPATCH update|pDELETE delete.@/threads/~=/{thread@Id}`,
  console: `LeGET listMentions=/projects/~/mentions
ePUT readMentions=/projects/~/mentions/read
eGET getQueues=/projects/~/queues queues
LGET list.@.Members=/projects/~/members
PUT upsert.@.Member=/projects/~/members
DELETE remove.@.Member=/projects/~/members/{userId}
0POST create.Stream.Ticket=/projects/~/events/tickets
LGET list.Stream.Events=/projects/~/events`,
  cannedReplies: `LpGET list.@s=
PPOST create.CannedReply=
pGET get|pPATCH update|pDELETE delete.CannedReply=/{cannedReplyId}`,
  messages: `LpGET list.@s/threads/~=
pPOST create.@/threads/~=
LpeGET find.@s=
pGET get.@/threads/~=/~
pGET get@Timeline/threads/~=/~/timeline timeline`,
  attachments: `pePOST create.@=
pGET get.@.Url=/~/url`,
  byokCredentials: `LPeGET list.@s=
PePOST create.@=
PATCH update|pDELETE revoke.@=/{byokCredentialId}
POST rotate.@=/{byokCredentialId}/rotate`,
  tools: `LpeGET list.@s=
pePOST create.@=
pGET get|pPATCH update.@=/~
pPOST rotate.@.Secret=/~/rotate-secret
pPOST test.@=/~/test`,
  looms: `LpeGET list.@s=
pePOST create.@=
pGET get|pPATCH update|pDELETE archive.@=/~
pPOST activate.@.Version=/~/activate
LpGET list.@.Activations=/~/activations
LpGET list.@.Versions=/~/versions
pPOST create.@.Version=/~/versions
pGET get|pPATCH update|pDELETE archive.@.Version=/~/versions/{loomVersionId}
pPOST try.@=/~/try`,
  agents: `LpeGET list.@s=
pePOST create.@=
pGET get|pPATCH update|pDELETE archive.@=/~
QpGET get.@.Suggestions=/~/suggestions`,
  agentRuns: `pPOST create.@/agents/~/runs
LpeGET list.@s=
pGET get.@=/{agentRunId}
pPOST cancel.@=/{agentRunId}/cancel
pPOST resolveSuggestion=/{agentRunId}/resolve-suggestion
pPOST resolveToolCall=/{agentRunId}/resolve-tool-call`,
  stitches: `LpeGET list.@s=
pePOST create.Stitch=
pGET get|pPATCH update|pDELETE archive.Stitch=/{stitchId}
QpGET get.Stitch.Stats=/{stitchId}/stats
pPOST rotate.Stitch.Secret=/{stitchId}/rotate-secret
pPOST test.Stitch=/{stitchId}/test
pPOST replay.Stitch=/{stitchId}/replay`,
  deliveries: `LpeGET list.@s/webhook-deliveries
pGET get.Delivery/webhook-deliveries/{deliveryId}
LpGET list.Delivery.Attempts/webhook-deliveries/{deliveryId}/attempts
pPOST replay.Delivery/webhook-deliveries/{deliveryId}/replay
pePOST replayFailed.@s/webhook-deliveries/replay-failed`,
  events: `LpeGET list.@s=
pGET get.@=/~
LGET list.@.Types/event-types`,
  system: `GET get.@/studio=`,
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
  | 'listSessions'
  | 'endSession'
  | 'endOtherSessions'
  | 'changePassword'
  | 'changeEmail'
  | 'confirmEmail'
  | 'deleteAccount'
  | 'getSecondFactor'
  | 'enrolSecondFactor'
  | 'confirmSecondFactor'
  | 'renewRecoveryCodes'
  | 'disableSecondFactor'
  | 'loginWithSecondFactor'
  | 'listPasskeys'
  | 'createPasskey'
  | 'beginPasskey'
  | 'updatePasskey'
  | 'removePasskey'
  | 'beginPasskeyLogin'
  | 'loginWithPasskey'
  | 'getSingleSignOn'
  | 'setSingleSignOn'
  | 'removeSingleSignOn'
  | 'addSsoDomain'
  | 'proveSsoDomain'
  | 'updateSsoDomain'
  | 'removeSsoDomain'
  | 'beginSingleSignOn'
  | 'finishSingleSignOn'
  | 'getProfile'
  | 'updateProfile'
  | 'getCaller'
  | 'listWorkspaces'
  | 'createWorkspace'
  | 'getWorkspace'
  | 'updateWorkspace'
  | 'archiveWorkspace'
  | 'transferWorkspace'
  | 'listProjects'
  | 'createProject'
  | 'getProject'
  | 'updateProject'
  | 'archiveProject'
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
  | 'listProjectMembers'
  | 'upsertProjectMember'
  | 'removeProjectMember'
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
  | 'exportAuditLogs'
  | 'listUsage'
  | 'listModelPrices'
  | 'getBudgets'
  | 'setBudgets'
  | 'listChannels'
  | 'createChannel'
  | 'getChannel'
  | 'updateChannel'
  | 'listChannelChanges'
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
  | 'changeThreads'
  | 'listNotes'
  | 'createNote'
  | 'updateNote'
  | 'deleteNote'
  | 'listMentions'
  | 'readMentions'
  | 'listCannedReplies'
  | 'createCannedReply'
  | 'getCannedReply'
  | 'updateCannedReply'
  | 'deleteCannedReply'
  | 'setTyping'
  | 'moveReadCursor'
  | 'listPersonalData'
  | 'erasePersonalData'
  | 'listMessages'
  | 'createMessage'
  | 'findMessages'
  | 'getMessage'
  | 'getMessageTimeline'
  | 'createAttachment'
  | 'getAttachmentUrl'
  | 'listByokCredentials'
  | 'createByokCredential'
  | 'updateByokCredential'
  | 'revokeByokCredential'
  | 'rotateByokCredential'
  | 'listTools'
  | 'createTool'
  | 'getTool'
  | 'updateTool'
  | 'rotateToolSecret'
  | 'testTool'
  | 'listLooms'
  | 'createLoom'
  | 'getLoom'
  | 'updateLoom'
  | 'archiveLoom'
  | 'activateLoomVersion'
  | 'listLoomActivations'
  | 'listLoomVersions'
  | 'createLoomVersion'
  | 'getLoomVersion'
  | 'updateLoomVersion'
  | 'archiveLoomVersion'
  | 'tryLoom'
  | 'listAgents'
  | 'createAgent'
  | 'getAgent'
  | 'updateAgent'
  | 'archiveAgent'
  | 'getAgentSuggestions'
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
  | 'getStitchStats'
  | 'rotateStitchSecret'
  | 'testStitch'
  | 'listDeliveries'
  | 'getDelivery'
  | 'listDeliveryAttempts'
  | 'replayDelivery'
  | 'replayFailedDeliveries'
  | 'replayStitch'
  | 'listEvents'
  | 'listThreadEvents'
  | 'getEvent'
  | 'listEventTypes'
  | 'listConsoleMembers'
  | 'upsertConsoleMember'
  | 'removeConsoleMember'
  | 'getQueues'
  | 'createStreamTicket'
  | 'listStreamEvents'
  | 'getSystem'
  | 'getOpenApi';

/** The version of the contract that this client is of. */
export const apiVersion = '2026-11-01';
