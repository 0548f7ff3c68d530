// Made by generate.ts from the contract. Do not edit.

import type { Call, CallOptions, EditOptions } from '../call.ts';
import type { MessageExtras, AttachmentExtras } from '../extras.ts';
import type { Listing } from '../listing.ts';
import type {
  AcceptInvitationBody,
  Accepted,
  ActivateLoomVersionBody,
  AddSsoDomainBody,
  AddedPasskey,
  Agent,
  AgentRun,
  AgentSuggestions,
  ApiKey,
  AssignThreadBody,
  AttachmentLink,
  AttachmentUpload,
  AuditLog,
  BeginPasskeyBody,
  BeginSingleSignOnBody,
  Budgets,
  BulkBody,
  BulkResults,
  ByokCredential,
  Caller,
  CancelAgentRunBody,
  CannedReply,
  ChangeEmailBody,
  ChangePasswordBody,
  Channel,
  ChannelChange,
  ChannelCommand,
  ChatappReadiness,
  ChatappStatus,
  ChatappTemplate,
  ConfirmEmailBody,
  ConnectChatappBody,
  ConsoleMember,
  ConsoleStreamEvent,
  CreateAgentBody,
  CreateAgentRunBody,
  CreateApiKeyBody,
  CreateAttachmentBody,
  CreateByokCredentialBody,
  CreateCannedReplyBody,
  CreateChannelBody,
  CreateEnvironmentBody,
  CreateInvitationBody,
  CreateLoomBody,
  CreateLoomVersionBody,
  CreateMessageBody,
  CreateNoteBody,
  CreatePartnerAppBody,
  CreatePasskeyBody,
  CreateProjectBody,
  CreateStitchBody,
  CreateThreadBody,
  CreateToolBody,
  CreateWorkspaceBody,
  CreatedApiKey,
  CreatedPartnerAppCredential,
  CreatedTool,
  DeleteAccountBody,
  DeliveryAttempt,
  DisconnectChatappBody,
  EndedSessions,
  Environment,
  EventType,
  FailedReplays,
  FinishSingleSignOnBody,
  ForgotPasswordBody,
  InboundMessageBody,
  ListedConsoleMember,
  ListedProjectMember,
  LoginBody,
  Loom,
  LoomActivation,
  LoomTrial,
  LoomVersion,
  Mention,
  Message,
  MessageTimeline,
  ModelPrice,
  PartnerAppCredential,
  Passkey,
  PasskeyLoginBody,
  PasskeyLoginOptionsBody,
  PasskeyOptions,
  PasswordAndCodeBody,
  PersonalDataErasure,
  PersonalDataRecord,
  Profile,
  Project,
  ProjectMember,
  Queues,
  ReadCursor,
  ReadCursorBody,
  ReadMentionsBody,
  ReceiptBody,
  RecoveryCodes,
  RemovePasskeyBody,
  ReplayAccepted,
  ReplayDeliveryBody,
  ReplayFailedBody,
  ReplayStitchBody,
  ResetPasswordBody,
  ResolveSuggestionBody,
  ResolveToolCallBody,
  RotateApiKeyBody,
  RotateByokCredentialBody,
  RotatePartnerAppSecretBody,
  RotateStitchSecretBody,
  RotateToolSecretBody,
  RotatedApiKey,
  SecondFactor,
  SecondFactorBody,
  SecondFactorCodeBody,
  SecondFactorEnrolment,
  SecondFactorLoginBody,
  SendTemplateBody,
  Session,
  SetBudgetsBody,
  SetSingleSignOnBody,
  SignUpBody,
  SimulateBody,
  Simulated,
  SingleSignOn,
  SkeinEvent,
  SsoDomain,
  StartedSingleSignOn,
  Stitch,
  StitchStats,
  StitchWithSecret,
  StreamTicket,
  StudioUser,
  System,
  TestStitchBody,
  TestToolBody,
  Thread,
  ThreadNote,
  TokenResponse,
  Tool,
  ToolTest,
  TransferWorkspaceBody,
  TryLoomBody,
  TypingBody,
  UnreadMentions,
  UpdateAgentBody,
  UpdateApiKeyBody,
  UpdateByokCredentialBody,
  UpdateCannedReplyBody,
  UpdateChannelBody,
  UpdateEnvironmentBody,
  UpdateLoomBody,
  UpdateLoomVersionBody,
  UpdateNoteBody,
  UpdatePasskeyBody,
  UpdateProfileBody,
  UpdateProjectBody,
  UpdateSsoDomainBody,
  UpdateStitchBody,
  UpdateThreadBody,
  UpdateToolBody,
  UpdateWorkspaceBody,
  UpdateWorkspaceMemberBody,
  UpsertConsoleMemberBody,
  UpsertProjectMemberBody,
  Usage,
  VerifyEmailBody,
  WebhookDelivery,
  Workspace,
  WorkspaceInvitation,
  WorkspaceMember,
} from './types.ts';

/** What `auth.resendVerification` asks for. */
export interface ResendVerificationQuery {
  /** @default "studio" */
  app?: 'studio' | 'console' | undefined;
}

