/** What each tag of the document is about, in the order in which a newcomer would read them. */
export const tags: Readonly<Record<string, string>> = {
  'Studio authentication':
    'Accounts and sessions of people: sign-up, login, refresh, forgotten passwords, invitations accepted.',
  Workspaces: 'A workspace holds projects and the people who work on them.',
  Members: 'Who belongs to a workspace, and as what: owner, admin or viewer.',
  Invitations: 'How somebody new comes into a workspace: by a link that is mailed, once, within 7 days.',
  Projects: 'A project holds environments, and everything that belongs to one product.',
  Environments:
    'Every project has a sandbox, and may have one production environment. Data is never mixed between the two.',
  'API keys':
    "Secrets for code. A key belongs to one environment of one project, and carries the scopes that it was given. Only people manage keys: a Studio access token is needed, and no key's scopes reach here.",
  'Partner apps': "An agency's own partner app, with which chatapp channels are connected.",
  Channels:
    'A channel translates one messaging channel into threads and messages. Custom channels are driven by your own code over the operations here; sandbox channels are there to play with.',
  Threads:
    'A thread is a conversation that lasts: with one participant of one channel, in one environment, in one order.',
  Notes: 'What operators write to each other on a thread. The participant never sees it.',
  Messages: 'What was said on a thread, inbound and outbound, and what became of it.',
  Attachments: 'Files of messages: uploaded and read through addresses that are signed and short-lived.',
  BYOK: 'Your own keys of LLM providers, with which your agents ask their models. They are written, used, and never shown.',
  Tools: 'What a model may call: your own HTTP endpoints, with what they take described as JSON Schema.',
  Looms:
    'A loom is what an agent is made of: prompt, rules, model and tools, in versions that never change. One of them is active.',
  Agents:
    'An agent answers on threads by the active version of its loom: by itself, or as a suggestion to people.',
  'Agent runs':
    'A run is one execution of an agent: what it was asked, which tools it called, what it answered, and what became of that.',
  Privacy: "A participant's right to be forgotten.",
  Stitches:
    'A stitch is an outbound webhook: a signed, durable subscription to events. See also the section of webhooks.',
  'Webhook deliveries':
    'Every event that a stitch was due, each attempt to deliver it, and how to have it delivered again.',
  Events: 'The log of everything that happened, kept for 30 days, and the catalogue of event names.',
  Console: 'Operators of a project, and the live stream that they follow it by.',
  Audit: 'Who did what, when, and from where.',
  Usage: 'What a project has used.',
  Contract: 'The contract itself, as a machine reads it.',
};
