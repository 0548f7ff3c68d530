/**
 * Examples for schemas. A field's value is that of its place, else of its name where that fits the field's schema; else its type gives it.
 * The same schema always has the same example.
 */
import type { TSchema } from 'typebox';
import { idPattern, prefixes, type Resource } from '../ids.ts';
import { compile } from '../validate.ts';
import { apiVersion } from '../version.ts';

/** A JSON value, as the document consists of them. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** The part of JSON Schema that our schemas use. */
interface Schema {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
  readonly oneOf?: readonly TSchema[];
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly default?: Json;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly minLength?: number;
}

/** Invented, like every id in the document. */
const suffix = '01k9qz3s4bfm5s0m2f7v8q1x3c';

export function exampleId(resource: Resource): string {
  return `${prefixes[resource]}_${suffix}`;
}

const ids = new Map(
  (Object.keys(prefixes) as Resource[]).map(resource => [idPattern(resource), exampleId(resource)]),
);

const anEvent = {
  eventName: 'agent.handoff.requested',
  data: {
    environmentId: exampleId('environment'),
    threadId: exampleId('thread'),
    channelId: exampleId('channel'),
    sequence: 7,
    actor: { type: 'agent', id: exampleId('agent') },
    agentRunId: exampleId('run'),
    reason: 'The customer asks for a person.',
  },
};
const tool = { name: 'find_order', url: 'https://orders.acme.test/find', error: null };
const cannedReply = { shortcut: '/thanks', title: 'Thanks', body: 'Thank you, {{participant.name}}!' };
const keySecret = 'svc_test_9qz3s4bfm5s0m2f7v8q1x3c9qz3s4bfm5s0m2f7v8q1x';
const llmKey = 'sk-9qz3s4bfm5s0m2f7v8q1x3c';
const partnerApp = { name: 'Acme app', appId: '217398412345', appSecret: '9qz3s4bfm5s0m2f7v8q1x3c9qz3s4bfm' };

/** Values by place: a schema by its title, or an operation by its id. */
const valuesByPlace: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  Event: anEvent,
  // Its schema is an event with one more field, which linters take for an unknown one.
  ConsoleStreamEventList: { data: [] },
  Workspace: { name: 'Acme' },
  CreateWorkspaceBody: { name: 'Acme' },
  Project: { name: 'Web shop' },
  CreateProjectBody: { name: 'Web shop' },
  Environment: { name: 'Sandbox' },
  CreateEnvironmentBody: { name: 'Production' },
  WorkspaceInvitation: { studioRole: 'admin', acceptedAt: null },
  UpdateWorkspaceMemberBody: { role: 'admin' },
  ApiKey: { name: 'Shop server', expiresAt: null },
  CreateApiKeyBody: { name: 'Shop server' },
  CreatedApiKey: { name: 'Shop server', expiresAt: null, secret: keySecret },
  PartnerAppCredential: partnerApp,
  CreatePartnerAppBody: partnerApp,
  CreatedPartnerAppCredential: {
    ...partnerApp,
    verifyToken: 'V9qz3s4bfm5s0m2f7v8q1x3c',
    webhookUrl: 'https://api.acme.test/v1/channels/ch_REPLACE_WITH_CHANNEL_ID/chatapp/webhook',
  },
  RotatePartnerAppSecretBody: partnerApp,
  'listAuditLogs exportAuditLogs': { actorId: exampleId('user'), targetId: exampleId('stitch') },
  ChatappStatus: { webhookUrl: `https://api.acme.test/v1/channels/${exampleId('channel')}/chatapp/webhook` },
  ConnectChatappBody: { accessToken: 'EAAG9qz3s4bfm5s0m2f7v8q1x3c' },
  ChatappTemplate: { id: '594425479261596', name: 'order_sent', status: 'APPROVED', category: 'UTILITY' },
  listChatappTemplates: { name: 'order_sent', status: 'APPROVED', category: 'UTILITY' },
  TemplateContent: { name: 'order_sent' },
  'ChatappReadiness.checks': { id: 'token_valid', label: 'The access token is valid.' },
  Message: {
    direction: 'outbound',
    body: 'It is on its way.',
    actor: { type: 'user', id: exampleId('user') },
  },
  AgentRun: { errorCode: null, errorMessage: null },
  ThreadMatch: { field: 'message', snippet: 'Where is my order?', highlights: [[12, 17]] },
  Participant: { displayName: 'Ada Lovelace' },
  ParticipantInput: { displayName: 'Ada Lovelace' },
  Profile: { displayName: 'Ada Lovelace', language: 'en', timeZone: 'Europe/London' },
  UpdateProfileBody: { displayName: 'Ada Lovelace', language: 'en', timeZone: 'Europe/London' },
  ListedProjectMember: { displayName: 'Ada Lovelace' },
  ListedConsoleMember: { displayName: 'Ada Lovelace' },
  WorkspaceMember: { displayName: 'Ada Lovelace' },
  CannedReply: cannedReply,
  CreateCannedReplyBody: cannedReply,
  UpdateCannedReplyBody: cannedReply,
  listCannedReplies: { q: '/tha' },
  BulkBody: {
    action: 'addTags',
    tags: ['refund'],
    userId: null,
    agentMode: null,
    expectedSequences: { [exampleId('thread')]: 7 },
  },
  BulkResult: { status: 'done', error: null },
  BulkError: { error: 'svc/runtime/not_found', message: 'Not found.' },
  ThreadNote: { body: 'Has called twice.' },
  CreateNoteBody: { body: 'Has called twice.' },
  UpdateNoteBody: { body: 'Has called twice, and is angry.' },
  ResolveSuggestionBody: { body: 'It is on its way.', expectedSequence: 7 },
  Suggestion: { status: 'approved', body: 'It is on its way.' },
  TracedStep: { output: '', finishReason: 'tool-calls' },
  TracedCall: { ...tool, callId: `${exampleId('run')}.1.1`, status: 'succeeded', httpStatus: 200 },
  MessageDryRun: { allowed: true, reason: null },
  EventType: { description: 'An inbound message was received on a thread.' },
  ByokCredential: { displayName: 'Our key' },
  CreateByokCredentialBody: { displayName: 'Our key', secret: llmKey },
  UpdateByokCredentialBody: { displayName: 'Our key' },
  RotateByokCredentialBody: { secret: llmKey },
  Tool: tool,
  CreateToolBody: tool,
  CreatedTool: { ...tool, signingSecret: 'V9qz3s4bfm5s0m2f7v8q1x3c9qz3s4bfm5s0m2f7v8q' },
  UpdateToolBody: tool,
  ToolTest: { status: 'succeeded', error: null },
  Loom: { name: 'Orders' },
  CreateLoomBody: { name: 'Orders' },
  UpdateLoomBody: { name: 'Orders' },
  Stitch: { name: 'To our shop' },
  CreateStitchBody: { name: 'To our shop' },
  UpdateStitchBody: { name: 'To our shop' },
};