/** What `sessions.list` asks for. */
export interface ListSessionsQuery {
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `passkeys.list` asks for. */
export interface ListPasskeysQuery {
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `workspaces.list` asks for. */
export interface ListWorkspacesQuery {
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `projects.list` asks for. */
export interface ListProjectsQuery {
  /** The workspace. */
  workspaceId?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `environments.list` asks for. */
export interface ListEnvironmentsQuery {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `invitations.list` asks for. */
export interface ListInvitationsQuery {
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `members.list` asks for. */
export interface ListMembersQuery {
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `projects.listMembers` asks for. */
export interface ListProjectMembersQuery {
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `apiKeys.list` asks for. */
export interface ListApiKeysQuery {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `partnerApps.list` asks for. */
export interface ListPartnerAppsQuery {
  /** The workspace. */
  workspaceId: string;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `auditLogs.list` asks for. */
export interface ListAuditLogsQuery {
  /** The workspace. */
  workspaceId?: string | undefined;
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** What was done: `<resource>.<verb>`. */
  action?: 'user.created' | 'user.email_verified' | 'user.password_reset' | 'user.password_changed' | 'user.email_changed' | 'user.second_factor_enabled' | 'user.second_factor_disabled' | 'user.recovery_codes_renewed' | 'user.passkey_added' | 'user.passkey_removed' | 'user.removed' | 'user.login_failed' | 'session.opened' | 'session.closed' | 'session.reuse_detected' | 'single_sign_on.updated' | 'single_sign_on.removed' | 'single_sign_on.used' | 'single_sign_on.domain_added' | 'single_sign_on.domain_proven' | 'single_sign_on.domain_updated' | 'single_sign_on.domain_removed' | 'workspace.created' | 'workspace.updated' | 'workspace.archived' | 'workspace.transferred' | 'project.created' | 'project.updated' | 'project.archived' | 'environment.created' | 'environment.updated' | 'invitation.created' | 'invitation.accepted' | 'invitation.revoked' | 'member.joined' | 'member.role_changed' | 'member.removed' | 'project_member.upserted' | 'project_member.removed' | 'console_member.upserted' | 'console_member.removed' | 'api_key.created' | 'api_key.updated' | 'api_key.rotated' | 'api_key.revoked' | 'partner_app.created' | 'partner_app.secret_rotated' | 'partner_app.revoked' | 'channel.created' | 'channel.updated' | 'channel.status_changed' | 'stitch.created' | 'stitch.updated' | 'stitch.archived' | 'stitch.secret_rotated' | 'stitch.tested' | 'stitch.replayed' | 'stitch.delivery_replayed' | 'stitch.disabled' | 'thread.updated' | 'thread.assigned' | 'thread.personal_data_erased' | 'byok_credential.created' | 'byok_credential.updated' | 'byok_credential.rotated' | 'byok_credential.revoked' | 'tool.created' | 'tool.updated' | 'tool.secret_rotated' | 'tool.tested' | 'loom.created' | 'loom.updated' | 'loom_version.created' | 'loom_version.updated' | 'loom_version.activated' | 'agent.created' | 'agent.updated' | 'agent_run.created' | 'agent_run.cancelled' | 'agent_run.suggestion_resolved' | 'agent_run.tool_call_resolved' | 'budget.updated' | 'canned_reply.created' | 'canned_reply.updated' | 'canned_reply.deleted' | undefined;
  /** The user or API key that did it. */
  actorId?: string | undefined;
  /** What it was done to. */
  targetId?: string | undefined;
  /** From this instant on. */
  since?: string | undefined;
  /** Up to this instant. */
  until?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `auditLogs.export` asks for. */
export interface ExportAuditLogsQuery {
  /** The workspace. */
  workspaceId?: string | undefined;
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** What was done: `<resource>.<verb>`. */
  action?: 'user.created' | 'user.email_verified' | 'user.password_reset' | 'user.password_changed' | 'user.email_changed' | 'user.second_factor_enabled' | 'user.second_factor_disabled' | 'user.recovery_codes_renewed' | 'user.passkey_added' | 'user.passkey_removed' | 'user.removed' | 'user.login_failed' | 'session.opened' | 'session.closed' | 'session.reuse_detected' | 'single_sign_on.updated' | 'single_sign_on.removed' | 'single_sign_on.used' | 'single_sign_on.domain_added' | 'single_sign_on.domain_proven' | 'single_sign_on.domain_updated' | 'single_sign_on.domain_removed' | 'workspace.created' | 'workspace.updated' | 'workspace.archived' | 'workspace.transferred' | 'project.created' | 'project.updated' | 'project.archived' | 'environment.created' | 'environment.updated' | 'invitation.created' | 'invitation.accepted' | 'invitation.revoked' | 'member.joined' | 'member.role_changed' | 'member.removed' | 'project_member.upserted' | 'project_member.removed' | 'console_member.upserted' | 'console_member.removed' | 'api_key.created' | 'api_key.updated' | 'api_key.rotated' | 'api_key.revoked' | 'partner_app.created' | 'partner_app.secret_rotated' | 'partner_app.revoked' | 'channel.created' | 'channel.updated' | 'channel.status_changed' | 'stitch.created' | 'stitch.updated' | 'stitch.archived' | 'stitch.secret_rotated' | 'stitch.tested' | 'stitch.replayed' | 'stitch.delivery_replayed' | 'stitch.disabled' | 'thread.updated' | 'thread.assigned' | 'thread.personal_data_erased' | 'byok_credential.created' | 'byok_credential.updated' | 'byok_credential.rotated' | 'byok_credential.revoked' | 'tool.created' | 'tool.updated' | 'tool.secret_rotated' | 'tool.tested' | 'loom.created' | 'loom.updated' | 'loom_version.created' | 'loom_version.updated' | 'loom_version.activated' | 'agent.created' | 'agent.updated' | 'agent_run.created' | 'agent_run.cancelled' | 'agent_run.suggestion_resolved' | 'agent_run.tool_call_resolved' | 'budget.updated' | 'canned_reply.created' | 'canned_reply.updated' | 'canned_reply.deleted' | undefined;
  /** The user or API key that did it. */
  actorId?: string | undefined;
  /** What it was done to. */
  targetId?: string | undefined;
  /** From this instant on. */
  since?: string | undefined;
  /** Up to this instant. */
  until?: string | undefined;
}

/** What `usage.list` asks for. */
export interface ListUsageQuery {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** The first day, in UTC. Default: 30 days ago. */
  from?: string | undefined;
  /** The last day, in UTC. Default: today. */
  to?: string | undefined;
  /**
   * How usage is grouped.
   * @default "day"
   */
  groupBy?: 'day' | 'agent' | 'channel' | 'model' | 'provider' | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `usage.listPrices` asks for. */
export interface ListModelPricesQuery {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** llm_provider_1 uses the wire format of OpenAI, llm_provider_2 of Anthropic, llm_provider_3 of Google Gemini. */
  provider?: 'llm_provider_1' | 'llm_provider_2' | 'llm_provider_3' | undefined;
  /** A part of the name of a model, or its name as a loom has it. */
  model?: string | undefined;
  /**
   * true: those that the active versions of looms name, also where the list does not have them.
   * @default false
   */
  inUse?: boolean | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `channels.list` asks for. */
export interface ListChannelsQuery {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `channels.listChanges` asks for. */
export interface ListChannelChangesQuery {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `channels.listCommands` asks for. */
export interface ListChannelCommandsQuery {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `chatapp.listTemplates` asks for. */
export interface ListChatappTemplatesQuery {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /** Templates of this name. */
  name?: string | undefined;
  /** Templates in this status, in the chat provider's words. */
  status?: string | undefined;
  category?: string | undefined;
  /** The provider's code of the template's language. */
  language?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `chatapp.verifyWebhook` asks for. */
export interface VerifyChatappWebhookQuery {
  /** `subscribe` */
  "hub.mode"?: string | undefined;
  /** What the answer has to be. */
  "hub.challenge": string;
  /** What the chat provider was told to say. */
  "hub.verify_token": string;
}

/** What `threads.list` asks for. */
export interface ListThreadsQuery {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  q?: string | undefined;
  /** Threads in one of these statuses. */
  status?: 'open' | 'closed' | 'archived' | readonly ('open' | 'closed' | 'archived')[] | undefined;
  /** Threads with one of these modes of their own; `none`: with no mode of their own. */
  agentMode?: 'auto' | 'suggest' | 'paused' | 'none' | readonly ('auto' | 'suggest' | 'paused' | 'none')[] | undefined;
  channelId?: string | readonly string[] | undefined;
  /** Threads with one of these tags. */
  tag?: string | readonly string[] | undefined;
  /** Threads that are assigned to one of these operators; `unassigned`: to nobody. */
  assigneeUserId?: string | 'unassigned' | readonly (string | 'unassigned')[] | undefined;
  /** Threads with this participant: your name for them (`externalRef`), or any name that the chat provider has for them. A phone number may be written in any way. */
  participantRef?: string | undefined;
  /** Threads that changed after this instant. */
  updatedAfter?: string | undefined;
  hasPendingSuggestion?: boolean | undefined;
  awaitingReply?: boolean | undefined;
  unread?: boolean | undefined;
  snoozed?: boolean | undefined;
  failedSends?: boolean | undefined;
  windowClosesBefore?: string | undefined;
  /**
   * What the list is ordered by.
   * @default "lastMessageAt"
   */
  sort?: 'lastMessageAt' | 'createdAt' | 'updatedAt' | 'waitingSince' | 'windowClosesAt' | 'snoozedUntil' | undefined;
  /**
   * desc: newest first. asc: oldest first.
   * @default "desc"
   */
  order?: 'asc' | 'desc' | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `notes.list` asks for. */
export interface ListNotesQuery {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `console.listMentions` asks for. */
export interface ListMentionsQuery {
  /**
   * The environment.
   * @default the client's
   */
  environmentId?: string | undefined;
  unread?: boolean | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `cannedReplies.list` asks for. */
export interface ListCannedRepliesQuery {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /** How the shortcut, with its slash or without, or the title begins. */
  q?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `threads.listPersonalData` asks for. */
export interface ListPersonalDataQuery {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `messages.list` asks for. */
export interface ListMessagesQuery {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * By the thread's numbers, ascending or descending.
   * @default "asc"
   */
  order?: 'asc' | 'desc' | undefined;
  /** Messages after this number of the thread. */
  afterSequence?: number | undefined;
  /** Messages before this number of the thread. */
  beforeSequence?: number | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `messages.find` asks for. */
export interface FindMessagesQuery {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** The message. Needed, or `externalMessageId`. */
  messageId?: string | undefined;
  /** The channel provider's id of the message. Needed, or `messageId`. */
  externalMessageId?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `byokCredentials.list` asks for. */
export interface ListByokCredentialsQuery {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `tools.list` asks for. */
export interface ListToolsQuery {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `looms.list` asks for. */
export interface ListLoomsQuery {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  /**
   * true: those that are archived, instead of the others.
   * @default false
   */
  archived?: boolean | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `looms.listActivations` asks for. */
export interface ListLoomActivationsQuery {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `looms.listVersions` asks for. */
export interface ListLoomVersionsQuery {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `agents.list` asks for. */
export interface ListAgentsQuery {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  /**
   * true: those that are archived, instead of the others.
   * @default false
   */
  archived?: boolean | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `agents.getSuggestions` asks for. */
export interface GetAgentSuggestionsQuery {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * How many days back, up to now.
   * @default 30
   */
  days?: number | undefined;
}

/** What `agentRuns.list` asks for. */
export interface ListAgentRunsQuery {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  threadId?: string | undefined;
  agentId?: string | undefined;
  /** Runs in this status. */
  status?: 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled' | undefined;
  suggestion?: 'pending' | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `stitches.list` asks for. */
export interface ListStitchesQuery {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  /**
   * true: those that are archived, instead of the others.
   * @default false
   */
  archived?: boolean | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `stitches.getStats` asks for. */
export interface GetStitchStatsQuery {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * How many hours, the current one included.
   * @default 24
   */
  hours?: number | undefined;
}

/** What `deliveries.list` asks for. */
export interface ListDeliveriesQuery {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  stitchId?: string | undefined;
  /** Deliveries in this state. */
  status?: 'pending' | 'delivering' | 'delivered' | 'retrying' | 'failed' | 'cancelled' | undefined;
  /** Deliveries of this event. */
  eventId?: string | undefined;
  /** Three dotted words: `thread.message.received`. */
  eventName?: string | undefined;
  /** From this instant on. */
  since?: string | undefined;
  /** Up to this instant. */
  until?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `deliveries.listAttempts` asks for. */
export interface ListDeliveryAttemptsQuery {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `events.list` asks for. */
export interface ListEventsQuery {
  /**
   * The project. Required with a Studio access token; an API key implies its own.
   * @default the client's
   */
  projectId?: string | undefined;
  /**
   * The environment: an API key's own; the project's sandbox for Studio users who name none.
   * @default the client's
   */
  environmentId?: string | undefined;
  /** A name, or a pattern: `thread.message.*`, `thread.*`. */
  eventName?: string | undefined;
  threadId?: string | undefined;
  /** From this instant on. */
  since?: string | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `threads.listEvents` asks for. */
export interface ListThreadEventsQuery {
  /**
   * The project.
   * @default the client's
   */
  projectId?: string | undefined;
  /** A name, or a pattern: `thread.message.*`, `thread.*`. */
  eventName?: string | readonly string[] | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `events.listTypes` asks for. */
export interface ListEventTypesQuery {
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `console.listMembers` asks for. */
export interface ListConsoleMembersQuery {
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

/** What `console.listEvents` asks for. */
export interface ListStreamEventsQuery {
  /** Events after this number of the project's stream. */
  afterSeq?: number | undefined;
  /** `nextCursor` of the previous page. Opaque; valid only for the same list with the same filters. */
  cursor?: string | undefined;
  /**
   * The maximum number of items on a page.
   * @default 50
   */
  limit?: number | undefined;
}

export interface AuthApi {
  /**
   * Create an account and its workspace.
   * Sets the refresh cookie. A verification link is e-mailed, unless the address was mailed five links that confirm it within the hour.
   * An Idempotency-Key has no effect. The answer is not stored: a repeated request finds the address in use, and its owner logs in.
   * Needs no credential.
   * @throws {ApiError} `svc/auth/signup_disabled`, `svc/auth/sso_required`, `svc/auth/email_in_use`, `svc/auth/email_domain_not_allowed`
   */
  signUp(body: SignUpBody, options?: CallOptions): Call<TokenResponse>;

  /**
   * Log in with e-mail and password.
   * Sets the refresh cookie. Where the user has a second factor, the answer to a right password is 401 svc/auth/second_factor_required: `details.challenge` names the login for POST /studio/auth/login/second-factor, for 5 minutes and 5 codes, and `details.methods` says what the user has set up: totp, passkey, or both.
   * An Idempotency-Key has no effect. Each request opens a new session.
   * Needs no credential.
   * @throws {ApiError} `svc/auth/second_factor_required`, `svc/auth/sso_required`, `svc/auth/no_workspace`
   */
  login(body: LoginBody, options?: CallOptions): Call<TokenResponse>;

  /**
   * Exchange the refresh cookie for a new access token.
   * Rotates the refresh cookie.
   * An Idempotency-Key has no effect. For 10 seconds after a rotation the previous cookie gives the same successor, so a lost answer does no harm.
   * Not for API keys.
   * @throws {ApiError} `svc/auth/no_workspace`
   */
  refresh(options?: CallOptions): Call<TokenResponse>;

  /**
   * End the session.
   * Clears the refresh cookie and revokes the session when there is one.
   * An Idempotency-Key has no effect. The answer is the same when the session has already ended.
   * Not for API keys.
   */
  logout(options?: CallOptions): Call<void>;

