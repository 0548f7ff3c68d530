/**
 * What agents are made of (tools, looms and their versions, agents, BYOK credentials, budgets), as users administer it, and what a
 * run reads of it for each step.
 */
export { type AgentHead, Agents, findAgentHead, hasAgent } from './agents.ts';
export {
  type BudgetRecord,
  BudgetSettings,
  findBudget,
  getDefaultBudget,
  spentOnThread,
  spentSince,
} from './budgets.ts';
export { type ByokChange, ByokCredentials, byokResource, byokSecretContext, recordByokUse } from './byok.ts';
export {
  findAgentTenant,
  findByokCredentialTenant,
  findLoomTenant,
  findToolTenant,
} from './environment-rows.ts';
export { listLoomActivations } from './loom-activations.ts';
export type { LoomDefinition } from './loom-definition.ts';
export { LoomVersions } from './loom-versions.ts';
export { Looms, type LoomTarget } from './looms.ts';
export {
  type ConversationMessage,
  findModelCredential,
  findModelDefinition,
  listModelTools,
  type ModelDefinition,
  type ModelTool,
  readModelHistory,
  type SealedCredential,
} from './model-inputs.ts';
export type { AgentRefusal, AgentRules, UnusableReference } from './rules.ts';
export { listUsedModels, type UsedModel } from './used-models.ts';
export { type CallableTool, findCallableTool, ToolCircuit } from './tool-calls.ts';
export { findAbsentTools, hasToolChanged, toolHeadersContext, Tools, toolSigningContext } from './tools.ts';
