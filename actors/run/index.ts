/**
 * Agent runs. The actor kind `run` (`createRuns`, stored by `runSnapshot`) is a durable state machine (state.ts): each model step and each
 * tool result is committed before the next begins. Decisions (decide-*.ts) start tasks (tasks/), which read a plan (plans.ts), look at
 * budgets (budgets.ts), ask a model (models/) or call a tool (tools/), and report the result to the run as a command. The thread of the
 * run decides what becomes of its answer.
 */
export { createBudgets } from './budgets.ts';
export {
  type AnswerDecision,
  beginInMode,
  type BeginRun,
  type CancelRun,
  runCommand,
  type RunCommands,
  type ResolveCall,
  type SettleSuggestion,
} from './commands.ts';
export { createCurrentAgents } from './current-agents.ts';
export { toAgentRun } from './json.ts';
export { RunMetrics } from './metrics.ts';
export { createRuns, type Runs } from './kind.ts';
export { findPrice, listPrices } from './models/price-list.ts';
export { createPlans } from './plans.ts';
export type { Tools } from './services.ts';
export { maxApprovalMs } from './state.ts';
export { createTrials, type GivenResult, type TrialOrder, type Trials, maxTrialSteps } from './trials.ts';
export { decodeRun, type RunRow, runSnapshot } from './snapshot.ts';
export type { AnswerLimits, CurrentAgent, RunOver, TakeAnswer } from './thread-reports.ts';
export type { Settlement, SpentBudget, Suggestion } from './trace.ts';