  /**
   * Read the signed-in user.
   * Not for API keys.
   * @throws {ApiError} `svc/auth/no_workspace`
   */
  me(options?: CallOptions): Call<StudioUser>;

  /**
   * Verify the e-mail address with the e-mailed token.
   * Needs no credential.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/idempotency_conflict`
   */
  verifyEmail(body: VerifyEmailBody, options?: CallOptions): Call<Accepted>;

  /**
   * Remove an account that somebody else made with your e-mail address, with the e-mailed token.
   * The token is that of the verification link. The account, its sessions, keys, invitations and memberships end at once, and the address is free again. A verified account is not removed: 401.
   * Needs no credential.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/idempotency_conflict`
   */
  rejectAccount(body: VerifyEmailBody, options?: CallOptions): Call<Accepted>;

  /**
   * E-mail the verification link again when the account is not yet verified.
   * An address is mailed five links that confirm it within an hour, for whichever accounts; then the answer is 429.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/idempotency_conflict`
   */
  resendVerification(query?: ResendVerificationQuery, options?: CallOptions): Call<Accepted>;

  /**
   * E-mail a link to set a new password.
   * The answer is the same whether or not the address is registered. The link works once, for 60 minutes. Another request sends another link, unless five are good still.
   * Needs no credential.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/idempotency_conflict`
   */
  forgotPassword(body: ForgotPasswordBody, options?: CallOptions): Call<Accepted>;

  /**
   * Set a new password with the e-mailed token.
   * Revokes all sessions of the user and all other tokens of that kind. Where nothing had proved the address before, also the API keys, invitations and partner apps of the workspaces that the user owns, and the memberships of everybody else there: somebody else may have made the account.
   * Needs no credential.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/idempotency_conflict`
   */
  resetPassword(body: ResetPasswordBody, options?: CallOptions): Call<Accepted>;

  /**
   * Accept an invitation to a workspace with the e-mailed token.
   * Sets the refresh cookie. If the invited address has no account, one is created with the password. If it has one, send its access token or its password, else the answer is 401 svc/auth/login_required; another account's access token alone is 403. A token that is unknown, used or revoked is 404, one that is older than 7 days 401 svc/auth/expired_token.
   * An Idempotency-Key has no effect. The answer is not stored: a repeated request finds the token used (404), and the user logs in.
   * Not for API keys.
   * @throws {ApiError} `svc/auth/login_required`, `svc/auth/sso_required`, `svc/runtime/not_found`, `svc/auth/email_domain_not_allowed`
   */
  acceptInvitation(body: AcceptInvitationBody, options?: CallOptions): Call<TokenResponse>;

  /**
   * Log in with a code, after the password.
   * Takes the challenge of a login that was answered 401 svc/auth/second_factor_required, and a code of the app or a recovery code. Sets the refresh cookie. After 5 wrong codes the challenge is void (401 svc/auth/invalid_token); after 10 wrong codes of a user further ones are refused for 15 minutes (429).
   * An Idempotency-Key has no effect. A repeated request finds its challenge used (401): log in again.
   * Needs no credential.
   * @throws {ApiError} `svc/auth/no_workspace`
   */
  loginWithSecondFactor(body: SecondFactorLoginBody, options?: CallOptions): Call<TokenResponse>;

  /**
   * Begin to log in with a passkey.
   * Answers with what the browser takes to use one (WebAuthn, PublicKeyCredentialRequestOptionsJSON), for 5 minutes. With the challenge of a login that was answered 401 svc/auth/second_factor_required it names the passkeys of that user; without, the user chooses.
   * An Idempotency-Key has no effect. Each request makes another challenge; the earlier ones stay good for their 5 minutes.
   * Needs no credential.
   */
  beginPasskeyLogin(body?: PasskeyLoginOptionsBody, options?: CallOptions): Call<PasskeyOptions>;

  /**
   * Log in with a passkey, alone or after the password.
   * Takes the answer of the browser (AuthenticationResponseJSON), and after the password the challenge of that login. Sets the refresh cookie. Each challenge is good for one answer. The authenticator has to have verified its user, so that a passkey alone counts as two factors.
   * An Idempotency-Key has no effect. A repeated request finds its challenge used (401): begin again.
   * Needs no credential.
   * @throws {ApiError} `svc/auth/sso_required`, `svc/auth/no_workspace`
   */
  loginWithPasskey(body: PasskeyLoginBody, options?: CallOptions): Call<TokenResponse>;

  /**
   * Begin to sign in by the identity provider of an e-mail domain.
   * Answers with the address to send the browser to, and with `flow`, which stays in the browser. 404: no workspace has proven the domain.
   * An Idempotency-Key has no effect. Each request begins another sign-in; the earlier ones stay good for their 10 minutes.
   * Needs no credential.
   * @throws {ApiError} `svc/auth/sso_failed`, `svc/runtime/not_found`
   */
  beginSingleSignOn(body: BeginSingleSignOnBody, options?: CallOptions): Call<StartedSingleSignOn>;

  /**
   * Sign in with what the identity provider has sent back.
   * Takes `flow` and what the provider has put into the address that it led back to. Sets the refresh cookie. The account is that of the address that the provider has verified; there is one afterwards, and it is a member of the workspace, as a viewer by default. Where the account has a second factor, the answer is 401 svc/auth/second_factor_required, as after a password.
   * An Idempotency-Key has no effect. A repeated request finds its flow used (401): begin again.
   * Needs no credential.
   * @throws {ApiError} `svc/auth/sso_failed`, `svc/auth/second_factor_required`, `svc/auth/email_domain_not_allowed`
   */
  finishSingleSignOn(body: FinishSingleSignOnBody, options?: CallOptions): Call<TokenResponse>;
}

export interface SessionsApi {
  /**
   * List your sessions.
   * Those that live, the newest first. `lastUsedAt` is exact to about 15 minutes: a client in use exchanges its refresh cookie that often.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`
   */
  list(query?: ListSessionsQuery, options?: CallOptions): Listing<Session>;

  /**
   * End one of your sessions.
   * Its access tokens stop within seconds on every node, and its Console streams are closed. The session of the request may end itself.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  end(sessionId: string, options?: CallOptions): Call<void>;

  /**
   * End all your sessions but this one.
   * An Idempotency-Key has no effect. Each request ends what other sessions there are by then.
   * Not for API keys.
   */
  endOthers(options?: CallOptions): Call<EndedSessions>;
}

export interface AccountApi {
  /**
   * Change your password.
   * Takes the present one. All other sessions end, links that were mailed to reset it or to change the address are void, and a mail tells a verified address.
   * An Idempotency-Key has no effect. A repeated request finds the present password wrong (401): it has changed.
   * Not for API keys.
   */
  changePassword(body: ChangePasswordBody, options?: CallOptions): Call<void>;

  /**
   * Ask for another e-mail address.
   * Takes the password. A link is mailed to the new address, and a notice to the present one, where it is verified; that one stays until the link is confirmed. Another request voids the earlier link; after five within an hour of yours, or to that address, further ones are refused (429). An address that has to sign in by an identity provider does not change.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/sso_required`, `svc/runtime/idempotency_conflict`, `svc/auth/email_in_use`, `svc/auth/email_domain_not_allowed`
   */
  changeEmail(body: ChangeEmailBody, options?: CallOptions): Call<Accepted>;

  /**
   * Change the e-mail address with the e-mailed token.
   * Takes the password of the account, too, so that nobody can make a stranger who opens the link share an account. The new address counts as verified, and a notice goes to the former one, where it had been verified.
   * Needs no credential.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/sso_required`, `svc/runtime/idempotency_conflict`, `svc/auth/email_in_use`
   */
  confirmEmail(body: ConfirmEmailBody, options?: CallOptions): Call<Accepted>;

  /**
   * Delete your account.
   * Takes the password. Sessions and memberships end, the address is free again, and the user is shown as deleted wherever they are named. A workspace that is not archived and has no other owner is handed over or archived first: until then 409, whose `details.workspaces` names them. API keys that the user made belong to their projects and stay.
   * An Idempotency-Key has no effect. A repeated request finds its access token invalid (401): the session has ended.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/conflict`
   */
  delete(body: DeleteAccountBody, options?: CallOptions): Call<void>;
}

export interface SecondFactorApi {
  /**
   * Read what second factors you have.
   * Not for API keys.
   */
  get(options?: CallOptions): Call<SecondFactor>;

  /**
   * Begin to set up a second factor.
   * Takes the password, and a verified e-mail address. Answers with the secret of an authenticator app (TOTP, RFC 6238: SHA-1, six digits, 30 seconds), and as the address that its QR code holds. Nothing asks for a code until one has confirmed it.
   * An Idempotency-Key has no effect. Each request makes another secret, and the earlier ones are void.
   * Not for API keys.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/conflict`
   */
  enrol(body: SecondFactorBody, options?: CallOptions): Call<SecondFactorEnrolment>;

  /**
   * Confirm the second factor by a code of the app.
   * Takes a verified e-mail address. From now on a login takes a code, too. All other sessions end. Answers with ten recovery codes, each of use once in the place of a code.
   * An Idempotency-Key has no effect. A repeated request finds it confirmed (409): renew the recovery codes if the answer was lost.
   * Not for API keys.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/conflict`
   */
  confirm(body: SecondFactorCodeBody, options?: CallOptions): Call<RecoveryCodes>;

  /**
   * Get new recovery codes in the place of the earlier ones.
   * An Idempotency-Key has no effect. A repeated request finds its code used (401).
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/conflict`
   */
  renewRecoveryCodes(body: PasswordAndCodeBody, options?: CallOptions): Call<RecoveryCodes>;

  /**
   * Remove your second factor.
   * An Idempotency-Key has no effect. A repeated request finds none (409).
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/conflict`
   */
  disable(body: PasswordAndCodeBody, options?: CallOptions): Call<void>;
}

export interface PasskeysApi {
  /**
   * List your passkeys.
   * The oldest first.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`
   */
  list(query?: ListPasskeysQuery, options?: CallOptions): Listing<Passkey>;

  /**
   * Add a passkey.
   * Takes the answer of the browser (RegistrationResponseJSON). The passkey signs in alone, and from now on a login by password takes it, or a code, as well. With the first second factor all other sessions end. Answers with ten recovery codes where the user has none left.
   * An Idempotency-Key has no effect. A repeated request finds its challenge used (401).
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/conflict`
   */
  create(body: CreatePasskeyBody, options?: CallOptions): Call<AddedPasskey>;

