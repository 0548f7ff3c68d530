/** Refusals of agents and their parts. */
import t from 'tap';
import { agentRules } from '../../../gateway/agents/rules.ts';

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
