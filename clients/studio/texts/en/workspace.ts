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
  secondFactor: {
    title: 'Second factor',
    demand: 'Demand a second factor of every member',
    hint: 'Members without one can then only set one up or leave. API keys go on working. You need one yourself.',
    isDemanded: 'Every member needs a second factor.',
    isNotDemanded: 'Members need no second factor.',
  },
};