  /**
   * Begin to add a passkey.
   * Takes the password, and a verified e-mail address. Answers with what the browser takes to make one (WebAuthn, PublicKeyCredentialCreationOptionsJSON), for 5 minutes. A user has 20 at most (409).
   * An Idempotency-Key has no effect. Each request makes another challenge; the earlier ones stay good for their 5 minutes.
   * Not for API keys.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/conflict`
   */
  begin(body: BeginPasskeyBody, options?: CallOptions): Call<PasskeyOptions>;

  /**
   * Rename a passkey.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  update(passkeyId: string, body: UpdatePasskeyBody, options?: CallOptions): Call<Passkey>;

  /**
   * Remove a passkey.
   * Takes the password. It does not sign in any more; with the last second factor the recovery codes go, too.
   * An Idempotency-Key has no effect. A repeated request finds none (404).
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  remove(passkeyId: string, body: RemovePasskeyBody, options?: CallOptions): Call<void>;
}

export interface SingleSignOnApi {
  /**
   * Read a workspace's identity provider and its domains.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  get(workspaceId: string, options?: CallOptions): Call<SingleSignOn>;

  /**
   * Set a workspace's identity provider.
   * By OpenID Connect: issuer, client id and client secret, as the provider has given them out for `redirectUri`. The provider is looked up at once (422 where it is none). Without `clientSecret` the present one stays. With another issuer all domains have to be proven anew. Your own address has to be verified, here and for all changes of domains but their removal.
   * Not for API keys.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/conflict`
   */
  set(workspaceId: string, body: SetSingleSignOnBody, options?: CallOptions): Call<SingleSignOn>;

  /**
   * Remove a workspace's identity provider and its domains.
   * Accounts and memberships stay. Whoever has no password sets one by the link for forgotten passwords.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  remove(workspaceId: string, options?: CallOptions): Call<void>;

  /**
   * Add a domain whose addresses sign in by the identity provider.
   * Nobody signs in by it before it is proven: answers with the record that its DNS has to have. A domain that is there already stays as it is.
   * An Idempotency-Key has no effect. A repeated request finds the domain there, and answers with it.
   * Not for API keys.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/conflict`
   */
  addDomain(workspaceId: string, body: AddSsoDomainBody, options?: CallOptions): Call<SsoDomain>;

  /**
   * Look for the proof in a domain's DNS.
   * From then on verified addresses of the domain sign in. 409 while the record is not there, and where another workspace has proven the domain.
   * An Idempotency-Key has no effect. A repeated request finds it proven, and answers with it.
   * Not for API keys.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/conflict`
   */
  proveDomain(workspaceId: string, domain: string, options?: CallOptions): Call<SsoDomain>;

  /**
   * Say whether addresses of a domain have to sign in by the identity provider.
   * Takes a proven domain. Passwords and passkeys alone are refused then for its addresses, and so are new accounts; sessions that the identity provider has not opened end at their next refresh, within 15 minutes. The owners of this workspace are excepted.
   * Not for API keys.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/conflict`
   */
  updateDomain(workspaceId: string, domain: string, body: UpdateSsoDomainBody, options?: CallOptions): Call<SsoDomain>;

  /**
   * Remove a domain.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  removeDomain(workspaceId: string, domain: string, options?: CallOptions): Call<void>;
}

export interface ProfileApi {
  /**
   * Read your profile.
   * Until a name is set, `displayName` is what stands before the @ of the e-mail address. `avatarColor`, `language` and `timeZone` are null where the client is to choose.
   * Not for API keys.
   */
  get(options?: CallOptions): Call<Profile>;

  /**
   * Change your profile.
   * What is absent stays, also within `notifications`. `displayName: null` is the beginning of the e-mail address again. `timeZone` is a name of the IANA database.
   * Not for API keys.
   */
  update(body?: UpdateProfileBody, options?: CallOptions): Call<Profile>;
}

export interface CallerApi {
  /**
   * Read who the credential of the request is.
   * An API key is bound to the project and environment that are shown, and has the scopes that are shown. A signed-in user is shown with the workspaces of which they are a member (the first 100): what they may do there is up to their roles. `expiresAt` is when the credential stops working; null: not by itself.
   * Not for API keys.
   */
  get(options?: CallOptions): Call<Caller>;
}

export interface WorkspacesApi {
  /**
   * List the workspaces that the user is a member of.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`
   */
  list(query?: ListWorkspacesQuery, options?: CallOptions): Listing<Workspace>;

  /**
   * Create a workspace with a default project and its sandbox environment.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  create(body: CreateWorkspaceBody, options?: CallOptions): Call<Workspace>;

  /**
   * Read a workspace.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  get(workspaceId: string, options?: CallOptions): Call<Workspace>;

  /**
   * Rename a workspace, bring it back from the archive, or demand a second factor.
   * `archived: false` brings back what DELETE has archived; it takes an owner. `requiresSecondFactor` takes an owner who has a second factor, else 409: members without one can then only set one up or leave, API keys are not affected.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`, `svc/runtime/conflict`
   */
  update(workspaceId: string, body?: UpdateWorkspaceBody, options?: CallOptions): Call<Workspace>;

  /**
   * Archive a workspace with its projects.
   * Of every project in it: Nothing is deleted, and everything can be read. Its API keys are refused (401), nothing else than GET and DELETE is done in it (403), its stitches send nothing, and its channels take nothing in. What is under way ends. `archived: false` by PATCH brings the workspace back; projects that were archived by themselves stay so.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  archive(workspaceId: string, options?: CallOptions): Call<void>;

  /**
   * Hand the ownership of a workspace over to another member.
   * Only an owner can, and becomes an admin by it. The answer is the new owner. Somebody who is no member is not found, and oneself a conflict, as is a member who owns as many workspaces as one may.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  transferOwnership(workspaceId: string, body: TransferWorkspaceBody, options?: CallOptions): Call<WorkspaceMember>;
}

export interface ProjectsApi {
  /**
   * List the projects that the user can see.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`
   */
  list(query?: ListProjectsQuery, options?: CallOptions): Listing<Project>;

  /**
   * Create a project with its sandbox environment.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  create(body: CreateProjectBody, options?: CallOptions): Call<Project>;

  /**
   * Read a project.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  get(projectId: string, options?: CallOptions): Call<Project>;

  /**
   * Rename a project, set how its threads are assigned, or bring it back from the archive.
   * `archived: false` brings back what DELETE has archived.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  update(projectId: string, body?: UpdateProjectBody, options?: CallOptions): Call<Project>;

  /**
   * Archive a project.
   * Nothing is deleted, and everything can be read. Its API keys are refused (401), nothing else than GET and DELETE is done in it (403), its stitches send nothing, and its channels take nothing in. What is under way ends. `archived: false` by PATCH brings it back.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  archive(projectId: string, options?: CallOptions): Call<void>;

  /**
   * List the members of the workspace who have a role in the project.
   * Owners and admins of the workspace are developers in every project, and are not listed. Console members are others: GET /console/projects/{projectId}/members.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/not_found`
   */
  listMembers(projectId: string, query?: ListProjectMembersQuery, options?: CallOptions): Listing<ListedProjectMember>;

  /**
   * Give a member of the workspace a role in the project, or change a member's role.
   * The user has to be a member of the workspace: whoever is not is not found, and is invited first. An owner or admin of the workspace is a conflict, since they are developers in every project.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`, `svc/runtime/conflict`
   */
  upsertMember(projectId: string, body: UpsertProjectMemberBody, options?: CallOptions): Call<ProjectMember>;

  /**
   * Take away a member's role in the project.
   * The user stays a member of the workspace, and of the Console. Console streams of the user end at once, to be resumed with the roles that are left, and threads that the user may not answer any more are unassigned within minutes. API keys that they created belong to the project and keep working.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  removeMember(projectId: string, userId: string, options?: CallOptions): Call<void>;
}

export interface EnvironmentsApi {
  /**
   * List the environments that the user can see.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`
   */
  list(query?: ListEnvironmentsQuery, options?: CallOptions): Listing<Environment>;

  /**
   * Create the production environment of a project.
   * A project has one sandbox and at most one production environment; a second one is a conflict.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  create(body: CreateEnvironmentBody, options?: CallOptions): Call<Environment>;

  /**
   * Read an environment.
   * Not for API keys.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  get(environmentId: string, options?: CallOptions): Call<Environment>;

  /**
   * Rename an environment.
   * Not for API keys.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  update(environmentId: string, body?: UpdateEnvironmentBody, options?: CallOptions): Call<Environment>;
}

export interface InvitationsApi {
  /**
   * Invite a person to a workspace by e-mail.
   * The invitation works once, for 7 days. It is a conflict when the address belongs to a member or has a pending invitation. The inviter's own address has to be verified.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`, `svc/auth/email_domain_not_allowed`
   */
  create(workspaceId: string, body: CreateInvitationBody, options?: CallOptions): Call<WorkspaceInvitation>;

  /**
   * List a workspace's invitations, pending and past, newest first.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/not_found`
   */
  list(workspaceId: string, query?: ListInvitationsQuery, options?: CallOptions): Listing<WorkspaceInvitation>;

  /**
   * Revoke an invitation; repeating it changes nothing, and an accepted one is not found.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  revoke(workspaceId: string, invitationId: string, options?: CallOptions): Call<void>;
}

export interface MembersApi {
  /**
   * List a workspace's members.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/not_found`
   */
  list(workspaceId: string, query?: ListMembersQuery, options?: CallOptions): Listing<WorkspaceMember>;

  /**
   * Read a member of a workspace.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  get(workspaceId: string, userId: string, options?: CallOptions): Call<WorkspaceMember>;

  /**
   * Change a member's role.
   * Only owners can give or take away the role owner. Demoting the last owner is a conflict.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`, `svc/runtime/conflict`
   */
  update(workspaceId: string, userId: string, body: UpdateWorkspaceMemberBody, options?: CallOptions): Call<WorkspaceMember>;

  /**
   * Remove a member, also from all projects of the workspace.
   * Users can remove themselves; removing others takes an admin, and only owners can remove owners. Removing the last owner is a conflict. Removing a member also ends the user’s Console memberships and open streams, revokes the invitations that they sent, and unassigns their threads. API keys that they created belong to the project and keep working: the audit log lists them (api_key.created, api_key.rotated), so that keys whose secret they know can be rotated.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`, `svc/runtime/conflict`
   */
  remove(workspaceId: string, userId: string, options?: CallOptions): Call<void>;
}

export interface ApiKeysApi {
  /**
   * List a project's API keys, without secrets.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/not_found`
   */
  list(query?: ListApiKeysQuery, options?: CallOptions): Listing<ApiKey>;

