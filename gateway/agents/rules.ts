/** The errors that answer a change that agents, looms, tools and credentials do not allow. Storage asks for them inside its transactions. */
import { conflict, invalid, type Issue, notFound, type ServiceError } from '../../protocol/errors.ts';
import { pointerStep } from '../../protocol/validate.ts';
import type { AgentRefusal, AgentRules, UnusableReference } from '../../storage/agents/index.ts';

/** The error of each refusal. A new one for each, since an error holds the stack of its request. */
const refusals: Readonly<Record<AgentRefusal, () => ServiceError>> = {
  absent: notFound,
  agent_archived: () => conflict('The agent is archived.'),
  agent_loom_absent: () =>
    invalid([{ path: '/body/loomId', message: 'is no loom of the environment', code: 'reference' }]),
  credential_revoked: () => conflict('The credential is revoked.'),
  loom_archived: () => conflict('The loom is archived.'),
  loom_in_use: () => conflict('An agent uses the loom.'),
  loom_version_active: () => conflict('The version is the active one.'),
  loom_version_archived: () => conflict('The version is archived.'),
  tool_headers_missing: () => {
    const message = 'must be given again with their values, because the address leads to another origin';
    return invalid([{ path: '/body/headers', message, code: 'required' }]);
  },
};

export const agentRules: AgentRules = {
  refuse: reason => refusals[reason](),
  unusableReferences: references => invalid(references.map(toIssue)),
  noHeaderValue: header => {
    const path = `/body/headers/${pointerStep(header)}`;
    return invalid([{ path, message: 'has no value that could be kept', code: 'redacted' }]);
  },
};

/** Another tenant's ids get the same answer as unknown ones. */
function toIssue(unusable: UnusableReference): Issue {
  const code = 'reference';
  switch (unusable.reference) {
    case 'tool':
      return { path: `/body/toolIds/${unusable.index}`, message: 'is no tool of the environment', code };
    case 'credential':
      return {
        path: '/body/byokCredentialId',
        message: 'is no credential of the environment, or a revoked one',
        code,
      };
    case 'credential_of_other_provider':
      return { path: '/body/byokCredentialId', message: 'is a credential of another provider', code };
  }
}
