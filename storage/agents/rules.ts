/**
 * What storage asks of its caller inside a transaction: which error answers a change that the locked rows do not allow (gateway/agents).
 * Thrown inside the transaction, it rolls the transaction back.
 */

/** Why the rows do not allow a change. */
export type AgentRefusal =
  /** The environment has no such resource. */
  | 'absent'
  | 'agent_archived'
  /** There is no other version for some of its threads. */
  | 'agent_without_loom'
  /** If-Match names another state of it. */
  | 'changed'
  /** The environment does not have the loom that the agent is to use. */
  | 'agent_loom_absent'
  /** Another version is active than the caller takes for the active one. */
  | 'active_version_changed'
  /** The loom does not have the version that is to become the active one. */
  | 'activated_version_absent'
  | 'credential_revoked'
  /** The loom does not have the version that the caller takes for the active one. */
  | 'expected_version_absent'
  | 'loom_archived'
  /** An agent that is not archived uses the loom. */
  | 'loom_in_use'
  | 'loom_version_active'
  | 'loom_version_archived'
  /** Some threads of an agent are answered by it. */
  | 'loom_version_in_split'
  /** The metadata would have too many bytes. */
  | 'metadata_too_large'
  /** The agent's loom does not have the version. */
  | 'split_version_absent'
  /** The address of a tool moves to another origin, and its headers were not given again. */
  | 'tool_headers_missing';

/** What a loom version refers to and cannot use. */
export type UnusableReference =
  /** The environment has no tool with this id. `index`: its place in the list. */
  | { readonly reference: 'tool'; readonly index: number }
  /** The environment has no such credential, or it is revoked. */
  | { readonly reference: 'credential' }
  | { readonly reference: 'credential_of_other_provider' };

export interface AgentRules {
  refuse(reason: AgentRefusal): Error;
  /** The error for a loom version with such references; there is at least one. */
  unusableReferences(references: readonly UnusableReference[]): Error;
  /** The error for a header of a tool that is to keep a value and has none, or may not keep it. */
  noHeaderValue(header: string): Error;
}