  /**
   * Create an API key; only this answer contains its secret.
   * A key belongs to the project: it keeps working when its creator leaves the workspace, until somebody revokes it. It cannot have a scope that its creator could not use: a developer can give neither audit:read nor usage:read, nor *, which includes them (403).
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  create(body: CreateApiKeyBody, options?: CallOptions): Call<CreatedApiKey>;

  /**
   * Read an API key, without its secret.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  get(apiKeyId: string, options?: CallOptions): Call<ApiKey>;

  /**
   * Rename an API key.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  update(apiKeyId: string, body?: UpdateApiKeyBody, options?: CallOptions): Call<ApiKey>;

  /**
   * Revoke an API key at once.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  revoke(apiKeyId: string, options?: CallOptions): Call<void>;

  /**
   * Replace an API key by a new one; only this answer contains its secret.
   * The previous key works until the grace period is over; without a grace period it is revoked at once. A key can be rotated once: one that is rotating, revoked or expired is not found, nor is one with scopes that you could not give to a new key.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  rotate(apiKeyId: string, body?: RotateApiKeyBody, options?: CallOptions): Call<RotatedApiKey>;
}

export interface PartnerAppsApi {
  /**
   * List a workspace's partner app credentials, newest first, without secrets.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/not_found`
   */
  list(query: ListPartnerAppsQuery, options?: CallOptions): Listing<PartnerAppCredential>;

  /**
   * Register a partner app; only this answer contains its verify token.
   * Give the provider `webhookUrl`, with the id of a channel in place of `ch_REPLACE_WITH_CHANNEL_ID`, and `verifyToken`.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`
   */
  create(body: CreatePartnerAppBody, options?: CallOptions): Call<CreatedPartnerAppCredential>;

  /**
   * Replace the app secret of a partner app.
   * Calls of the provider use the new secret at once. Webhooks that are signed with the previous one are accepted for 24 hours. A revoked partner app is a conflict.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  rotateSecret(metaAppCredentialId: string, body: RotatePartnerAppSecretBody, options?: CallOptions): Call<PartnerAppCredential>;

  /**
   * Revoke a partner app that no chatapp channel uses; repeating it changes nothing.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`, `svc/partner_app/in_use`
   */
  revoke(metaAppCredentialId: string, options?: CallOptions): Call<void>;
}

export interface AuditLogsApi {
  /**
   * List audit log entries, newest first.
   * A Studio user names `workspaceId`, for all its projects and its members’ accounts, or `projectId`; an API key is bound to its project and environment. With `environmentId`, the list contains what was done in that environment and what belongs to no environment. Entries are kept for 400 days. A page scans a bounded number of items: with filters that match few of them it may be short, or empty, while hasMore is true. Nothing is left out: nextCursor continues from there.
   * API keys need `audit:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  list(query?: ListAuditLogsQuery, options?: CallOptions): Listing<AuditLog>;

  /**
   * Export audit log entries as NDJSON, newest first.
   * All entries of listAuditLogs with the same filters in one answer: a JSON object a line, as the list has it. The answer is sent as it is read, without a Content-Length. It is whole where it ends with its last chunk; an answer that is cut off, or takes longer than five minutes, ends without: export less at once, by `since` and `until`.
   * API keys need `audit:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  export(query?: ExportAuditLogsQuery, options?: CallOptions): Call<string>;
}

export interface UsageApi {
  /**
   * Read the usage of an environment: messages, webhooks, agent runs, tokens.
   * Grouped by UTC day, agent, channel, model or provider, and sorted by that; groups without usage are left out. At most 366 days. Messages are counted by day and by channel, webhooks by day. An agent run belongs to the channel of its thread.
   * API keys need `usage:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  list(query?: ListUsageQuery, options?: CallOptions): Listing<Usage>;

  /**
   * List the prices of models by which runs are priced.
   * The list comes with the service and is the same for all; nothing is fetched. By provider and model. With `inUse` the models of the active versions of the looms of the environment, also those that the list does not have: their prices are null, their runs have no cost, and they never use up a budget.
   * API keys need `agents:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  listPrices(query?: ListModelPricesQuery, options?: CallOptions): Listing<ModelPrice>;
}

export interface BudgetsApi {
  /**
   * Read the budgets of an environment, and what is left of them today.
   * API keys need `usage:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  get(options?: CallOptions): Call<Budgets>;

  /**
   * Set the budgets of an environment: per run, per thread, and per day.
   * A run that exceeds one of them fails with `budget_exceeded`, and its thread changes to the mode in `onExceeded`. The costs of a day may be a second old. Only steps with a known price count: a model that is not in the price list, or that does not report its tokens, has `costMicros: null` in the trace of its runs and adds nothing, so it never uses up a budget. The `modelAllowlist` of a key excludes such models. A budget of zero stops every run.
   * Not for API keys.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  set(body: SetBudgetsBody, options?: CallOptions): Call<Budgets>;
}

export interface ChannelsApi {
  /**
   * List channels.
   * API keys need `channels:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  list(query?: ListChannelsQuery, options?: CallOptions): Listing<Channel>;

  /**
   * Create a channel.
   * Sandbox and custom channels are connected at once; a chatapp channel needs to be connected.
   * API keys need `channels:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  create(body: CreateChannelBody, options?: CallOptions): Call<Channel>;

  /**
   * Read a channel.
   * API keys need `channels:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  get(channelId: string, options?: CallOptions): Call<Channel>;

  /**
   * Change the name, the default agent or the metadata of a channel.
   * `metadata` is merged as JSON Merge Patch says (RFC 7396): names that are absent stay, null removes one.
   * API keys need `channels:write`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/precondition_failed`
   */
  update(channelId: string, body?: UpdateChannelBody, options?: EditOptions): Call<Channel>;

  /**
   * List what became of a channel's connection, newest first.
   * When the channel was created, connected, lost or disconnected, by whom and why, and what was told of its access token. Kept for 400 days, from 26 November 2026 on.
   * API keys need `channels:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  listChanges(channelId: string, query?: ListChannelChangesQuery, options?: CallOptions): Listing<ChannelChange>;

  /**
   * List the commands that a custom channel has not acknowledged, oldest first.
   * API keys need `channels:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  listCommands(channelId: string, query?: ListChannelCommandsQuery, options?: CallOptions): Listing<ChannelCommand>;

  /**
   * Acknowledge a command; repeating it changes nothing.
   * API keys need `channels:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`
   */
  acknowledgeCommand(channelId: string, eventId: string, options?: CallOptions): Call<void>;

  /**
   * Report a message that a participant sent over a custom channel.
   * The thread is named by threadId, or by externalThreadRef or externalParticipantRef, which create it when it is new.
   * API keys need `messages:write`.
   * @throws {ApiError} `svc/runtime/missing_idempotency_key`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  receive(channelId: string, body: InboundMessageBody, options?: CallOptions): Call<Message>;

  /**
   * Report the status of an outbound message.
   * A receipt for an unknown external id is kept for 24 hours until its message gets that id.
   * API keys need `messages:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  recordReceipt(channelId: string, body: ReceiptBody, options?: CallOptions): Call<Accepted>;

  /**
   * Simulate the provider of a sandbox channel.
   * API keys need `channels:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  simulate(channelId: string, body: SimulateBody, options?: CallOptions): Call<Simulated>;
}

export interface ChatappApi {
  /**
   * Connect a chatapp channel to a phone number at the provider.
   * By an access token, or by the code of an embedded sign-up, which lives 30 seconds. The token is checked, the app is subscribed to the business account, the number is registered, and its webhooks are directed to this channel. What a failed attempt has changed at the provider is taken back. `details.step` says which step failed, `details.code` is the error code of the provider.
   * API keys need `channels:connect`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`, `svc/chatapp/connect_failed`
   */
  connect(channelId: string, body?: ConnectChatappBody, options?: CallOptions): Call<ChatappStatus>;

  /**
   * Disconnect a chatapp channel; repeating it changes nothing.
   * The number stays registered at the provider. Its webhooks no longer come here, and the access token is deleted.
   * API keys need `channels:connect`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  disconnect(channelId: string, body?: DisconnectChatappBody, options?: CallOptions): Call<ChatappStatus>;

  /**
   * Read how a chatapp channel is connected.
   * API keys need `channels:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/conflict`
   */
  getStatus(channelId: string, options?: CallOptions): Call<ChatappStatus>;

  /**
   * Check whether a chatapp channel is ready to send and to receive.
   * Asks the provider about the token, the business account, the number, the webhooks and the templates. `ok` says whether nothing stands in the way; a `reason` says what to do, also where a check is only a warning. A question that the provider does not answer fails its own checks only.
   * API keys need `channels:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/conflict`
   */
  checkReadiness(channelId: string, options?: CallOptions): Call<ChatappReadiness>;

  /**
   * List the message templates of the business account.
   * In the provider's order, page by page. A page is kept for a minute. `name` finds what it is a part of; the other filters take the provider's words.
   * API keys need `channels:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/conflict`, `svc/chatapp/channel_not_connected`
   */
  listTemplates(channelId: string, query?: ListChatappTemplatesQuery, options?: CallOptions): Listing<ChatappTemplate>;

  /**
   * Send a message template in a thread.
   * Also while the service window is closed. The message has the template's text as its `body`, with its parameters filled in. A template that the account does not have, or that is not approved, and parameters that do not fit are 422; where the provider does not answer, the message is queued all the same, and fails if the provider refuses it. `components` are the provider's. A thread with a new number is created before, with the number as its externalRef.
   * API keys need `messages:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`, `svc/chatapp/channel_not_connected`
   */
  sendTemplate(channelId: string, body: SendTemplateBody, options?: CallOptions): Call<Message>;

  /**
   * Answer the provider's challenge.
   * Called by the provider when the webhook address is set, also before the channel is connected. The verify token is that of a partner app of the workspace, or the one that Skein gave to the provider when it connected the channel.
   * Needs no credential.
   * @throws {ApiError} `svc/chatapp/invalid_verify_token`, `svc/runtime/not_found`
   */
  verifyWebhook(channelId: string, query: VerifyChatappWebhookQuery, options?: CallOptions): Call<string>;

