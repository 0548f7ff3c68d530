/** How the gateway answers what agents and their parts do not allow. */
export { agentRules } from './rules.ts';
