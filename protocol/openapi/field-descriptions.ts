/**
 * Descriptions of fields and parameters for the document. A place is a schema by its title (`Thread`), an object within one
 * (`TracedCall.approval`), the data of events (`Event.data`), or an operation by its id, for parameters.
 */

/** Of the fields that mean the same wherever they occur, and have the same type there. */
export const commonDescriptions: Readonly<Record<string, string>> = {
  cursor: '`nextCursor` of the previous page. Opaque; valid only for the same list with the same filters.',
  limit: 'The maximum number of items on a page.',
  nextCursor: 'Where the next page begins; null on the last one.',
  hasMore: 'Whether there is a next page.',
  projectId: 'The project.',
  environmentId: 'The environment.',
  workspaceId: 'The workspace.',
  metadata: 'Your own JSON object, stored as it is.',
  customFields: 'Your own fields, with scalar values.',
  tags: 'Your own labels, to find threads by.',
  externalRef: 'Your name for the participant. A channel has one thread for each.',
  externalThreadRef: 'Your name for the conversation.',
  externalParticipantRef: 'Your name for the participant.',
  externalMessageId: "The channel provider's id of the message.",
  afterSequence: 'Messages after this number of the thread.',
  beforeSequence: 'Messages before this number of the thread.',
  afterSeq: "Events after this number of the project's stream.",
  since: 'From this instant on.',
  until: 'Up to this instant.',
  groupBy: 'How usage is grouped.',
  dryRun: 'Check whether the message would be allowed, without sending it.',
  eventName: 'Three dotted words: `thread.message.received`.',
  eventNames: 'Names and patterns (`thread.*`); none: all events.',
  occurredAt: 'When it happened.',
  apiVersion: 'The version of the contract when the event was created.',
  status: 'The current status.',
  direction: 'inbound: from the participant. outbound: to the participant.',
  expiresIn: 'Lifetime in seconds.',
  gracePeriodSeconds: 'How long the old secret keeps working, in seconds.',
  scopes: 'What the key may do; `*` allows everything that a key can do.',
  environment: 'test: the sandbox. live: production.',
  keyPrefix: 'The first characters of the secret, to recognise it by.',
  expiresAt: 'When it expires.',
  lastUsedAt: 'When it was last used, to the minute or so.',
  avatarColor: 'The name of a colour; null: the client chooses one.',
  createdAt: 'When it was created.',
  updatedAt: 'When it last changed.',
  archivedAt: 'When it was archived; null: not archived.',
  revokedAt: 'When it was revoked; null: not revoked.',
  acceptedAt: 'When it was accepted; null: not yet.',
  role: 'What the user may do.',
  studioRole: 'The role in the workspace after acceptance.',
  consoleRole: 'The role in the Console of its projects after acceptance.',
  docsUrl: 'Where the error is explained.',
  forwarded: 'The participant has passed it on: once, or a message that was passed on often.',
  referral: 'The advertisement or post by which the participant came.',
  locale: 'A language, and a region if there is one (BCP 47): `pt-BR`.',
  pendingUntil: 'Until when a message of yours has to be delivered for it to open.',
  openedAt: 'When it opened.',
  emoji: 'The reaction; null: it was taken back.',
  caption: 'The text below the file.',
  voice: 'Recorded by the participant, and not a file.',
  preview: 'Whether the first address in the text is shown with a preview.',
  clickId: "The provider's id of the click.",
  providerType: "The provider's word for it.",
  serviceWindow: 'Whether free-form messages may be sent now, and until when.',
  defaultAgentId: 'The agent of threads that have no agent of their own.',
  targetStitchId: 'Another stitch to deliver to. Default: the same.',
  statuses: 'Deliveries in these states; none: all.',
  provider:
    'llm_provider_1 uses the wire format of OpenAI, llm_provider_2 of Anthropic, llm_provider_3 of Google Gemini.',
  model: 'The name that the provider uses.',
  modelAllowlist: 'Models that the key may be used for; none: all.',
  keyFingerprint: 'Distinguishes secrets without revealing them.',
  mode: 'auto: answers by itself. suggest: people approve first. paused: does not answer.',
  toolIds: 'The tools that the model may call.',
  rules: 'Instructions for the model, in addition to the prompt.',
  activate: 'Whether it becomes the active version at once.',
  activeVersionId: 'The version that new runs use.',
  headers:
    'Sent with every request to the tool. Values are shown as `[redacted]`; a value that you send back so stays unchanged.',
  inputSchema:
    'The arguments that the model passes: a JSON Schema of type object, at most 32 KiB, without external references.',
  signingSecret: 'The key of `Service-Signature`. Shown in this answer and never again.',
  timeoutMs: 'How long one attempt may take, in milliseconds.',
  retryMaxAttempts: 'Attempts in all, each with the same `Idempotency-Key`.',
  retryBackoffMs:
    'The wait before the second attempt, in milliseconds; twice as long before each further one.',
  requiresApproval: 'Whether each call that a model wants waits until a person approves it.',
  toolCallId: 'The `callId` of a call in `trace.steps` whose status is `awaiting_approval`.',
  archived: 'false: back from the archive.',
  perRunMicros: 'What one run may cost, in millionths of a US dollar; null: no limit.',
  perThreadMicros:
    'What all runs of one thread may cost together, in millionths of a US dollar; null: no limit.',
  perProjectDayMicros:
    'What the runs of one day (UTC) may cost together, in millionths of a US dollar; null: no limit.',
  onExceeded: 'The mode that a thread changes to when a budget is exceeded.',
  wabaId: 'The business account at the chat provider.',
  phoneNumberId: "The chat provider's id of the phone number.",
  displayPhoneNumber: 'The phone number as the chat provider writes it.',
  verifiedName: 'The name that participants see.',
  tokenExpiresAt: 'When the access token expires; null: never, or the channel is not connected.',
  connectedAt: 'When the channel was connected; null: it is not.',
  redirectUri: 'Of the dialog that gave the code, if it had one: the very same.',
  pin: 'Of two-step verification, where the number has one. Six digits.',
  templateName: 'Of a template of the business account.',
  language: "The provider's code of the template's language.",
  'hub.mode': '`subscribe`',
  'hub.challenge': 'What the answer has to be.',
  'hub.verify_token': 'What the chat provider was told to say.',
  ticket: 'From `createStreamTicket`: works once, within 30 seconds.',
};