  /**
   * Take the provider's events.
   * Called by the provider. `X-Hub-Signature-256` is the HMAC-SHA256 of the raw body with the secret of the app that the channel is connected with. The events are stored before the answer, and worked through after it.
   * An Idempotency-Key has no effect. Each of its messages is taken once, by the id that the provider gave it.
   * Needs no credential.
   * @throws {ApiError} `svc/chatapp/invalid_signature`, `svc/runtime/not_found`, `svc/chatapp/channel_not_connected`, `svc/chatapp/webhook_identity_mismatch`
   */
  receiveWebhook(channelId: string, body?: Readonly<Record<string, unknown>>, options?: CallOptions): Call<Accepted>;
}

export interface ThreadsApi {
  /**
   * Create a thread.
   * A channel has one thread per externalRef: when there is one already, 409 svc/runtime/conflict names it in details.threadId.
   * API keys need `threads:write`.
   * @throws {ApiError} `svc/runtime/missing_idempotency_key`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  create(body?: CreateThreadBody, options?: CallOptions): Call<Thread>;

  /**
   * List threads, newest first.
   * Name a filter several times for several values: a thread fits that has one of them. While messages come, a thread moves within the orders by `lastMessageAt` and `updatedAt`: with newest first, one that gets a message before it was shown is above the page already, and is not shown any more. To see every thread, sort by `createdAt`, which shows each one once; or by `updatedAt` with `order=asc`, which shows one again that has changed since.
   * With `q`, the answer is one page of the best threads, by their messages, their subjects and the names of their participants, new messages before old ones; `match` says what was found. `"hello world"` are words in a row, `or` and `-word` have their usual meaning. A message is found some seconds after it was written. There is no second page, and `sort` and `order` do not count.
   * A page scans a bounded number of items: with filters that match few of them it may be short, or empty, while hasMore is true. Nothing is left out: nextCursor continues from there.
   * API keys need `threads:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  list(query?: ListThreadsQuery, options?: CallOptions): Listing<Thread>;

  /**
   * Read a thread.
   * API keys need `threads:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  get(threadId: string, options?: CallOptions): Call<Thread>;

  /**
   * Change a thread: its status, agent, tags, fields, participant, subject, or until when it is snoozed.
   * `customFields` and `metadata` are merged as JSON Merge Patch says (RFC 7396): names that are absent stay, null removes one. `archived: false` is the same as the status `open`, for an archived thread. With `expectedSequence`, the `sequence` that you have seen, it is refused with 409 `svc/runtime/conflict` when the participant has written since, and `details.sequence` is that of now: so nobody closes or snoozes a thread over a message that they have not seen.
   * API keys need `threads:write`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/conflict`
   */
  update(threadId: string, body?: UpdateThreadBody, options?: CallOptions): Call<Thread>;

  /**
   * Archive a thread.
   * Nothing is deleted: it is the same as the status `archived`. `archived: false` by PATCH, or an inbound message, brings it back.
   * API keys need `threads:write`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  archive(threadId: string, options?: CallOptions): Call<void>;

  /**
   * Assign a thread to a user who may answer in it, or release it.
   * Also 404 for a user who is not an operator or developer of the project.
   * API keys need `threads:write`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  assign(threadId: string, body: AssignThreadBody, options?: CallOptions): Call<Thread>;

  /**
   * Change up to 100 threads, each by itself.
   * Each thread is changed as by the operation for one, and has its result: `failed`, with the error, is a thread that stayed as it was, also one that there is not. `addTags` and `removeTags` need `tags`, `assign` needs `userId`, `setAgentMode` needs `agentMode`, `snooze` needs `snoozedUntil` (null wakes). `expectedSequences` has for any of the threads the `sequence` that you have seen, as `expectedSequence` of the operation for one. Also 404 for a user who may not answer. It counts towards the quota as often as there are threads. Repeated with its Idempotency-Key, it does nothing twice, and tries again what failed with 429 or 5xx.
   * API keys need `threads:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`
   */
  bulk(body: BulkBody, options?: CallOptions): Call<BulkResults>;

  /**
   * Show on the Console stream that a user is typing.
   * Nothing is stored: the connected clients of the stream get thread.typing.started or .stopped, without a number. While a user is typing, agents do not answer by themselves.
   * API keys need `threads:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`
   */
  setTyping(threadId: string, body: TypingBody, options?: CallOptions): Call<void>;

  /**
   * Set how far you have read a thread.
   * Each user has one cursor for each thread; with an API key it is that of the user who created the key. It never moves back: the answer is its present position. It cannot be beyond the last event of the thread. The participant learns that their messages were read, where the channel shows it, unless the reader may not answer them.
   * API keys need `threads:write`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  moveReadCursor(threadId: string, body: ReadCursorBody, options?: CallOptions): Call<ReadCursor>;

  /**
   * List what is known of the participant of a thread.
   * A copy to hand to the participant: the thread first, then its messages in their order, then the notes and the agent runs of the thread, newest first. The field that `kind` names is the resource, as its own operations show it; the steps of a run are those of getAgentRun, and files are those of getAttachmentUrl. A participant of several channels has a thread in each: see `participantRef` of listThreads.
   * API keys need `threads:read` and `messages:read` and `agents:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  listPersonalData(threadId: string, query?: ListPersonalDataQuery, options?: CallOptions): Listing<PersonalDataRecord>;

  /**
   * Erase the personal data of the participant of a thread.
   * The participant, tags, custom fields and metadata of the thread are erased at once; the texts and files of its messages, its notes, the payloads of its events and the traces of its runs follow within minutes. Counts and times stay, and so does the thread; later messages are not affected. Its id stays, too: for a thread with an externalRef it is a hash of the environment, the channel and the participant’s name in the channel. The name cannot be read from it, but somebody who knows the name, or tries many, can still find out whether that participant had a thread.
   * API keys need `threads:write`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  erasePersonalData(threadId: string, options?: CallOptions): Call<PersonalDataErasure>;

  /**
   * List events of a thread, of the last 30 days, newest first.
   * Those that the caller may see: of messages, say, only who may read messages. A page scans a bounded number of items: with filters that match few of them it may be short, or empty, while hasMore is true. Nothing is left out: nextCursor continues from there.
   * API keys need `threads:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  listEvents(threadId: string, query?: ListThreadEventsQuery, options?: CallOptions): Listing<SkeinEvent>;
}

export interface NotesApi {
  /**
   * List a thread's notes, newest first.
   * API keys need `threads:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  list(threadId: string, query?: ListNotesQuery, options?: CallOptions): Listing<ThreadNote>;

  /**
   * Write a note on a thread.
   * With an API key, the author is the user who created the key. Users in `mentions` are told: see listMentions. One who is not in the project is a 404.
   * API keys need `threads:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`
   */
  create(threadId: string, body: CreateNoteBody, options?: CallOptions): Call<ThreadNote>;

  /**
   * Change a note; its author stays.
   * API keys need `threads:write`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/conflict`
   */
  update(threadId: string, threadNoteId: string, body: UpdateNoteBody, options?: CallOptions): Call<ThreadNote>;

  /**
   * Delete a note.
   * API keys need `threads:write`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/conflict`
   */
  delete(threadId: string, threadNoteId: string, options?: CallOptions): Call<void>;
}

export interface ConsoleApi {
  /**
   * List the notes that mention you, newest first.
   * A note mentions users by its `mentions`. With an API key it is the user on whose behalf the key acts, or else who created it.
   * API keys need `threads:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/console/not_found`
   */
  listMentions(query?: ListMentionsQuery, options?: CallOptions): Listing<Mention>;

  /**
   * Mark the notes that mention you as read: those of a thread, or all.
   * Marks at most 1,000 at a time, the oldest first; the answer counts what is left.
   * API keys need `threads:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/console/not_found`
   */
  readMentions(body?: ReadMentionsBody, options?: CallOptions): Call<UnreadMentions>;

  /**
   * List a project's Console members.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/console/not_found`
   */
  listMembers(query?: ListConsoleMembersQuery, options?: CallOptions): Listing<ListedConsoleMember>;

  /**
   * Add a Console member or change a member's role.
   * Not for API keys.
   * @throws {ApiError} `svc/console/forbidden`, `svc/console/not_found`
   */
  upsertMember(body: UpsertConsoleMemberBody, options?: CallOptions): Call<ConsoleMember>;

  /**
   * Remove a Console member.
   * Not for API keys.
   * @throws {ApiError} `svc/console/forbidden`, `svc/console/not_found`
   */
  removeMember(userId: string, options?: CallOptions): Call<void>;

  /**
   * Count the threads of each queue of an inbox.
   * Counts go up to 1,000; `more` says that there are more. The threads of a queue are those of GET /threads, with: `mine` status=open, snoozed=false and assigneeUserId of the user; `unassigned` status=open, snoozed=false and assigneeUserId=unassigned; `allOpen` status=open and snoozed=false; `needsApproval` hasPendingSuggestion=true; `waitingLongest` snoozed=false, sort=waitingSince and order=asc; `windowClosing` sort=windowClosesAt, order=asc and windowClosesBefore in two hours; `failedSends` failedSends=true; `paused` status=open and agentMode=paused; `closed` status=closed; `snoozed` snoozed=true, sort=snoozedUntil and order=asc. Snoozed threads count in the other queues, too, where these do not say snoozed=false. `mentions` are those of listMentions that are unread. While the stream brings events of threads, ask again, once in five seconds at most.
   * API keys need `threads:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/console/not_found`
   */
  queues(options?: CallOptions): Call<Queues>;

  /**
   * Create a single-use ticket for the stream, for browsers, which cannot set headers.
   * A ticket is valid for 30 seconds, including one from a replayed answer.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/console/forbidden`, `svc/console/not_found`, `svc/runtime/idempotency_conflict`
   */
  createTicket(options?: CallOptions): Call<StreamTicket>;

  /**
   * List the stream's events in order.
   * A key gets the events of its environment, a member those of the project. A page scans a bounded number of items: with filters that match few of them it may be short, or empty, while hasMore is true. Nothing is left out: nextCursor continues from there.
   * API keys need `threads:read` and `messages:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/console/forbidden`, `svc/console/not_found`
   */
  listEvents(query?: ListStreamEventsQuery, options?: CallOptions): Listing<ConsoleStreamEvent>;
}

export interface CannedRepliesApi {
  /**
   * List a project's canned replies by their shortcuts.
   * API keys need `threads:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/not_found`
   */
  list(query?: ListCannedRepliesQuery, options?: CallOptions): Listing<CannedReply>;

