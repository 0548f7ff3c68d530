/** The errors that answer a change that agents, looms, tools and credentials do not allow. Storage asks for them inside its transactions. */
import { conflict, invalid, notFound, preconditionFailed, type ServiceError } from '../../protocol/errors.ts';
import { mergedTooLarge } from '../../protocol/merge-patch.ts';
import { pointerStep } from '../../protocol/validate.ts';
import type { AgentRefusal, AgentRules, UnusableReference } from '../../storage/agents/index.ts';

/** The error of each refusal. A new one for each, since an error holds the stack of its request. */
const refusals: Readonly<Record<AgentRefusal, () => ServiceError>> = {
  absent: notFound,
  active_version_changed: () => conflict('Another version is active by now.'),
  activated_version_absent: () => notFound('/body/loomVersionId'),
  agent_archived: () => conflict('The agent is archived.'),
  agent_loom_absent: () => notFound('/body/loomId'),
  agent_without_loom: () => conflict('The agent has no loom.'),
  changed: preconditionFailed,
  credential_revoked: () => conflict('The credential is revoked.'),
  expected_version_absent: () => notFound('/body/expectedActiveVersionId'),
  loom_archived: () => conflict('The loom is archived.'),
  loom_in_use: () => conflict('An agent uses the loom.'),
  loom_version_active: () => conflict('The version is the active one.'),
  loom_version_archived: () => conflict('The version is archived.'),
  loom_version_in_split: () => conflict('An agent answers some threads by the version.'),
  metadata_too_large: () => mergedTooLarge('/body/metadata'),
  split_version_absent: () => notFound('/body/split/loomVersionId'),
  tool_headers_missing: () => {
    const message = 'must be given again with their values, because the address leads to another origin';
    return invalid([{ path: '/body/headers', message, code: 'required' }]);
  },
};

export const agentRules: AgentRules = {
  refuse: reason => refusals[reason](),
  unusableReferences,
  noHeaderValue: header => {
    const path = `/body/headers/${pointerStep(header)}`;
    return invalid([{ path, message: 'has no value that could be kept', code: 'redacted' }]);
  },
};

/** 404 where the environment does not have one of them, else 422. A revoked credential is none that the environment has. */
function unusableReferences(references: readonly UnusableReference[]): ServiceError {
  const absent = references.flatMap(unusable => {
    if (unusable.reference === 'tool') return `/body/toolIds/${unusable.index}`;
    return unusable.reference === 'credential' ? '/body/byokCredentialId' : [];
  });
  if (absent.length > 0) return notFound(...absent);
  const message = 'is a credential of another provider';
  return invalid([{ path: '/body/byokCredentialId', message, code: 'reference' }]);
}