const ownEnvironment =
  "The environment: an API key's own; the project's sandbox for Studio users who name none.";
const inTheThread = 'Number of the event in its thread, from 1, without gaps.';
const merged = 'Merged into what is there; null removes a name (RFC 7396).';
const forPeople = 'A name for people to read.';
const agentMode =
  'auto: agents answer by themselves. suggest: people approve first. paused: agents do not answer. null: the mode of the agent.';

/** Of the fields of single places; several that share them are written in one key. */
export const placeDescriptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // Errors, lists and events
  ErrorBody: {
    error: 'The code, `svc/<area>/<reason>`. Codes are stable.',
    message: 'For people. Programs should use the code and not parse this text.',
    requestId: 'Identifies the request: quote it when you ask for help. Also in the header X-Request-Id.',
    details: 'What to correct, if anything: validation errors list `issues`.',
  },
  List: { data: 'The items of the page.' },
  'Event ChannelCommand': { eventId: 'The event. Deduplicate by it.' },
  'Event.data TimelineEvent': { sequence: inTheThread },
  'Event.data': {
    actor: 'Who did it.',
    test: 'Invented: somebody asked for it to try a stitch, and nothing has happened.',
    reportedBy: 'Who posted it over the API.',
    occurredAt: 'When it happened, by the provider.',
    failedSends: 'How many messages of the thread have failed by now, where this event has changed it.',
    limitMicros: 'The budget, in millionths of a US dollar.',
    spentMicros: 'What has been spent, in millionths of a US dollar.',
    fallsTo: 'The mode that the thread changes to.',
    isDefault: "The environment's budgets were never set: the limit is the service's default.",
  },
  'TimelineEvent WebhookDelivery TimelineDelivery getEvent acknowledgeChannelCommand': {
    eventId: 'The event.',
  },
  TimelineDelivery: { stitchName: 'What the stitch is called; null: that is not known any more.' },
  TimelineEvent: { reportedAt: 'When it happened, by the provider.' },
  EventType: {
    description: 'When it is emitted.',
    ephemeral: 'On the Console stream alone: neither kept nor delivered to stitches.',
    data: "JSON Schema of the event's `data`.",
  },
  ChannelCommand: { data: 'What the channel has to do.' },
  'listEvents listThreadEvents': { eventName: 'A name, or a pattern: `thread.message.*`, `thread.*`.' },
  listDeliveries: { eventId: 'Deliveries of this event.', status: 'Deliveries in this state.' },
  TestStitchBody: { eventName: 'The event that a sample is sent of. Default: stitch.test.ping.' },

  PersonalDataRecord: {
    kind: 'Which of the following fields is there.',
    thread: 'The thread with its participant, tags and custom fields.',
    message: 'What the participant wrote, or was written.',
    note: 'What operators wrote to each other.',
    agentRun: 'What an agent did on the thread.',
  },

  // People and tenants
  'SignUpBody ResetPasswordBody': { password: 'The new password: 8 to 256 characters.' },
  AcceptInvitationBody: {
    password: 'Of the account that the address has, or for its new one: 8 to 256 characters.',
  },
  'ChangePasswordBody ChangeEmailBody ConfirmEmailBody DeleteAccountBody SecondFactorBody PasswordAndCodeBody BeginPasskeyBody RemovePasskeyBody':
    {
      password: 'The present password of the account.',
    },
  ChangePasswordBody: { newPassword: '8 to 256 characters.' },
  ChangeEmailBody: { newEmail: 'A link is mailed there.' },
  Session: {
    current: 'Whether it is the session of this request.',
    device: 'What its user agent says of it, roughly.',
    userAgent: 'As the client sent it when it signed in; null: it sent none.',
    address: 'Where it signed in from.',
    createdAt: 'When it signed in.',
    lastUsedAt: 'When it was last used, to about 15 minutes.',
    expiresAt: 'When it ends, unless it is used before.',
  },
  SessionDevice: {
    browser: 'The browser or program; null: unknown.',
    system: 'The operating system; null: unknown.',
  },
  SecondFactor: {
    enabled: 'Whether there is an authenticator app, whose codes a login takes.',
    since: 'When the app was set up; null: there is none.',
    passkeys: 'How many passkeys there are, each of which a login takes in the place of a code.',
    recoveryCodesLeft: 'Recovery codes that were not used yet.',
  },
  SecondFactorEnrolment: {
    secret: 'For the authenticator app, in base32. Shown once.',
    uri: 'The same as an address (otpauth), for a QR code.',
  },
  RecoveryCodes: { recoveryCodes: 'Each stands for a code, once. Shown once.' },
  'Passkey CreatePasskeyBody UpdatePasskeyBody': {
    name: 'By which its user knows it: a device, or a keychain.',
  },
  Passkey: {
    backedUp: 'Whether the keychain that has it keeps copies, on other devices of the user.',
    lastUsedAt: 'When it signed in the last time; null: never.',
  },
  AddedPasskey: {
    recoveryCodes: 'Each stands for a code, once. Shown once; empty where the user has some left.',
  },
  SingleSignOn: {
    redirectUri: 'What the provider has to know as the address that it leads back to.',
    domains: 'Whose addresses sign in by the provider.',
  },
  'SingleSignOn SetSingleSignOnBody': {
    issuer: 'The provider, by the address at which it describes itself (OpenID Connect Discovery).',
    clientId: 'As the provider has given it out.',
  },
  SetSingleSignOnBody: {
    clientSecret: 'As the provider has given it out. Shown to nobody; absent: it stays.',
  },
  'SsoDomain AddSsoDomainBody': { domain: 'As it is after the @ of its addresses.' },
  SsoDomain: {
    record: 'What the DNS of the domain has to have.',
    provenAt: 'When the record was found; null: nobody signs in by it yet.',
  },
  'SsoDomain UpdateSsoDomainBody': {
    required: 'Whether its addresses sign in by the provider alone, but for owners of the workspace.',
  },
  DnsRecord: { name: 'Where the record is.', value: 'What it says.' },
  BeginSingleSignOnBody: { email: 'Whose domain says which provider it is.' },
  StartedSingleSignOn: {
    flow: 'Names the sign-in. Stays in the browser that began it.',
    url: 'Where to send the browser.',
  },
  FinishSingleSignOnBody: {
    flow: 'From the answer that began the sign-in.',
    code: 'As the provider has sent it back.',
    state: 'As the provider has sent it back.',
    issuer: 'The parameter iss, where the provider has sent one.',
  },
  PasskeyOptions: { options: 'For the browser, in the JSON form of WebAuthn.' },
  CreatePasskeyBody: { response: 'RegistrationResponseJSON of WebAuthn, from the browser.' },
  PasskeyLoginBody: { response: 'AuthenticationResponseJSON of WebAuthn, from the browser.' },
  'PasskeyLoginOptionsBody PasskeyLoginBody': {
    challenge: '`details.challenge` of the answer to the password; absent: the passkey signs in alone.',
  },
  'SecondFactorCodeBody PasswordAndCodeBody SecondFactorLoginBody': {
    code: 'What the authenticator app shows, or a recovery code.',
  },
  SecondFactorLoginBody: { challenge: '`details.challenge` of the answer to the password.' },
  'Workspace UpdateWorkspaceBody': { requiresSecondFactor: 'Whether its members need a second factor.' },
  EndedSessions: { ended: 'How many sessions have ended.' },
  'VerifyEmailBody ResetPasswordBody AcceptInvitationBody ConfirmEmailBody': {
    token: 'From the link that was mailed. Works once.',
  },
  'Profile UpdateProfileBody': {
    displayName: 'How others see you.',
    notifications: 'How the Console tells you that something has happened.',
    theme: 'auto: as the device has it.',
    language: 'The language of the Console (BCP 47); null: that of the browser.',
    timeZone: 'By its name; null: that of the browser.',
  },
  UpdateProfileBody: {
    savedFilters:
      'By project and name: each that is named is replaced as a whole, or removed by null; the others stay.',
  },
  'SavedFilter SavedFilterInput': {
    queue: 'One of those that GET /console/projects/{projectId}/queues counts.',
    filters: 'What the queue is narrowed down to: filters of GET /threads.',
  },
  Profile: {
    savedFilters: 'Queues that you have narrowed down and kept: by project, then by name.',
    email: 'Your e-mail address.',
  },
  'ListedConsoleMember ListedProjectMember WorkspaceMember': { displayName: 'How others see the user.' },
  WorkspaceMember: {
    projectRoles:
      'The roles of the member in single projects of the workspace, by the age of the project, 100 at most.',
  },
  'CannedReply CreateCannedReplyBody UpdateCannedReplyBody': {
    shortcut: 'What an operator types for it: `/thanks`. Unique in the project.',
    title: 'For people.',
    body: 'The text, with placeholders that clients fill in.',
  },
  CannedReply: {
    createdByUserId: 'Who made it.',
    updatedByUserId: 'Who changed it last.',
  },
  listCannedReplies: { q: 'How the shortcut, with its slash or without, or the title begins.' },
  BulkBody: {
    threadIds: 'Which ones, each once.',
    action: 'What is done to each.',
    tags: 'For `addTags` and `removeTags`.',
    userId: 'For `assign`; null releases.',
    agentMode: 'For `setAgentMode`; null: that of the agent.',
    expectedSequences:
      "By thread, the thread's last number that you have seen: a thread whose participant has written since stays as it was, with a conflict as its result. Those that are not named are changed in any case. Not for `assign`.",
  },
  BulkResult: {
    threadId: 'The thread.',
    status: '`done`, also where nothing was to change; `failed`: it stayed as it was.',
    error: 'Why it failed.',
  },
  BulkError: {
    error: 'The code, as of the operation for one thread.',
    message: 'For people.',
    details: 'What to correct, if anything.',
  },
  BulkResults: { results: 'One for each thread, in the order of the request.' },
  TokenResponse: { accessToken: 'For `Authorization: Bearer`.' },
  Project: { assignment: 'How threads that wait are assigned by themselves.' },
  UpdateProjectBody: {
    assignment: 'How threads that wait are assigned by themselves; what is absent stays.',
  },
  'ProjectAssignment AssignmentInput': {
    mode: '`roundRobin`: in turn to operators who are online and have room; `off`: not at all.',
    maxOpenThreads: 'So many open threads an operator has at most when they are given another.',
  },
  'Workspace CreateWorkspaceBody UpdateWorkspaceBody Project CreateProjectBody UpdateProjectBody': {
    name: forPeople,
  },
  'Environment CreateEnvironmentBody UpdateEnvironmentBody UpdateApiKeyBody': { name: forPeople },
  'ApiKey CreateApiKeyBody CreatedApiKey PartnerAppCredential CreatePartnerAppBody CreatedPartnerAppCredential':
    { name: forPeople },
  'ApiKey CreateApiKeyBody CreatedApiKey': { expiresAt: 'When it expires; null: never.' },
  'CreatedApiKey StitchWithSecret': { secret: 'Shown in this answer and never again.' },
  'PartnerAppCredential CreatedPartnerAppCredential': { partnerAppCredentialId: 'The partner app.' },
  CreatedPartnerAppCredential: {
    webhookUrl: 'For the settings of the app: where the chat provider posts to, once it names the channel.',
    verifyToken: 'For the settings of the app. Shown in this answer and never again.',
  },
  AuditLog: {
    requestId: 'The request that did it; null: none did.',
    environmentId: 'The environment; null: it belongs to none.',
    targetId: 'What it was done to.',
    details: 'What was changed, where there is something to say.',
    address:
      "The client's IP address; null: there was no request, or a member did it to their own account, which is not of this workspace alone.",
  },
  'listAgents listLooms listStitches': { archived: 'true: those that are archived, instead of the others.' },
  'listAuditLogs exportAuditLogs': {
    action: 'What was done: `<resource>.<verb>`.',
    actorId: 'The user or API key that did it.',
    targetId: 'What it was done to.',
  },
  ModelPrice: {
    model: 'As the price list has it; of models in use, as the loom has it.',
    inputMicros:
      'For a million tokens of input, in millionths of a US dollar; null: the list does not have the model.',
    outputMicros: 'For a million tokens of output.',
    cacheReadMicros:
      'For a million tokens of input that the provider has kept from before; null: as other input.',
    cacheWriteMicros: 'For a million tokens of input that the provider keeps; null: as other input.',
    longFromTokens: 'Requests with more tokens than this cost the `long` prices; null: all cost the same.',
    longInputMicros: 'The same of long requests; null: as others.',
    longOutputMicros: 'The same of long requests; null: as others.',
    asOf: 'The day of the price list.',
    source: 'Where the provider publishes its prices.',
  },
  listModelPrices: {
    model: 'A part of the name of a model, or its name as a loom has it.',
    inUse: 'true: those that the active versions of looms name, also where the list does not have them.',
  },
  listUsage: {
    from: 'The first day, in UTC. Default: 30 days ago.',
    to: 'The last day, in UTC. Default: today.',
  },
  'SetBudgetsBody CreateAttachmentBody CreateByokCredentialBody CreateToolBody CreateLoomBody CreateAgentBody CreateStitchBody':
    { environmentId: ownEnvironment },
  'listUsage listModelPrices getBudgets listChannels listThreads listByokCredentials listTools listLooms listAgents listAgentRuns listStitches listDeliveries listEvents findMessages':
    { environmentId: ownEnvironment },

  Caller: {
    type: 'api_key: a key of a project. access_token: a signed-in user. service_token: an internal service.',
    projectId: 'The project that an API key is bound to; null: the credential is bound to none.',
    environmentId: 'The environment that an API key is bound to; null: the credential is bound to none.',
    environmentKind: 'Of the environment.',
    scopes: 'What an API key may do; null: what the roles of the user allow, or everything that gRPC has.',
    expiresAt: 'When the credential stops working; null: not by itself.',
    apiKey: 'The API key; null: it is none.',
    user: 'Who is signed in; null: nobody.',
    workspaces: 'The workspaces of which the user is a member, 100 at most; null: nobody is signed in.',
    service: 'The name of the internal service; null: it is none.',
  },
  'CallerApiKey CallerWorkspace': { name: forPeople },

  // Channels
  'Channel CreateChannelBody UpdateChannelBody': { name: forPeople },
  'MessageFailure MessageError': { message: 'What happened, in words.' },
  MessageFailure: { code: "The channel's code for it." },
  'ReceiptBody SimulateBody': { error: 'Why it failed.' },
  ReceiptBody: { status: 'What became of the message.' },
  ConnectChatappBody: {
    code: 'From the embedded sign-up. Lives 30 seconds, and works once.',
    accessToken: "The app's token for the business account. Never shown.",
  },
  'ConnectChatappBody ChatappStatus': {
    partnerAppCredentialId: "The partner app; none: the service's own app.",
  },
  ChatappStatus: {
    error: 'Why the channel is in error; null: it is not.',
    webhookUrl: "Where the chat provider posts the number's events to.",
  },
  ChatappFailure: {
    step: 'The step of connecting that failed; null: the channel was connected.',
    code: "The chat provider's error code; null: it gave none.",
    message: 'What happened, in words.',
  },
  ChatappTemplate: {
    name: 'Its name at the chat provider. One name may have several languages.',
    status: "In the chat provider's words; only what is `APPROVED` can be sent.",
    components: 'Header, body, footer and buttons, as the chat provider defines them.',
  },
  listChatappTemplates: {
    name: 'Templates of this name.',
    status: "Templates in this status, in the chat provider's words.",
  },
  'SendTemplateBody TemplateContent': {
    components: 'What fills the parameters, as the chat provider defines it.',
  },
  SendTemplateBody: {
    to: "The number of the thread's participant, in any notation. May be left out.",
  },
  ChatappReadiness: { ok: 'Whether every check is.' },
  'ChatappReadiness.checks': {
    label: 'What is checked, for people.',
    reason: 'Why it failed, or what to look at.',
  },

  // Threads and messages
  Thread: {
    agentMode,
    assigneeUserId: 'The operator that the thread is assigned to; null: nobody.',
    sequence: "Number of the thread's last event.",
    readSequence: 'How far the requesting user has read. Only in reads with a Studio token.',
    participant: 'Who writes on the other side; null: nobody.',
    freeEntry: 'The time without charges by the provider after a referral; null: there was none.',
    snoozedUntil: 'Until when it is put away; null: it is not. A message of the participant wakes it sooner.',
    erasedAt:
      "When the participant's personal data was last erased; null: never. What came since is there, and the participant may have a name again.",
    unreadCount:
      'Messages of the participant that the requesting user has not read; 100: so many or more. Only in reads with a Studio token.',
    preview: 'The last message, in short; null: there is none. Not in events.',
    waitingSince: 'Since when the participant waits for an answer; null: for none.',
    pendingSuggestion: 'The run whose suggestion waits for an operator; null: none does.',
    failedSends: 'Messages that could not be sent, since the last one that was.',
    match: 'Where the words of a search were found. Only in the results of one.',
  },
  ThreadPreview: {
    text: 'The beginning of the text, in one line; a longer one ends in `…`. Empty: the message has no text.',
    contentType: 'The `type` of its `content`; null: it has none.',
    attachmentCount: 'How many files came with it.',
    at: 'When the message was stored.',
  },
  ThreadMatch: {
    field: 'What the words were found in.',
    messageId: 'The message that they were found in.',
    snippet: 'The text around them.',
    highlights: 'The words in `snippet`: start and end of each, in UTF-16 code units.',
    at: 'When the message was stored, or the thread was created.',
  },
  UpdateThreadBody: {
    agentMode,
    snoozedUntil: 'An instant in the future, at most a year ahead, for an open thread; null wakes it.',
    customFields: `Your own fields, with scalar values. ${merged}`,
    status: 'The new status.',
    agentId: 'The agent of the thread; null: that of its channel.',
    expectedSequence:
      "The thread's last number that you have seen: a conflict when the participant has written since. Then nothing is changed.",
  },
  listThreads: {
    tag: 'Threads with one of these tags.',
    status: 'Threads in one of these statuses.',
    agentMode: 'Threads with one of these modes of their own; `none`: with no mode of their own.',
    assigneeUserId: 'Threads that are assigned to one of these operators; `unassigned`: to nobody.',
    participantRef:
      'Threads with this participant: your name for them (`externalRef`), or any name that the chat provider has for them. A phone number may be written in any way.',
    updatedAfter: 'Threads that changed after this instant.',
    sort: 'What the list is ordered by.',
    order: 'desc: newest first. asc: oldest first.',
  },
  InboundMessageBody: {
    participant: 'What is known of the participant now. Fields that are absent stay.',
    hops: 'Automatic answers in a row that led to this message: `hops` of the channel command that it answers. Default: 0.',
  },
  'Participant ParticipantInput': { displayName: 'The name that the participant goes by.' },
  Participant: { attributes: 'What the provider or the owner of the channel knows of the participant.' },
  ParticipantInput: { attributes: 'Replaces those that are known.' },
  'ReadCursor ReadCursorBody': { sequence: 'The number in the thread up to which everything has been read.' },
  ServiceWindow: { expiresAt: 'When it closes; null: it is closed.' },
  Message: {
    sequence: 'Its place in the thread: the number of the event that created it.',
    attachments: 'Its files.',
    content: 'What the message holds beside its text. Absent: a plain text.',
    replyTo: 'The message that this one answers.',
    error: 'Why it failed; absent: it did not.',
    status: 'Of an outbound message; null: it does not leave over a channel.',
  },
  'CreateMessageBody InboundMessageBody SimulateBody': { attachments: 'At most ten files.' },
  CreateMessageBody: {
    content: 'What the message holds beside its text. Absent: a plain text.',
    replyTo: 'The message of the thread that this one answers.',
  },
  MessageDryRun: {
    reason: 'The code of the error that the message would cause; null: none.',
    message: 'The same in words.',
    maxTextLength: "How many code points a text may have on the thread's channel.",
    channelId:
      'The channel that the message would leave over; null: the thread has none, so the message would be kept and reach nobody.',
  },
  MessageError: {
    code: 'The code of the provider or of the channel, if it gave one.',
    details: '`outcome` is `unknown` where the provider gave no answer: the message may have been delivered.',
  },
  MessageAttachment: {
    status:
      'Of a file that the chat provider has: whether it is kept here by now. Absent: it came with the message.',
    reason: 'Why it failed.',
  },
  'LocationContent LocationContentInput': {
    name: 'What the place is called.',
    address: 'Where it is, in words.',
  },
  'ContactsContent.contacts ContactsContentInput.contacts': { name: "The contact's name." },
  TemplateContent: { name: 'Its name at the chat provider.' },
  InteractiveContent: {
    id: 'What the business has given to the choice; null: a form.',
    data: 'What was filled in.',
  },
  ReactionContent: { to: 'The message that it is a reaction to.' },
  SystemContent: {
    about: 'The message that was edited or deleted.',
    text: 'The new text of a message that was edited.',
  },
  findMessages: {
    messageId: 'The message. Needed, or `externalMessageId`.',
    externalMessageId: "The channel provider's id of the message. Needed, or `messageId`.",
  },
  listMessages: { order: "By the thread's numbers, ascending or descending." },

  // Agents
  'Loom CreateLoomBody UpdateLoomBody Agent CreateAgentBody UpdateAgentBody': { name: forPeople },
  'Tool CreateToolBody CreatedTool UpdateToolBody': {
    name: 'A name for people, and for the model.',
    description: 'Tells the model what the tool is for.',
  },
  'UpdateToolBody UpdateLoomBody UpdateLoomVersionBody': { status: 'The new status.' },
  ToolTest: {
    status: 'What became of the call.',
    httpStatus: 'The status of the answer; null: there was none.',
    result: 'What a model would be told, with secrets redacted.',
    error: 'Why it failed, in words; null: it did not.',
  },
  'ByokCredential updateByokCredential rotateByokCredential revokeByokCredential': {
    byokCredentialId: 'The LLM provider key.',
  },
  ChannelChange: {
    eventId: 'The event that tells the same. Events are kept for 30 days.',
    eventName: 'What happened.',
    status: 'The status from then on.',
    previousStatus: 'The status before; null: it stayed as it was.',
    error: 'Why the channel is in error; null: it is not.',
    tokenExpiresAt: 'When the access token expires, as it was known then; null: never, or there is none.',
    actor: 'Who did it; `system`: nobody has asked for it.',
  },
  LoomActivation: {
    number: 'From 1 in each loom, without gaps.',
    version: 'The number of the version that became active.',
    previousVersionId: 'The version that was active before; null: none was.',
    previousVersion: 'The number of the version that was active before; null: none was.',
    actor: 'Who activated it.',
    reason: 'Why, if that was said.',
    createdAt: 'When it became active.',
  },
  'ActivateLoomVersionBody CreateLoomVersionBody': { reason: 'Why it is activated: kept in the history.' },
  ActivateLoomVersionBody: {
    expectedActiveVersionId:
      'The version that you take for the active one: a conflict where it is another by now.',
  },
  'LoomVersion CreateLoomBody CreateLoomVersionBody': {
    byokCredentialId: 'The LLM provider key; null: the newest active one of the provider.',
  },
  CreateByokCredentialBody: { secret: 'The key, as the LLM provider gave it. Never shown.' },
  RotateByokCredentialBody: { secret: 'The new key. Never shown.' },
  AgentRun: { trace: 'What was done, step by step. Lists and events leave its steps out.' },
  RunTrace: {
    suggestion: 'In suggest mode, or where the answer could not be sent; and what became of it.',
    handoff: 'The model asked for a person.',
    budget: 'The budget that stopped the run.',
  },
  TracedStep: {
    step: 'From 1.',
    promptCharacters: 'The characters of everything that was sent to the model.',
    finishReason: 'Why the model stopped: stop, length, tool-calls, content-filter or other.',
    output: 'What the model wrote.',
  },
  TracedCall: {
    callId: 'Also the `Idempotency-Key` of the request.',
    name: "The tool's name for the model.",
    toolId: 'The tool; null: there is none of that name, or it is built in.',
    arguments: 'As the model wrote them; parsed if they are JSON.',
    status:
      'interrupted: the node died while the call was in flight, and what it did is not known; or the run ended first.',
    approval: 'Where the tool requires the approval of a person.',
    attempts: 'Attempts that were begun.',
    startedAt: 'When the last attempt was begun.',
    result: 'What the model was told.',
    error: 'Why the call failed, in words; null: it did not.',
  },
  TrialStep: {
    step: 'From 1.',
    promptCharacters: 'The characters of everything that was sent to the model.',
    finishReason: 'Why the model stopped: stop, length, tool-calls, content-filter or other.',
    output: 'What the model wrote.',
  },
  TrialCall: {
    name: "The tool's name for the model.",
    toolId: 'The tool; null: there is none of that name, or it is built in.',
    arguments: 'As the model wrote them; parsed if they are JSON.',
    stub: 'Where the result is from. recorded: a run of the thread has made the same call. given: `toolResults`. none: nowhere, and the model was told so. refused: a run would not make the call.',
    agentRunId: 'The run whose trace has the result; absent: none has.',
    requiresApproval: 'Whether a run would ask a person first.',
    result: 'What the model was told.',
    error: 'What the model was told of a call that fails; null: it does not.',
  },
  LoomTrial: {
    version: 'The number of the version.',
    threadId: 'The thread whose messages came first; null: none.',
    status: 'succeeded: the model has answered. failed: `errorCode` says why, as of a run.',
    text: 'What would be sent or suggested; null: the trial has failed.',
    handoff: 'The model asked for a person.',
    steps: 'Each answer of the model.',
    startedAt: 'When it began.',
    durationMs: 'How long it took, in milliseconds.',
  },
  TryLoomBody: {
    loomVersionId: 'The version to try. Default: the active one.',
    threadId: 'A thread whose messages come first.',
    inputMessageId: 'The last message of the thread that counts. Default: its newest.',
    messages:
      'What is said, after the messages of the thread if there is one; oldest first. Needed without a thread.',
    toolResults: 'Results for calls that no run of the thread has made.',
    timeoutMs: 'How long the trial takes at most, in milliseconds.',
  },
  TrialMessage: { body: 'The text.' },
  TrialToolResult: {
    toolId: 'The tool.',
    arguments: 'Of calls with exactly these arguments. Absent: of all calls.',
    result: 'What the model is told.',
    error: 'The call fails, and the model is told this.',
  },
  ToolCallApproval: {
    status: 'pending: the call waits.',
    reason: 'Why it was refused: the model is told.',
  },
  'Suggestion EndedSuggestion': {
    basedOnSequence: "The thread's number that the run answered.",
    reason: 'Why an automatic answer became a suggestion; absent in suggest mode.',
    sentBody: 'The text that was sent, if it was edited.',
    discardReason: 'Why it was discarded, if that was said.',
    messageId: 'The message that was sent.',
  },
  ResolveToolCallBody: {
    action: 'approve: it is called. refuse: the model is told that it is not.',
    reason: 'Why it is refused: the model is told.',
  },
  ResolveSuggestionBody: {
    action: 'approve: it is sent. discard: it is not.',
    body: 'What is sent instead of the suggested text.',
    reason: 'Why it is discarded: kept with the suggestion. For `discard` alone.',
    expectedSequence:
      "The thread's last number that the operator has seen: a conflict when anything but the suggestion itself happened since.",
  },
  listAgentRuns: { status: 'Runs in this status.' },

  'Agent UpdateAgentBody': {
    split: 'Some threads are answered by another version than the active one; null: none.',
  },
  'AgentSplit AgentSplitInput': {
    loomVersionId: 'A published version of the loom that is not the active one.',
    percent: 'How many of a hundred threads.',
  },
  AgentSplit: { startedAt: 'When it began; another share does not change it.' },
  getAgentSuggestions: { days: 'How many days back, up to now.' },
  AgentSuggestions: {
    since: 'Of runs that began then or later.',
    versions: 'Those that have made suggestions, the newest first.',
  },
  SuggestionFates: {
    version: 'The number of the version.',
    pending: 'Suggestions that wait.',
    approved: 'Suggestions that were sent as they were.',
    edited: 'Suggestions that were sent with another text.',
    discarded: 'Suggestions that people did not send.',
    superseded: 'Suggestions that something newer has overtaken.',
    expired: 'Suggestions that nobody resolved within a day.',
  },
  UpdateAgentBody: { archived: 'true: into the archive, as DELETE does. false: back from it.' },
  'UpdateThreadBody UpdateChannelBody UpdateAgentBody UpdateLoomBody UpdateToolBody UpdateStitchBody UpdateByokCredentialBody':
    {
      metadata: `Your own JSON object. ${merged}`,
    },

  // The service as a whole
  CallerUser: { instanceAdmin: 'Whether they operate the service: `getSystem` answers them.' },
  System: {
    at: 'When it was read.',
    nodeId: 'The node that has asked the others.',
    faults: 'What is sick, the worst first; none: everything is well.',
    nodes: 'The members of the cluster, as that node knows them.',
    stitches:
      'Those that are furthest behind the log, as nodes have seen them within ten minutes, 20 at most.',
    oldestDeliverySeconds:
      'Age of the oldest open delivery that has a row (`skein_deliveries_oldest_seconds`), measured once a minute; null: not known.',
    actors: 'Those with the fullest mailboxes, 20 at most.',
    commitRefusals: 'Commits that were refused (`skein_commit_refusals_total`), by reason.',
    deadLetters: 'Reminders and tasks that were given up for good.',
    nats: 'Null: the node is part of no cluster.',
  },
  SystemFault: {
    name: 'The name of the alert: its section of the runbook (`/docs/runbook`) says what to do.',
    severity: 'page: it wakes somebody. ticket: it can wait for the morning.',
    nodeIds: 'The nodes that have it; none: it is of the service as a whole.',
    value: 'The figure that is wrong, of the node that has most of it; null: it is no number.',
    limit: 'Beyond it the figure is wrong; null: it is no number.',
  },
  SystemNode: {
    nodeId: 'Its `NODE_ID`, or a random one.',
    state: 'Of its membership. standalone: it is part of no cluster.',
    release: 'The version of its software.',
    joinedAt: 'When it joined the cluster; null: it has not.',
    lastSeenMs: 'Since its last sign of life, in milliseconds; null: it gives none.',
    report:
      'What it says of itself; null: it has not answered within a second, or is of a release that cannot.',
  },
  SystemNodeReport: {
    status: 'What its `/readyz` says.',
    failedChecks: 'The checks of its `/readyz` that fail.',
    startedAt: 'When its process began to serve.',
    leasedMs:
      'How long it may serve without another renewal of its lease, in milliseconds; null: it needs none.',
    memoryBytes: 'Its resident memory (`process_resident_memory_bytes`).',
    eventLoopP99Seconds:
      'The delay of its event loop within a quarter of a minute, 99th percentile (`nodejs_eventloop_lag_p99_seconds`).',
    clockAheadSeconds: "By how much its clock is ahead of the database's (`skein_clock_ahead_seconds`).",
    shards: 'Shards that it owns (`skein_shards`).',
    actors: 'Actors in its memory (`skein_residents`).',
    commands: 'Commands that wait or are in flight (`skein_commands`).',
    deepestMailbox: 'Those of its busiest actor (`skein_mailbox_deepest`); at 1,000 it answers 503.',
    tasksRunning: 'Tasks that run (`skein_tasks_running`).',
    tasksWaiting: 'Tasks that have not begun, or wait for their next try (`skein_tasks_waiting`).',
    remindersInFlight: 'Reminders that are being delivered (`skein_reminders_in_flight`).',
    asksOutgoing: 'Requests on their way to other nodes (`skein_asks_outgoing`).',
    commits: 'Commits of the last five minutes (`skein_commits_total`).',
    commitP99Ms:
      '99 of 100 of them took so long at most, in milliseconds (`skein_commit_milliseconds`); null: there was none.',
    commitsRefused: 'Commits refused within five minutes (`skein_commits_refused_total`).',
    overloaded:
      'Commands refused within five minutes because a limit was reached (`skein_overloaded_total`).',
    deadLetters: 'Reminders and tasks given up within 15 minutes (`skein_dead_letters_total`).',
    defects: 'Decisions that threw by mistake within 15 minutes (`skein_defects_total`).',
    pools: 'Requests to other systems by queue, and connections to the database by pool.',
  },
  SystemPool: {
    name: 'Of the queue or the pool.',
    busy: 'Requests in flight, or connections in use.',
    waiting: 'What waits for its turn.',
  },
  SystemShards: {
    count: 'Of the cluster (`SHARDS`).',
    vacant: 'Without an owner: their threads wait.',
    moving: 'Those that have no owner or are about to change it, 20 at most.',
    moves: 'What has changed its owner within 15 minutes, the newest first, 20 at most.',
  },
  SystemShard: {
    shard: 'Its number, from 0.',
    state: 'vacant: nobody has it. The others: what the node does with it.',
    nodeId: 'The node that says so.',
    ownerNodeId: 'Its owner; null: it has none.',
    desiredNodeId: 'Who should own it; null: there is no node to.',
  },
  SystemMove: {
    cause: 'takeover: its former owner was no member any more. handover: it gave it away.',
    fromNodeId: 'The former owner; null: not known.',
    toNodeId: 'The new owner.',
    shards: 'How many have gone this way.',
    at: 'When the last of them did.',
  },
  SystemStitch: {
    stitchId: 'The stitch.',
    lagEvents: 'Events that it has yet to read of the log.',
  },
  SystemActor: {
    kind: 'thread, channel, stitch, run, quota or slow-quota.',
    actorId: 'The id of what it is.',
    nodeId: 'Where it lives.',
    commands: 'Commands that wait or are in flight.',
    committingMs: 'How long its oldest commit has been under way, in milliseconds; null: it has none.',
  },
  SystemRefusals: {
    reason: 'fenced, duplicate, limit, unavailable or error.',
    recent: 'Within five minutes.',
    total: 'Since the nodes have started.',
  },
  SystemDeadLetters: {
    count: 'Those that are kept, up to 1,000.',
    more: 'Whether there are more.',
    newest: 'The newest first, 20 at most.',
  },
  SystemDeadLetter: {
    deadLetterId: 'A number.',
    kind: 'Of its actor.',
    actorId: 'The id of its actor.',
    name: 'Of the command; `perform:` and the name of a task.',
    errorCode: 'The code or the class of the error; null: it has none.',
    attempts: 'How often it was tried.',
    createdAt: 'When it was given up.',
  },
  SystemDatabase: {
    version: 'Of PostgreSQL.',
    connections: 'To this database, of all programs.',
    maxConnections: 'How many the server takes.',
    waitingForLocks: 'Statements that wait for a lock.',
    longestTransactionSeconds: 'Of the transaction that has been open longest; null: there is none.',
    roundTripMs: 'How long this question took, in milliseconds.',
  },
  SystemNats: { connected: 'Whether the node reaches it.' },

  // Stitches
  'Stitch CreateStitchBody UpdateStitchBody': {
    name: forPeople,
    webhookUrl: 'Where events are posted to. Production requires https.',
  },
  UpdateStitchBody: { status: 'The new status.' },
  'AttemptStats StitchHour': {
    attempts: 'Requests that were made, or refused before they were sent.',
    succeeded: 'Those that were answered with 2xx: so many deliveries were delivered.',
    successRate: 'From 0 to 1; null: there was no attempt.',
    p50Ms: 'Half of the attempts took so long at most, in milliseconds; null: there was none.',
    p95Ms: '95 of 100 attempts took so long at most, in milliseconds; null: there was none.',
    longestWaitMs:
      'The longest that a delivery had waited when it was attempted, in milliseconds; null: there was no attempt.',
  },
  StitchHour: { hour: 'The beginning of the hour.' },
  StitchStats: {
    since: 'The beginning of the first hour.',
    asOf: 'When it was read.',
    total: 'Of all hours.',
    hours: 'Those with attempts, the oldest first.',
    backlog: 'What is pending or retrying now.',
    replays: 'Replays to this stitch that are under way, 5 at most.',
  },
  StitchBacklog: {
    count: 'Deliveries, up to 10,000.',
    more: 'Whether there may be more.',
    oldestSince: 'Since when the oldest of them waits; null: none does.',
  },
  'ReplayAccepted FailedReplay StitchReplay': {
    replayId:
      'The replay: among the `replays` of the stats of the stitch that gets it, while it is under way.',
  },
  FailedReplay: {
    stitchId: 'A stitch with deliveries that have failed.',
    status: '`started`, also where a replay of the same is under way; `refused`: nothing is replayed.',
    error: 'Why nothing is replayed; null: something is.',
  },
  FailedReplays: { stitches: 'Those with deliveries that have failed.' },
  ReplayFailedBody: {
    stitchId: 'Only of this stitch. Default: of all.',
    since: 'Deliveries that were created from this instant on. Default: all that are kept.',
    until: 'Deliveries that were created up to this instant. Default: now.',
  },
  StitchReplay: {
    sourceStitchId: 'The stitch whose deliveries are replayed.',
    onlyFailed: 'Whether it is of what has failed for good, and was not made good since.',
    startedAt: 'When it began; null: not known.',
    replayed: 'Deliveries that it has made so far.',
    lastCreatedAt:
      'How far it is: when the last delivery that it has looked at was created; null: it is at the beginning.',
  },
  getStitchStats: { hours: 'How many hours, the current one included.' },
  DeliveryAttempt: {
    number: 'From 1.',
    responseBody: 'The first 16 KiB of the answer; null: there was none.',
    error: 'Why it failed, in words; null: it did not.',
  },
};

const byPlace = new Map<string, string>();
for (const [places, fields] of Object.entries(placeDescriptions)) {
  for (const place of places.split(' ')) {
    for (const [name, description] of Object.entries(fields)) byPlace.set(`${place}.${name}`, description);
  }
}

/** The description of a field or parameter in its place; undefined where there is none. */
export function findDescription(place: string, name: string): string | undefined {
  const own = byPlace.get(`${place}.${name}`);
  if (own !== undefined) return own;
  const ofList = place.endsWith('List') ? byPlace.get(`List.${name}`) : undefined;
  return ofList ?? (Object.hasOwn(commonDescriptions, name) ? commonDescriptions[name] : undefined);
}
