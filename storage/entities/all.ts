/** The list of all entities, for the ORM. */
import { EmailToken, Session, StreamTicket, User } from './accounts.ts';
import { Agent, AgentRun, Budget, Loom, LoomVersion, Tool } from './agents.ts';
import {
  Channel,
  ChannelCommand,
  ChatappAlias,
  ChatappFile,
  ChatappSend,
  ChatappUpload,
  ChatappOpenWebhook,
  ChatappWebhook,
  ParkedReceipt,
} from './channels.ts';
import { ApiKey, AuditLog, ByokCredential, PartnerApp } from './credentials.ts';
import { Event, ProjectStream } from './events.ts';
import { DeadLetter, HashRoot, IdempotencyKey, Installation, CommitMarker, Reminder } from './machinery.ts';
import { Mail } from './mail.ts';
import { Stitch, WebhookAttempt, WebhookDelivery } from './stitches.ts';
import {
  ConsoleMember,
  Environment,
  Invitation,
  Project,
  ProjectMember,
  Workspace,
  WorkspaceMember,
} from './tenancy.ts';
import { Attachment, AttachmentTotal, Erasure, Message, ReadCursor, Thread, ThreadNote } from './threads.ts';
import { UsageDay, UsageMark, UsageRun } from './usage.ts';

export const entities = [
  User,
  Session,
  EmailToken,
  StreamTicket,
  Mail,
  Workspace,
  WorkspaceMember,
  Project,
  ProjectMember,
  ConsoleMember,
  Environment,
  Invitation,
  ApiKey,
  PartnerApp,
  ByokCredential,
  AuditLog,
  Thread,
  Message,
  ThreadNote,
  ReadCursor,
  Attachment,
  AttachmentTotal,
  Erasure,
  Channel,
  ChannelCommand,
  ParkedReceipt,
  ChatappAlias,
  ChatappFile,
  ChatappSend,
  ChatappUpload,
  ChatappOpenWebhook,
  ChatappWebhook,
  ProjectStream,
  Event,
  Stitch,
  WebhookDelivery,
  WebhookAttempt,
  Tool,
  Loom,
  LoomVersion,
  Agent,
  AgentRun,
  Budget,
  IdempotencyKey,
  Reminder,
  DeadLetter,
  CommitMarker,
  Installation,
  HashRoot,
  UsageDay,
  UsageMark,
  UsageRun,
];
