/** Who may change what in workspaces and projects: rules that storage applies inside its transactions. */
export { tenancyRules } from './rules.ts';