  /**
   * Keep a reply ready.
   * The shortcut is a slash and 1 to 31 of a-z, 0-9, _ and -. One that the project has already is a conflict, with its `details.cannedReplyId`. `body` may have the placeholders `{{participant.name}}`, `{{participant.ref}}`, `{{operator.name}}` and `{{thread.customFields.<name>}}`, which clients fill in; any other `{{` is refused.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  create(body: CreateCannedReplyBody, options?: CallOptions): Call<CannedReply>;

  /**
   * Read a canned reply.
   * API keys need `threads:read`.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  get(cannedReplyId: string, options?: CallOptions): Call<CannedReply>;

  /**
   * Change a canned reply.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`, `svc/runtime/conflict`, `svc/runtime/precondition_failed`
   */
  update(cannedReplyId: string, body?: UpdateCannedReplyBody, options?: EditOptions): Call<CannedReply>;

  /**
   * Delete a canned reply.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`, `svc/runtime/precondition_failed`
   */
  delete(cannedReplyId: string, options?: EditOptions): Call<void>;
}

export interface MessagesApi extends MessageExtras {
  /**
   * List a thread's messages by sequence.
   * API keys need `messages:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  list(threadId: string, query?: ListMessagesQuery, options?: CallOptions): Listing<Message>;

  /**
   * Create a message in a thread.
   * Outbound messages are queued for their channel. An archived thread accepts none: 409. An inbound message reports what the participant wrote: only on custom and sandbox channels (else 409), and only by who may also write channels (a key: channels:write).
   * API keys need `messages:write`.
   * @throws {ApiError} `svc/runtime/missing_idempotency_key`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`, `svc/chatapp/template_required`
   */
  create(threadId: string, body?: CreateMessageBody, options?: CallOptions): Call<Message>;

  /**
   * Find messages of the environment by an id: ours, or that of the channel provider.
   * A provider's id is unique in its channel alone, so that several channels may each have a message.
   * API keys need `messages:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  find(query?: FindMessagesQuery, options?: CallOptions): Listing<Message>;

  /**
   * Read a message.
   * API keys need `messages:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  get(threadId: string, messageId: string, options?: CallOptions): Call<Message>;

  /**
   * Read the timeline of a message: receipts, runs, tool calls, webhook deliveries.
   * Limited to the event log: 30 days, and the 5,000 events of the thread that follow the message.
   * API keys need `messages:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  timeline(threadId: string, messageId: string, options?: CallOptions): Call<MessageTimeline>;
}

export interface AttachmentsApi extends AttachmentExtras {
  /**
   * Announce a file and get its upload URL.
   * PUT the announced number of bytes to uploadUrl within five minutes: 204. Then name attachmentId in the attachments of one message. A file that is not uploaded within an hour, or that no message uses within a day, is removed. 409: the environment or workspace has as many bytes of files as it may have.
   * API keys need `messages:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  create(body: CreateAttachmentBody, options?: CallOptions): Call<AttachmentUpload>;

  /**
   * Get a download URL that is valid for five minutes.
   * Also 404 while the file has not been uploaded.
   * API keys need `messages:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  getUrl(attachmentId: string, options?: CallOptions): Call<AttachmentLink>;
}

export interface ByokCredentialsApi {
  /**
   * List the LLM provider keys of an environment, newest first, without secrets.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  list(query?: ListByokCredentialsQuery, options?: CallOptions): Listing<ByokCredential>;

  /**
   * Register an LLM provider key.
   * Runs use the key that their loom version names, or the newest active key of the provider. An empty `modelAllowlist` allows every model.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`
   */
  create(body: CreateByokCredentialBody, options?: CallOptions): Call<ByokCredential>;

  /**
   * Change the name of an LLM provider key, or the models that it may be used for.
   * Steps of runs that begin from then on keep to it. A revoked key is a conflict. `metadata` is merged as JSON Merge Patch says (RFC 7396): names that are absent stay, null removes one.
   * Not for API keys.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/conflict`
   */
  update(byokCredentialId: string, body?: UpdateByokCredentialBody, options?: CallOptions): Call<ByokCredential>;

  /**
   * Revoke an LLM provider key and delete its secret; repeating it changes nothing.
   * Not for API keys.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  revoke(byokCredentialId: string, options?: CallOptions): Call<void>;

  /**
   * Replace the secret of an LLM provider key.
   * Until the grace period is over, the previous secret is tried when the provider rejects the new one. A revoked key is a conflict.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  rotate(byokCredentialId: string, body: RotateByokCredentialBody, options?: CallOptions): Call<ByokCredential>;
}

export interface ToolsApi {
  /**
   * List tools, newest first.
   * API keys need `tools:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  list(query?: ListToolsQuery, options?: CallOptions): Listing<Tool>;

  /**
   * Create a tool; only this answer contains its signing secret.
   * Values of headers are secrets, too: they are sent to the tool and never shown. Every request to the tool carries `Service-Signature`, made with the signing secret over the whole request.
   * API keys need `tools:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  create(body: CreateToolBody, options?: CallOptions): Call<CreatedTool>;

  /**
   * Read a tool.
   * API keys need `tools:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  get(toolId: string, options?: CallOptions): Call<Tool>;

  /**
   * Change, disable or enable a tool.
   * `headers` replaces the whole set; a header whose value is `[redacted]` keeps its value. When `url` changes to another origin (scheme, host or port), no value is kept: existing headers have to be sent again with it, else the answer is 422. `metadata` is merged as JSON Merge Patch says (RFC 7396): names that are absent stay, null removes one.
   * API keys need `tools:write`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/precondition_failed`
   */
  update(toolId: string, body?: UpdateToolBody, options?: EditOptions): Call<Tool>;

  /**
   * Rotate the signing secret of a tool; the old one also signs until the grace period is over.
   * Only this answer contains the new secret. Up to three secrets sign at once, each with a `v1` and a `v2` of its own.
   * API keys need `tools:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`
   */
  rotateSecret(toolId: string, body?: RotateToolSecretBody, options?: CallOptions): Call<CreatedTool>;

  /**
   * Call a tool once, as a run would, and return its answer.
   * The call is real; it only lacks the headers that name run, thread and participant. A disabled tool is called, too, and nobody has to approve it. Arguments may have up to 64 KiB.
   * API keys need `tools:execute`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`
   */
  test(toolId: string, body?: TestToolBody, options?: CallOptions): Call<ToolTest>;
}

export interface LoomsApi {
  /**
   * List looms, newest first.
   * Archived ones are omitted; read them by id.
   * API keys need `agents:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  list(query?: ListLoomsQuery, options?: CallOptions): Listing<Loom>;

  /**
   * Create a loom with its first version, which is active.
   * A tool or a BYOK credential that is not in the environment is 422, and so is a credential that is revoked or belongs to another provider.
   * API keys need `agents:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  create(body: CreateLoomBody, options?: CallOptions): Call<Loom>;

  /**
   * Read a loom.
   * API keys need `agents:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  get(loomId: string, options?: CallOptions): Call<Loom>;

  /**
   * Change the name or the metadata of a loom, archive or restore it.
   * Archiving a loom that an agent uses is a conflict. `metadata` is merged as JSON Merge Patch says (RFC 7396): names that are absent stay, null removes one.
   * API keys need `agents:write`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/conflict`, `svc/runtime/precondition_failed`
   */
  update(loomId: string, body?: UpdateLoomBody, options?: EditOptions): Call<Loom>;

  /**
   * Archive a loom.
   * A loom that an agent uses is a conflict. `archived: false` by PATCH brings it back.
   * API keys need `agents:write`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/conflict`, `svc/runtime/precondition_failed`
   */
  archive(loomId: string, options?: EditOptions): Call<void>;

  /**
   * Activate a version: a newer one, or an older one as a rollback.
   * Started runs continue with the version that they began with. An archived version is a conflict, and so is another active version than `expectedActiveVersionId`. Activating the active version changes nothing.
   * API keys need `agents:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  activateVersion(loomId: string, body: ActivateLoomVersionBody, options?: CallOptions): Call<Loom>;

  /**
   * List when versions of a loom became active, newest first.
   * To go back, activate `previousVersionId` of the first entry.
   * API keys need `agents:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  listActivations(loomId: string, query?: ListLoomActivationsQuery, options?: CallOptions): Listing<LoomActivation>;

  /**
   * List the versions of a loom, newest first.
   * API keys need `agents:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  listVersions(loomId: string, query?: ListLoomVersionsQuery, options?: CallOptions): Listing<LoomVersion>;

  /**
   * Publish a new version, and activate it unless `activate` is false.
   * Send the whole definition: nothing is copied from the previous version.
   * API keys need `agents:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  createVersion(loomId: string, body: CreateLoomVersionBody, options?: CallOptions): Call<LoomVersion>;

  /**
   * Read a version.
   * API keys need `agents:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  getVersion(loomId: string, loomVersionId: string, options?: CallOptions): Call<LoomVersion>;

  /**
   * Archive a version that is not active, or publish it again.
   * API keys need `agents:write`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/conflict`
   */
  updateVersion(loomId: string, loomVersionId: string, body?: UpdateLoomVersionBody, options?: CallOptions): Call<LoomVersion>;

  /**
   * Archive a version that is not active.
   * `archived: false` by PATCH publishes it again.
   * API keys need `agents:write`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/conflict`
   */
  archiveVersion(loomId: string, loomVersionId: string, options?: CallOptions): Call<void>;

  /**
   * Try a version on a stored thread or on typed messages; nothing is sent, stored or called.
   * The model is asked as in a run, with the key of the version, and the answer waits for it. Tools are not called: a call has the result of the same call (tool and arguments) in the newest run of the thread that made it, else one of `toolResults`, else the model is told that nothing was called. The thread and its runs stay as they are, and no event is made. Tokens and cost count for usage and for the budgets of a run and of a day. A trial has 8 steps at most; one that fails is answered 200 with `status: failed`.
   * API keys need `agents:run` and `agents:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`
   */
  try(loomId: string, body?: TryLoomBody, options?: CallOptions): Call<LoomTrial>;
}

export interface AgentsApi {
  /**
   * List agents, newest first.
   * Archived ones are omitted; read them by id.
   * API keys need `agents:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  list(query?: ListAgentsQuery, options?: CallOptions): Listing<Agent>;

  /**
   * Create an agent.
   * The agent answers where a thread (`agentId`) or a channel (`defaultAgentId`) names it. A loom that is not in the environment is 422, an archived one a conflict.
   * API keys need `agents:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  create(body: CreateAgentBody, options?: CallOptions): Call<Agent>;

  /**
   * Read an agent.
   * API keys need `agents:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  get(agentId: string, options?: CallOptions): Call<Agent>;

  /**
   * Change, archive or restore an agent.
   * Any other change of an archived agent is a conflict. With `split` so many of a hundred threads, always the same, are answered by another published version of the loom than the active one, which would be a conflict; a share that changes keeps threads with the version that they had as far as it can. A split ends when a version of the loom is activated, with the loom, and in the archive. `metadata` is merged as JSON Merge Patch says (RFC 7396): names that are absent stay, null removes one.
   * API keys need `agents:write`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/conflict`, `svc/runtime/precondition_failed`
   */
  update(agentId: string, body?: UpdateAgentBody, options?: EditOptions): Call<Agent>;

