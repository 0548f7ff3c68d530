/**
 * The resources of the contract: a TypeBox schema and its static type under one name, for each resource, request body and query. Fields
 * are made of the types in fields.ts, lists of those in list.ts.
 */
export {
  ChangeEmailBody,
  ChangePasswordBody,
  ConfirmEmailBody,
  DeleteAccountBody,
  EndedSessions,
  PasswordAndCodeBody,
  RecoveryCodes,
  SecondFactor,
  SecondFactorBody,
  SecondFactorCodeBody,
  SecondFactorEnrolment,
  SecondFactorLoginBody,
  Session,
} from './account.ts';
export {
  Agent,
  AgentRun,
  type AgentSplit,
  AgentSuggestions,
  AgentSuggestionsQuery,
  CancelAgentRunBody,
  CreateAgentBody,
  CreateAgentRunBody,
  defaultSuggestionDays,
  ListAgentRunsQuery,
  ResolveSuggestionBody,
  ResolveToolCallBody,
  type RunStatus,
  type SuggestionFates,
  UpdateAgentBody,
} from './agent.ts';
export {
  ApiKey,
  CreateApiKeyBody,
  CreatedApiKey,
  defaultGraceSeconds,
  type KeyEnvironment,
  keySecretForm,
  keySecretPrefix,
  type KeyStatus,
  ListApiKeysQuery,
  RotateApiKeyBody,
  RotatedApiKey,
  UpdateApiKeyBody,
} from './api-key.ts';
export {
  type AttachmentInput,
  type AttachmentKind,
  AttachmentLink,
  AttachmentUpload,
  CreateAttachmentBody,
  isMimeType,
  maxFileBytes,
  MessageAttachment,
} from './attachment.ts';
export { type AuditAction, AuditLog, ExportAuditLogsQuery, ListAuditLogsQuery } from './audit.ts';
export { type BudgetFall, Budgets, BudgetsQuery, SetBudgetsBody } from './budget.ts';
export {
  ByokCredential,
  byokGraceSeconds,
  CreateByokCredentialBody,
  type Provider,
  providers,
  RotateByokCredentialBody,
  UpdateByokCredentialBody,
} from './byok.ts';
export { Caller } from './caller.ts';
export {
  Channel,
  ChannelChange,
  channelChangeEvents,
  ChannelCommand,
  type ChannelKind,
  type ChannelStatus,
  type ChatappFailure,
  ChatappReadiness,
  ChatappTemplate,
  type ConnectStep,
  CreateChannelBody,
  ReceiptBody,
  type ReceiptStatus,
  SimulateBody,
  Simulated,
  UpdateChannelBody,
} from './channel.ts';
export {
  interactiveKinds,
  MessageContent,
  MessageContentInput,
  MessageError,
  MessageReference,
  Referral,
  systemEvents,
} from './content.ts';
export {
  ChatappStatus,
  ChatappWebhookQuery,
  ConnectChatappBody,
  DisconnectChatappBody,
  ListTemplatesQuery,
  SendTemplateBody,
} from './chatapp.ts';
export { type BulkAction, BulkBody, BulkResult, BulkResults } from './bulk.ts';
export {
  CannedReply,
  CreateCannedReplyBody,
  ListCannedRepliesQuery,
  maxCannedBody,
  UpdateCannedReplyBody,
} from './canned-reply.ts';
export {
  ConsoleMember,
  ConsoleStreamEvent,
  ListedConsoleMember,
  ListStreamEventsQuery,
  OpenStreamQuery,
  StreamTicket,
  UpsertConsoleMemberBody,
} from './console.ts';
export {
  DeliveryAttempt,
  type DeliveryStatus,
  type DeliveryTrigger,
  type FailedReplay,
  FailedReplays,
  ListDeliveriesQuery,
  ReplayAccepted,
  ReplayDeliveryBody,
  ReplayFailedBody,
  ReplayStitchBody,
  WebhookDelivery,
} from './delivery.ts';
export { ErrorResponse } from './error.ts';
export {
  EnvelopeExample,
  EventEnvelope,
  EventTypeEntry,
  ListEventsQuery,
  ListThreadEventsQuery,
} from './event.ts';
export { choice, freeForm, id, instant, nullable, optional } from './fields.ts';
export {
  ArchivableListQuery,
  createList,
  defaultPageSize,
  ListQuery,
  MaybeProjectQuery,
  NestedListQuery,
  ScopedListQuery,
} from './list.ts';
export {
  ActivateLoomVersionBody,
  CreateLoomBody,
  CreateLoomVersionBody,
  Loom,
  LoomActivation,
  LoomVersion,
  UpdateLoomBody,
  UpdateLoomVersionBody,
} from './loom.ts';
export { defaultTrialMs, LoomTrial, maxTrialMs, TryLoomBody } from './loom-trial.ts';
export {
  Actor,
  CreateMessageBody,
  CreateMessageQuery,
  type Direction,
  InboundMessageBody,
  FindMessagesQuery,
  ListMessagesQuery,
  maxMessageLength,
  Message,
  MessageDryRun,
  type MessageStatus,
} from './message.ts';
export {
  CreateNoteBody,
  ListMentionsQuery,
  Mention,
  ReadMentionsBody,
  ThreadNote,
  UnreadMentions,
  UpdateNoteBody,
} from './note.ts';
export { FreeEntry, Participant, ParticipantInput, ServiceWindow } from './participant.ts';
export {
  CreatedPartnerAppCredential,
  CreatePartnerAppBody,
  ListPartnerAppsQuery,
  PartnerAppCredential,
  RotatePartnerAppSecretBody,
} from './partner-app.ts';
export { PersonalDataErasure, PersonalDataRecord } from './privacy.ts';
export { ReadCursor, ReadCursorBody, ThreadViewer, TypingBody } from './presence.ts';
export {
  type AvatarColor,
  avatarColors,
  maxDisplayName,
  Profile,
  themes,
  UpdateProfileBody,
} from './profile.ts';
export {
  type AssignmentInput,
  CreateEnvironmentBody,
  CreateProjectBody,
  Environment,
  type EnvironmentKind,
  ListedProjectMember,
  ListEnvironmentsQuery,
  ListProjectsQuery,
  Project,
  ProjectAssignment,
  ProjectMember,
  UpdateEnvironmentBody,
  UpdateProjectBody,
  UpsertProjectMemberBody,
} from './project.ts';
export { closingWindowMs, maxQueueCount, QueueCount, Queues, QueuesQuery } from './queue.ts';
export {
  maxSavedFilters,
  maxSavedFiltersOfUser,
  SavedFilter,
  type SavedFilterChanges,
  SavedFilterInput,
  type SavedFilters,
} from './saved-filter.ts';
export {
  type Approval,
  type BudgetScope,
  EndedSuggestion,
  RunTrace,
  SpentBudget,
  Suggestion,
  type SuggestionStatus,
  type TracedCall,
  type TracedStep,
  type TrialCall,
  type TrialStep,
} from './run-trace.ts';
export {
  AttemptStats,
  CreateStitchBody,
  maxBacklogCount,
  maxStatsHours,
  RotateStitchSecretBody,
  Stitch,
  type StitchReplay,
  StitchStats,
  StitchStatsQuery,
  type StitchStatus,
  stitchStatuses,
  StitchWithSecret,
  TestStitchBody,
  UpdateStitchBody,
} from './stitch.ts';
export {
  Accepted,
  AcceptInvitationBody,
  ForgotPasswordBody,
  ResendVerificationQuery,
  type MailedApp,
  mailedApps,
  LoginBody,
  type ProjectRole,
  ResetPasswordBody,
  SignUpBody,
  StudioUser,
  TokenResponse,
  VerifyEmailBody,
  type WorkspaceRole,
} from './studio.ts';
export {
  maxSystemItems,
  System,
  SystemActor,
  SystemDatabase,
  SystemDeadLetter,
  SystemDeadLetters,
  SystemFault,
  type SystemFaultName,
  systemFaultNames,
  systemFaultSeverities,
  SystemMove,
  SystemNats,
  SystemNode,
  SystemNodeReport,
  systemNodeStates,
  SystemPool,
  SystemRefusals,
  SystemShard,
  SystemShards,
  systemShardStates,
  SystemStitch,
} from './system.ts';
export {
  type AgentMode,
  agentModes,
  type AssignmentReason,
  assignmentReasons,
  AssignThreadBody,
  CreateThreadBody,
  ListThreadsQuery,
  maxPreviewLength,
  maxTags,
  maxUnreadCount,
  noAgentMode,
  type SnoozeReason,
  snoozeReasons,
  Thread,
  ThreadMatch,
  ThreadPreview,
  type ThreadStatus,
  threadStatuses,
  unassigned,
  UpdateThreadBody,
} from './thread.ts';
export { MessageTimeline, type TimelineDelivery, type TimelineEvent } from './timeline.ts';
export {
  CreatedTool,
  CreateToolBody,
  redacted,
  TestToolBody,
  RotateToolSecretBody,
  Tool,
  type ToolMethod,
  type ToolStatus,
  ToolTest,
  UpdateToolBody,
} from './tool.ts';
export {
  ListModelPricesQuery,
  ListUsageQuery,
  maxUsageDays,
  ModelPrice,
  Usage,
  type UsageGrouping,
  type UsageRow,
} from './usage.ts';
export {
  CreateInvitationBody,
  CreateWorkspaceBody,
  maxMemberProjectRoles,
  MemberProjectRole,
  TransferWorkspaceBody,
  UpdateWorkspaceBody,
  UpdateWorkspaceMemberBody,
  Workspace,
  WorkspaceInvitation,
  RemovedMember,
  WorkspaceMember,
} from './workspace.ts';
export {
  AddedPasskey,
  BeginPasskeyBody,
  CreatePasskeyBody,
  Passkey,
  PasskeyLoginBody,
  PasskeyLoginOptionsBody,
  PasskeyOptions,
  RemovePasskeyBody,
  UpdatePasskeyBody,
} from './passkey.ts';
export {
  AddSsoDomainBody,
  BeginSingleSignOnBody,
  FinishSingleSignOnBody,
  SetSingleSignOnBody,
  SingleSignOn,
  SsoDomain,
  StartedSingleSignOn,
  UpdateSsoDomainBody,
} from './sso.ts';
