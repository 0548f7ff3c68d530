/** Who may change what in workspaces and projects: rules that storage asks inside its transactions. */
export { tenancyRules } from './rules.ts';
