/** How refusals of agents and their parts are answered. */
import t from 'tap';
import { agentRules } from '../../../gateway/agents/rules.ts';
import type { AgentRefusal } from '../../../storage/agents/rules.ts';

const statuses: Readonly<Record<AgentRefusal, number>> = {
  absent: 404,
  active_version_changed: 409,
  activated_version_absent: 404,
  agent_archived: 409,
  agent_loom_absent: 404,
  agent_without_loom: 409,
  changed: 412,
  credential_revoked: 409,
  expected_version_absent: 404,
  loom_archived: 409,
  loom_in_use: 409,
  loom_version_active: 409,
  loom_version_archived: 409,
  loom_version_in_split: 409,
  metadata_too_large: 422,
  split_version_absent: 404,
  tool_headers_missing: 422,
};

t.test('each refusal has its error, a new one each time with its own stack', async t => {
  for (const [reason, http] of Object.entries(statuses) as [AgentRefusal, number][]) {
    t.match(agentRules.refuse(reason), { http }, reason);
    t.not(agentRules.refuse(reason), agentRules.refuse(reason));
  }
});

t.test('unusable references are named by their path in the body', async t => {
  const code = 'svc/validation/invalid_request';
  const ofOtherProvider = { reference: 'credential_of_other_provider' } as const;
  t.match(agentRules.unusableReferences([{ reference: 'tool', index: 3 }, ofOtherProvider]), {
    code: 'svc/runtime/not_found',
    message: '/body/toolIds/3 names nothing that is here.',
    details: { issues: [{ path: '/body/toolIds/3', code: 'reference' }] },
  });
  t.match(agentRules.unusableReferences([{ reference: 'credential' }]), {
    http: 404,
    details: { issues: [{ path: '/body/byokCredentialId', code: 'reference' }] },
  });
  t.match(agentRules.unusableReferences([ofOtherProvider]), {
    code,
    details: { issues: [{ path: '/body/byokCredentialId', message: 'is a credential of another provider' }] },
  });
  t.match(agentRules.refuse('agent_loom_absent'), { details: { issues: [{ path: '/body/loomId' }] } });
  t.match(agentRules.refuse('tool_headers_missing'), {
    code,
    details: { issues: [{ path: '/body/headers', code: 'required' }] },
  });
  t.match(agentRules.noHeaderValue('X-A/B'), {
    code,
    details: { issues: [{ path: '/body/headers/X-A~1B', code: 'redacted' }] },
  });
});
