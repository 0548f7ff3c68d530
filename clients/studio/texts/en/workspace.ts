/** A workspace, its projects and their environments. */
export const workspace = {
  about: 'A workspace holds projects, and the people who work in them.',
  projects: 'Projects',
  project: 'Project',
  environments: 'Environments',
  production: 'Production',
  archived: 'Archived',
  created: 'Created',
  noProjects: 'No project yet',
  noProjectsHint: 'Create one: it comes with a sandbox, where you can try everything.',
  name: 'Name',
  save: 'Save',
  createProject: 'Create project',
  createProjectHint: 'It comes with a sandbox. Production is added when you need it.',
  environmentName: 'Name of the environment',
  createProduction: 'Create production',
  productionHint:
    'Real customers are reached from production. It has channels, webhooks and live keys of its own. A project has one, and it cannot be removed.',
  newWorkspace: 'New workspace',
  archiveWorkspace: 'Archive workspace',
  restoreWorkspace: 'Restore workspace',
  acts: { rename: 'Rename', production: 'Add production', archive: 'Archive', restore: 'Restore' },
  actOn: {
    rename: (name: string) => `Rename ${name}`,
    production: (name: string) => `Add production to ${name}`,
    archive: (name: string) => `Archive ${name}`,
    restore: (name: string) => `Restore ${name}`,
  },
  archiveProjectHint:
    'Its API keys are refused, its webhooks stop, and its channels take nothing in. Agents end what they are doing. Nothing is deleted: everything can still be read, and the project can be restored.',
  archiveWorkspaceHint:
    'This holds for all of its projects: API keys are refused, webhooks stop, and channels take nothing in. Agents end what they are doing. Nothing is deleted: everything can still be read, and an owner can restore the workspace.',
  restoreHint: 'API keys are accepted again, webhooks send again, and channels take messages in again.',
  secondFactor: {
    title: 'Second factor',
    demand: 'Demand a second factor of every member',
    hint: 'Members without one can then only set one up or leave. API keys go on working. You need one yourself.',
    isDemanded: 'Every member needs a second factor.',
    isNotDemanded: 'Members need no second factor.',
  },
  sso: {
    title: 'Single sign-on',
    about:
      'People with addresses of your domains sign in by your identity provider (OpenID Connect). Who has no account gets one, as a viewer of this workspace.',
    forAdmins: 'Owners and admins of the workspace see how it signs people in.',
    redirectUri: 'Redirect URI',
    redirectHint: 'Register it with the provider.',
    issuer: 'Issuer',
    issuerHint: 'The address at which the provider describes itself, without /.well-known.',
    clientId: 'Client ID',
    clientSecret: 'Client secret',
    secretStays: 'It is kept, and shown to nobody. Leave this empty to keep it.',
    otherIssuer: 'With another issuer every domain has to be proven anew.',
    save: 'Save the provider',
    remove: 'Remove the provider',
    removeHint:
      'Nobody signs in by it any more. Accounts and roles stay: whoever has no password sets one by “Forgotten your password?”.',
    domains: 'Domains',
    domain: 'Domain',
    domainHint: 'What is after the @ of the addresses.',
    addDomain: 'Add domain',
    proven: 'Proven',
    notProven: 'Not proven',
    proof:
      'Prove that the domain is yours: set this TXT record in its DNS. Until then nobody signs in by it.',
    recordName: 'Name:',
    recordValue: 'Value:',
    prove: 'Look for the record',
    require: 'Demand single sign-on of its addresses',
    requireHint:
      'Passwords and passkeys are refused for them then, and whoever is signed in otherwise is signed out within 15 minutes. Owners of this workspace keep theirs, so that somebody can repair the provider.',
    requireOf: (domain: string) => `Demand single sign-on for ${domain}`,
    requireAction: 'Demand it',
    requireOwn:
      'Your own address is one of them, and you are no owner: unless the provider has signed you in, you are signed out within 15 minutes, and come back only by the provider. Make sure first that it signs you in.',
    removeDomain: 'Remove',
    removeOne: (domain: string) => `Remove ${domain}`,
    removeDomainHint: 'Its addresses do not sign in by the provider any more.',
  },
};

export type WorkspaceTexts = typeof workspace;