/** Values by the name of the field; those that do not fit the field's schema are skipped. */
const valuesByName: Readonly<Record<string, readonly Json[]>> = {
  deadLetterId: ['4711'],
  body: ['Hello! Where is my order?'],
  name: ['Support'],
  displayName: ['Support'],
  workspaceName: ['Acme'],
  email: ['ada@acme.test'],
  password: ['correct horse battery staple'],
  token: ['pV3nS0m2f7v8q1x3c9qz3s4bfm5'],
  cursor: ['eyJ2IjoxfQ'],
  ticket: ['tkt_pV3nS0m2f7v8q1x3c9qz3s4bfm5'],
  accessToken: ['eyJhbGciOiJFZERTQSJ9.eyJ0eXBlIjoic3R1ZGlvIn0.c2lnbmF0dXJl'],
  expiresIn: [900],
  secret: ['whsec_pV3nS0m2f7v8q1x3c9qz3s4bfm5pV3nS0m2f7v8q'],
  keyPrefix: ['svc_test_9qz3'],
  externalRef: ['customer-4711'],
  externalThreadRef: ['conversation-42'],
  externalParticipantRef: ['customer-4711'],
  externalMessageId: ['provider-8f2c'],
  webhookUrl: ['https://hooks.acme.test/skein'],
  url: ['https://media.acme.test/receipt.pdf'],
  uploadUrl: ['https://media.acme.test/upload'],
  eventName: ['thread.message.received'],
  eventNames: [['thread.message.*']],
  apiVersion: [apiVersion],
  tags: [['vip']],
  tag: ['vip'],
  customFields: [{ plan: 'pro', seats: 12 }],
  metadata: [{ orderId: 'A-1001' }],
  kind: ['custom', 'document'],
  mimeType: ['application/pdf'],
  filename: ['receipt.pdf'],
  sizeBytes: [48_213],
  scopes: [['threads:read', 'threads:write', 'messages:read', 'messages:write']],
  requestId: [exampleId('request')],
  docsUrl: ['https://api.acme.test/docs/errors'],
  status: ['open', 'active', 'connected', 'delivered', 'succeeded'],
  direction: ['inbound'],
  sequence: [7],
  seq: [1_024],
  attemptCount: [1],
  durationMs: [84],
  responseStatus: [204],
  responseBody: [''],
  lastError: [null],
  nextCursor: [null],
  hasMore: [false],
  archivedAt: [null],
  revokedAt: [null],
  nextAttemptAt: [null],
  rotationGraceExpiresAt: [null],
  lastUsedIp: ['203.0.113.7'],
  errorClass: [null],
  gracePeriodSeconds: [3_600],
  model: ['model-1'],
  systemPrompt: ['You answer questions about orders, briefly and kindly.'],
  reason: [null],
  attributes: [{ plan: 'pro' }],
  locale: ['en-GB'],
  emoji: ['👍'],
  phone: ['+15550100100'],
  keyFingerprint: ['5f8d0c2b3a4e'],
  callId: [`${exampleId('run')}.1.1`],
  rules: [['Never promise a refund.']],
  modelAllowlist: [['model-1']],
  description: ['Finds an order by its number.'],
  inputSchema: [{ type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] }],
  arguments: [{ orderId: 'A-1001' }],
  toolCallId: [`${exampleId('run')}.1.1`],
  result: [{ status: 'on its way' }],
  httpStatus: [200],
  temperature: [0.2],
  maxTokens: [1_000],
  wabaId: ['102290129340398'],
  phoneNumberId: ['106540352242922'],
  displayPhoneNumber: ['+1 555 010 0100'],
  verifiedName: ['Acme'],
  pin: ['123456'],
  templateName: ['order_sent'],
  language: ['en_US'],
  'hub.mode': ['subscribe'],
  'hub.challenge': ['1158201444'],
  'hub.verify_token': ['the token that was shown once'],
  perRunMicros: [50_000],
  perThreadMicros: [500_000],
  perProjectDayMicros: [20_000_000],
};

