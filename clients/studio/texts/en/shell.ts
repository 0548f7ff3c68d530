/** The frame around everything, and the parts that all pages are made of. */
export const shell = {
  appName: 'Studio',
  navLabel: 'Pages',
  noProject:
    'You are not a member of any project yet. Ask an administrator of your workspace to add you to one.',
  noSuchPlace: 'There is no such project or environment.',
  noSuchPlaceHint:
    'It does not exist, or you have no role in it. Ask an administrator of its workspace if that is a mistake.',
  elsewhere: 'Go to another project',
  noSuchWorkspace: 'There is no such workspace.',
  noSuchWorkspaceHint:
    'It does not exist, or you are not a member of it. Ask one of its administrators if that is a mistake.',
  projectArchived: 'This project is archived: you can read everything, but change nothing.',
  workspaceArchived: 'This workspace is archived: you can read everything, but change nothing.',
  toProject: 'Back to the project',
  missingFiles:
    'A part of this page could not be loaded: there may be a newer version of it, or no connection. Save what you have changed, then load it again.',
  pages: {
    home: 'Start',
    channels: 'Channels',
    webhooks: 'Webhooks',
    messages: 'Messages',
    events: 'Events',
    keys: 'API keys',
    agents: 'Agents',
    instructions: 'Instructions',
    tools: 'Tools',
    runs: 'Runs',
    credentials: 'Model providers',
    usage: 'Usage',
    team: 'Team',
    audit: 'Audit log',
    workspace: 'Workspace',
    partnerApps: 'Partner apps',
    account: 'Your account',
    system: 'System',
  },
  groups: { build: 'Connect', agents: 'Agents', manage: 'Manage', account: 'You' },
  console: 'Open the Console',
  reference: 'API reference',
};

export const table = {
  columns: 'Columns',
  actions: 'Actions',
  more: 'Show more',
  noneYet: 'Nothing found so far: not everything has been looked through.',
  archived: 'Archived',
  noneArchived: 'Nothing is archived.',
};

export const errors = {
  request: (requestId: string) => `Request ${requestId}`,
  explanation: 'What this means',
};

export const secret = {
  copy: 'Copy the secret',
  copied: 'Copied',
  done: 'I have copied it',
  rotate: 'New secret',
  gracePeriod: 'The old secret works for',
  graces: { '0': 'no longer at all', '300': '5 minutes', '3600': '1 hour', '86400': '24 hours' },
  grace: (clock: string) => `old secret works for ${clock}`,
};

export const confirm = {
  cancel: 'Cancel',
  leaves: 'What you have written here is not saved. Leave it?',
  typeName: (name: string) => `Type “${name}” to confirm`,
};
