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
    'Production reaches real customers. It has its own channels, webhooks and live keys. A project has one, and it cannot be removed.',
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
    'Its API keys are refused, its webhooks stop, and its channels accept no messages. Agents stop what they are doing. Nothing is deleted: you can still read everything, and restore the project.',
  archiveWorkspaceHint:
    'In all of its projects API keys are refused, webhooks stop, and channels accept no messages. Agents stop what they are doing. Nothing is deleted: you can still read everything, and an owner can restore the workspace.',
  restoreHint: 'API keys are accepted again, webhooks send again, and channels accept messages again.',
  secondFactor: {
    title: 'Second factor',
    demand: 'Require a second factor of every member',
    hint: 'Members without one can then only set one up or leave. API keys keep working. You need one yourself.',
    isDemanded: 'Every member needs a second factor.',
    isNotDemanded: 'Members do not need a second factor.',
  },
  sso: {
    title: 'Single sign-on',
    about:
      'People with addresses at your domains sign in through your identity provider (OpenID Connect). Anyone without an account gets one, as a viewer of this workspace.',
    forAdmins: 'Only owners and admins of the workspace see these settings.',
    redirectUri: 'Redirect URI',
    redirectHint: 'Register it with the provider.',
    issuer: 'Issuer',
    issuerHint: 'The address at which the provider describes itself, without /.well-known.',
    clientId: 'Client ID',
    clientSecret: 'Client secret',
    secretStays: 'It is stored, and never shown. Leave this empty to keep it.',
    otherIssuer: 'If you change the issuer, every domain has to be verified again.',
    save: 'Save the provider',
    remove: 'Remove the provider',
    removeHint:
      'Nobody can sign in through it any more. Accounts and roles stay: anyone without a password sets one by “Forgotten your password?”.',
    domains: 'Domains',
    domain: 'Domain',
    domainHint: 'The part of the addresses after the @.',
    addDomain: 'Add domain',
    proven: 'Verified',
    notProven: 'Not verified',
    proof:
      'Verify that the domain is yours: add this TXT record to its DNS. Until then nobody can sign in with it.',
    recordName: 'Name:',
    recordValue: 'Value:',
    prove: 'Verify domain',
    require: 'Require single sign-on',
    requireHint:
      'People with these addresses can then no longer use passwords or passkeys, and anyone signed in that way is signed out within 15 minutes. Owners of this workspace are exempt, so that somebody can repair the provider.',
    requireOf: (domain: string) => `Require single sign-on for ${domain}`,
    requireAction: 'Require it',
    requireOwn:
      'Your own address is one of them, and you are not an owner. Unless the provider signed you in, you are signed out within 15 minutes and can come back only through the provider. Make sure first that it works for you.',
    removeDomain: 'Remove',
    removeOne: (domain: string) => `Remove ${domain}`,
    removeDomainHint: 'People with its addresses can no longer sign in through the provider.',
  },
};

export type WorkspaceTexts = typeof workspace;