  /**
   * Archive an agent.
   * It answers no more; `archived: false` by PATCH brings it back. Of an archived one nothing changes.
   * API keys need `agents:write`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/precondition_failed`
   */
  archive(agentId: string, options?: EditOptions): Call<void>;

  /**
   * Count what became of an agent's suggestions, by version.
   * Of runs that began in the last `days`; of the 100 newest versions.
   * API keys need `agents:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  getSuggestions(agentId: string, query?: GetAgentSuggestionsQuery, options?: CallOptions): Call<AgentSuggestions>;
}

export interface AgentRunsApi {
  /**
   * Have an agent answer now.
   * On a thread the agent answers the conversation so far; where the thread or the agent is paused, it makes a suggestion. A thread has one run at a time: 409 svc/runtime/conflict names the running one in details.agentRunId, and a waiting one is cancelled. It is also a conflict when the agent is archived or has no active loom version, and when the thread is not open.
   * API keys need `agents:run`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  create(agentId: string, body?: CreateAgentRunBody, options?: CallOptions): Call<AgentRun>;

  /**
   * List runs, newest first.
   * Traces omit steps; read a single run for them. A page scans a bounded number of items: with filters that match few of them it may be short, or empty, while hasMore is true. Nothing is left out: nextCursor continues from there.
   * API keys need `agents:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  list(query?: ListAgentRunsQuery, options?: CallOptions): Listing<AgentRun>;

  /**
   * Read a run with its whole trace.
   * API keys need `agents:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  get(agentRunId: string, options?: CallOptions): Call<AgentRun>;

  /**
   * Cancel a run and stop its work.
   * A run that has ended or answered is a conflict.
   * API keys need `agents:run`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  cancel(agentRunId: string, body?: CancelAgentRunBody, options?: CallOptions): Call<AgentRun>;

  /**
   * Approve or discard the suggestion of a run.
   * Approving sends it as the caller's message, with the text of `body` if there is one; a text over the message limit is 422. Of two simultaneous requests one wins; the other, and any that comes after a newer message, gets svc/agent_runs/suggestion_already_resolved. While the service window is closed, the suggestion stays pending.
   * API keys need `agents:run` and `messages:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/agent_runs/suggestion_already_resolved`, `svc/runtime/conflict`, `svc/chatapp/template_required`
   */
  resolveSuggestion(agentRunId: string, body: ResolveSuggestionBody, options?: CallOptions): Call<AgentRun>;

  /**
   * Approve or refuse a tool call that waits for approval.
   * Calls of a tool with `requiresApproval` wait in `trace.steps` with the status `awaiting_approval`, for a day at most. An approved call is made; of a refused one the model is told, with the `reason`. A call that waits no more is a conflict.
   * API keys need `agents:run` and `tools:execute`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  resolveToolCall(agentRunId: string, body: ResolveToolCallBody, options?: CallOptions): Call<AgentRun>;
}

export interface StitchesApi {
  /**
   * List stitches.
   * API keys need `webhooks:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  list(query?: ListStitchesQuery, options?: CallOptions): Listing<Stitch>;

  /**
   * Create a stitch; only this answer contains its secret.
   * API keys need `webhooks:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  create(body: CreateStitchBody, options?: CallOptions): Call<StitchWithSecret>;

  /**
   * Read a stitch.
   * API keys need `webhooks:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  get(stitchId: string, options?: CallOptions): Call<Stitch>;

  /**
   * Change, disable, enable or restore a stitch.
   * A restored one gets the events from then on. Any other change of an archived stitch is a conflict. `metadata` is merged as JSON Merge Patch says (RFC 7396): names that are absent stay, null removes one.
   * API keys need `webhooks:write`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/conflict`, `svc/runtime/precondition_failed`
   */
  update(stitchId: string, body?: UpdateStitchBody, options?: EditOptions): Call<Stitch>;

  /**
   * Archive a stitch and cancel its deliveries.
   * `archived: false` by PATCH brings it back.
   * API keys need `webhooks:write`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/precondition_failed`
   */
  archive(stitchId: string, options?: EditOptions): Call<void>;

  /**
   * Read how a stitch is doing: its attempts by hour, and its backlog.
   * Hours are those of UTC, the current one included; hours without attempts are left out. Durations and percentiles are right to a tenth. The backlog is counted up to 10,000, and as far as 10,000 events of the log show it; `more` says that there may be more.
   * API keys need `webhooks:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  getStats(stitchId: string, query?: GetStitchStatsQuery, options?: CallOptions): Call<StitchStats>;

  /**
   * Rotate the secret of a stitch; the old one also signs until the grace period is over.
   * API keys need `webhooks:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  rotateSecret(stitchId: string, body?: RotateStitchSecretBody, options?: CallOptions): Call<StitchWithSecret>;

  /**
   * Send a test event to a stitch.
   * API keys need `webhooks:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  test(stitchId: string, body?: TestStitchBody, options?: CallOptions): Call<WebhookDelivery>;

  /**
   * Replay all deliveries of a stitch in a period, to itself or to another stitch.
   * API keys need `webhooks:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  replay(stitchId: string, body: ReplayStitchBody, options?: CallOptions): Call<ReplayAccepted>;
}

export interface DeliveriesApi {
  /**
   * List webhook deliveries, newest first.
   * A page scans a bounded number of items: with filters that match few of them it may be short, or empty, while hasMore is true. Nothing is left out: nextCursor continues from there.
   * API keys need `webhooks:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  list(query?: ListDeliveriesQuery, options?: CallOptions): Listing<WebhookDelivery>;

  /**
   * Read a webhook delivery.
   * API keys need `webhooks:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  get(deliveryId: string, options?: CallOptions): Call<WebhookDelivery>;

  /**
   * List a delivery's attempts by number.
   * API keys need `webhooks:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  listAttempts(deliveryId: string, query?: ListDeliveryAttemptsQuery, options?: CallOptions): Listing<DeliveryAttempt>;

  /**
   * Deliver the same bytes again, as a new delivery, to the same stitch or to another.
   * API keys need `webhooks:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`, `svc/runtime/conflict`
   */
  replay(deliveryId: string, body?: ReplayDeliveryBody, options?: CallOptions): Call<WebhookDelivery>;

  /**
   * Replay what has failed for good, of one stitch or of all.
   * Of each event that failed a stitch gets one new delivery, unless a replay has delivered it since, or still tries to. So the same request again does no harm. `GET /stitches/{stitchId}/stats` shows how far it is (`replays`). An archived stitch is left out.
   * API keys need `webhooks:write`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`, `svc/runtime/idempotency_conflict`
   */
  replayFailed(body?: ReplayFailedBody, options?: CallOptions): Call<FailedReplays>;
}

export interface EventsApi {
  /**
   * List events of the last 30 days, newest first.
   * A page scans a bounded number of items: with filters that match few of them it may be short, or empty, while hasMore is true. Nothing is left out: nextCursor continues from there.
   * API keys need `webhooks:read`.
   * @throws {ApiError} `svc/runtime/invalid_request`, `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  list(query?: ListEventsQuery, options?: CallOptions): Listing<SkeinEvent>;

  /**
   * Read an event.
   * API keys need `webhooks:read`.
   * @throws {ApiError} `svc/auth/email_not_verified`, `svc/runtime/not_found`
   */
  get(eventId: string, options?: CallOptions): Call<SkeinEvent>;

  /**
   * List all event names with the JSON Schema of their data.
   * Needs no credential.
   * @throws {ApiError} `svc/runtime/invalid_request`
   */
  listTypes(query?: ListEventTypesQuery, options?: CallOptions): Listing<EventType>;
}

export interface SystemApi {
  /**
   * Read how the service does: what is sick, nodes, shards, mailboxes, webhooks that lag.
   * For users whose verified e-mail address is in INSTANCE_ADMINS; for everybody else it does not exist (404). The node that is asked asks all others, which have a second to answer. Figures are those of `/metrics`, and faults those of the alerts, by their names and thresholds. It holds ids and numbers of all tenants, and nothing that they have written.
   * Not for API keys.
   * @throws {ApiError} `svc/runtime/not_found`
   */
  get(options?: CallOptions): Call<System>;
}

export interface ContractApi {
  /**
   * The machine-readable contract: OpenAPI 3.1.
   * Compressed where Accept-Encoding takes gzip.
   * Needs no credential.
   */
  get(options?: CallOptions): Call<Record<string, unknown>>;
}

/** Every resource of the API. */
export interface Resources {
  readonly auth: AuthApi;
  readonly sessions: SessionsApi;
  readonly account: AccountApi;
  readonly secondFactor: SecondFactorApi;
  readonly passkeys: PasskeysApi;
  readonly singleSignOn: SingleSignOnApi;
  readonly profile: ProfileApi;
  readonly caller: CallerApi;
  readonly workspaces: WorkspacesApi;
  readonly projects: ProjectsApi;
  readonly environments: EnvironmentsApi;
  readonly invitations: InvitationsApi;
  readonly members: MembersApi;
  readonly apiKeys: ApiKeysApi;
  readonly partnerApps: PartnerAppsApi;
  readonly auditLogs: AuditLogsApi;
  readonly usage: UsageApi;
  readonly budgets: BudgetsApi;
  readonly channels: ChannelsApi;
  readonly chatapp: ChatappApi;
  readonly threads: ThreadsApi;
  readonly notes: NotesApi;
  readonly console: ConsoleApi;
  readonly cannedReplies: CannedRepliesApi;
  readonly messages: MessagesApi;
  readonly attachments: AttachmentsApi;
  readonly byokCredentials: ByokCredentialsApi;
  readonly tools: ToolsApi;
  readonly looms: LoomsApi;
  readonly agents: AgentsApi;
  readonly agentRuns: AgentRunsApi;
  readonly stitches: StitchesApi;
  readonly deliveries: DeliveriesApi;
  readonly events: EventsApi;
  readonly system: SystemApi;
  readonly contract: ContractApi;
}
