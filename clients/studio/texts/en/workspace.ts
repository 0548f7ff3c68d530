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
};