/** The optional fields in the example of a schema; for a schema that is not listed, all of them. */
const shownFields: Readonly<Record<string, readonly string[]>> = {
  CreateMessageBody: ['body'],
  InboundMessageBody: ['externalParticipantRef'],
  ReceiptBody: ['messageId'],
  SimulateBody: ['externalParticipantRef', 'body'],
  UpdateThreadBody: ['status', 'tags'],
  UpdateChannelBody: ['name'],
  SendTemplateBody: ['components'],
  ConnectChatappBody: ['accessToken', 'partnerAppCredentialId'],
  UpdateStitchBody: ['status'],
  CreateStitchBody: ['eventNames'],
  ReplayDeliveryBody: [],
  ReplayStitchBody: ['until'],
  TestStitchBody: [],
  CreateApiKeyBody: [],
  ResolveToolCallBody: [],
  CreateToolBody: ['method', 'description', 'inputSchema'],
  UpdateToolBody: ['status'],
  UpdateByokCredentialBody: ['modelAllowlist'],
  CreateLoomBody: ['rules', 'toolIds'],
  UpdateLoomBody: ['name'],
  CreateLoomVersionBody: ['rules', 'toolIds'],
  CreateAgentBody: ['loomId'],
  UpdateAgentBody: ['mode'],
  TracedCall: [],
  RunTrace: [],
  Message: ['externalMessageId', 'status', 'sequence', 'environmentId', 'channelId', 'actor'],
  AttachmentInput: ['url', 'mimeType', 'filename', 'sizeBytes'],
  MessageAttachment: ['url', 'mimeType', 'filename', 'sizeBytes'],
};

const hasType = (schema: Schema, type: string): boolean =>
  schema.type === type || (Array.isArray(schema.type) && schema.type.includes(type));

/**
 * An example of the schema.
 *
 * @param name the name of the field that holds it
 * @param place where the field is: a schema by its title, or an operation by its id
 */
export function createExample(schema: TSchema, name = '', place = ''): Json {
  const here = Object.hasOwn(valuesByPlace, place) ? valuesByPlace[place]?.[name] : undefined;
  const named = Object.hasOwn(valuesByName, name) ? valuesByName[name] : undefined;
  const values = [...(here === undefined ? [] : [here]), ...(named ?? [])];
  const fitting = values.find(value => compile(schema)(value, '') === undefined);
  return fitting === undefined ? createByType(schema, name === '' ? place : `${place}.${name}`) : fitting;
}

function createByType(given: TSchema, place: string): Json {
  const schema = given as Schema;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0] ?? null;
  const first = (schema.anyOf ?? schema.oneOf)?.[0];
  if (first !== undefined) return createExample(first);
  if (hasType(schema, 'object')) return createObject(schema, place);
  if (hasType(schema, 'array'))
    return schema.items === undefined ? [] : [createExample(schema.items, '', place)];
  if (hasType(schema, 'boolean')) return schema.default ?? true;
  if (hasType(schema, 'integer') || hasType(schema, 'number')) return schema.default ?? schema.minimum ?? 1;
  if (hasType(schema, 'string')) return createText(schema);
  return null;
}

function createObject(
  { title, properties = {}, required = [], default: fallback }: Schema,
  at: string,
): Json {
  const place = title ?? at;
  const wanted = Object.hasOwn(shownFields, place) ? shownFields[place] : undefined;
  const fields = Object.entries(properties).filter(
    ([name]) => required.includes(name) || wanted === undefined || wanted.includes(name),
  );
  if (fields.length === 0) return fallback ?? {};
  return Object.fromEntries(fields.map(([name, field]) => [name, createExample(field, name, place)]));
}

function createText({ pattern = '', format, minLength = 0 }: Schema): Json {
  const id = ids.get(pattern);
  if (id !== undefined) return id;
  switch (format) {
    case 'date-time':
      return '2026-11-03T12:00:00.000Z';
    case 'date':
      return '2026-11-03';
    case 'email':
      return 'ada@acme.test';
    case 'uri':
      return 'https://acme.test/';
    default:
      return 'text'.padEnd(minLength, '-');
  }
}
